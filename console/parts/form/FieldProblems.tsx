/** The API's sentences about a value, to which its control refers by the id. */
export const FieldProblems = ({
  id,
  sentences,
}: {
  readonly id: string;
  readonly sentences: ReadonlyArray<string>;
}) =>
  sentences.length === 0 ? null : (
    <div class="problem" id={id}>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );

import { useFieldProblems } from "./Form.tsx";

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

/** Problems of a list as a whole, such as its length, at no control of their own. */
export const WholeProblems = ({ name }: { readonly name: string }) => {
  const problems = useFieldProblems(name);
  return problems.length === 0 ? null : <p class="problem">{problems.join(" ")}</p>;
};

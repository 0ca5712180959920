/** A notification as an app shows it once it is opened. */

/** The shown message. Empty texts are left out. */
export interface OpenedContent {
  readonly headline: string;
  readonly body: string;
  readonly button: string;
  readonly address: string;
  readonly picture: { readonly source: string; readonly name: string } | null;
  readonly questions: ReadonlyArray<{ readonly text: string; readonly choices: ReadonlyArray<string> }>;
}

/** The headline, the picture, the text, the questions and the button. */
export const OpenedMessage = ({
  content: { address, body, button, headline, picture, questions },
}: {
  readonly content: OpenedContent;
}) => (
  <div class="preview-opened">
    {picture !== null && <img class="preview-picture" src={picture.source} alt={picture.name} />}
    <p class="preview-headline" dir="auto">
      {headline}
    </p>
    <p class="preview-body" dir="auto">
      {body}
    </p>
    {questions.length > 0 && (
      <ol class="preview-questions">
        {questions.map(({ choices, text }, index) => (
          <li key={index}>
            <p>{text}</p>
            {choices.length > 0 && (
              <ul class="preview-choices">
                {choices.map((choice, at) => (
                  <li key={at}>{choice}</li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    )}
    {button !== "" && (
      <p class="preview-button" title={address}>
        {button}
      </p>
    )}
  </div>
);

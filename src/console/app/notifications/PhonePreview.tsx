/** "Phone preview": a notification as a device shows it, while it is written. */
import { useId, useState } from "preact/hooks";
import type { Picture } from "../campaigns/CampaignResources.ts";
import { serverNow } from "../data/ServerTime.ts";
import { workspace } from "../session/Scope.ts";
import { hasChoices, type MessageValues, type QuestionValues } from "./NotificationForm.ts";

const languages = ["en", "nl", "de", "fr", "es", "it", "pl", "pt", "sv", "tr", "ja", "ar"];

const devices = [
  { value: "ios", text: "iPhone", lines: 4 },
  { value: "android", text: "Android phone", lines: 2 },
  { value: "web", text: "Web browser", lines: 2 },
] as const;
type DeviceKind = (typeof devices)[number]["value"];

const languageNames = new Intl.DisplayNames(["en"], { type: "language" });

const clockOf = (language: string, timeZone: string): string =>
  new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", timeZone }).format(serverNow());

const PreviewQuestion = ({ question }: { readonly question: QuestionValues }) => (
  <li>
    <p>{question.question_text || "Question"}</p>
    {hasChoices(question.type) && (
      <ul class="preview-choices">
        {question.choices
          .split("\n")
          .filter((line) => line.trim() !== "")
          .map((line, index) => (
            <li key={index}>{line}</li>
          ))}
      </ul>
    )}
  </li>
);

const Opened = ({
  message,
  picture,
}: {
  readonly message: MessageValues;
  readonly picture: Picture | undefined;
}) => (
  <div class="preview-opened">
    {picture !== undefined && message.type === "message" && (
      <img class="preview-picture" src={picture.thumbnail_url} alt={picture.name} />
    )}
    <p class="preview-headline" dir="auto">
      {message.headline || "Headline"}
    </p>
    <p class="preview-body" dir="auto">
      {message.body || "Body"}
    </p>
    {message.type === "survey" && (
      <ol class="preview-questions">
        {message.questions.map((question, index) => (
          <PreviewQuestion key={index} question={question} />
        ))}
      </ol>
    )}
    {message.cta_label !== "" && (
      <p class="preview-button" title={message.cta_url}>
        {message.cta_label}
      </p>
    )}
  </div>
);

/** The notification on a lock screen, and opened in the app. */
export const PhonePreview = ({
  message,
  picture,
}: {
  readonly message: MessageValues;
  readonly picture: Picture | undefined;
}) => {
  const [language, setLanguage] = useState("en");
  const [kind, setKind] = useState<DeviceKind>("ios");
  const id = useId();
  const device = devices.find(({ value }) => value === kind);
  return (
    <section class="preview" aria-label="Phone preview">
      <div class="preview-settings">
        <div class="field">
          <label for={`${id}-language`}>Language</label>
          <select
            id={`${id}-language`}
            value={language}
            onChange={(event) => setLanguage(event.currentTarget.value)}
          >
            {languages.map((each) => (
              <option key={each} value={each}>
                {languageNames.of(each)}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={`${id}-device`}>Device</label>
          <select
            id={`${id}-device`}
            value={kind}
            onChange={({ currentTarget }) =>
              setKind(devices.find(({ value }) => value === currentTarget.value)?.value ?? "ios")
            }
          >
            {devices.map(({ text, value }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </div>
      </div>
      <div class={`phone phone-${kind}`} lang={language}>
        <p class="phone-clock">{clockOf(language, workspace.value?.timezone ?? "UTC")}</p>
        <div class="preview-push">
          <p class="preview-app">{workspace.value?.name ?? "App"}</p>
          <p class="preview-headline" dir="auto">
            {message.headline || "Headline"}
          </p>
          <p class={`preview-body preview-lines-${device?.lines ?? 4}`} dir="auto">
            {message.body || "Body"}
          </p>
        </div>
        <p class="preview-step">Opened in the app</p>
        <Opened message={message} picture={picture} />
      </div>
      <p class="hint">Every device gets the text as you write it, whatever its language.</p>
    </section>
  );
};

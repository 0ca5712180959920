/** "Phone preview": a notification as a device shows it, while it is written. */
import { useEffect, useId, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import type { MediaFile, Preview } from "../data/Resources.ts";
import { serverNow } from "../data/ServerTime.ts";
import { CheckField, Select } from "../parts/form/Fields.tsx";
import { mediaSource } from "../parts/MediaSource.ts";
import { workspace } from "../session/Scope.ts";
import { languageName, languagesOf, translationFor } from "./Languages.ts";
import { choicesOf, type contentDraftOf, type MessageValues } from "./NotificationForm.ts";
import { type OpenedContent, OpenedMessage } from "./OpenedMessage.tsx";
import { isTyped, type PushValues, setOptions } from "./PushForm.ts";
import type { TranslationValues } from "./TranslationForm.ts";
import type { VariantValues } from "./VariantForm.ts";

const devices = [
  { value: "ios", text: "iPhone", lines: 4, shown: [40, 178] },
  { value: "android", text: "Android phone", lines: 2, shown: [50, 90] },
  { value: "web", text: "Web browser", lines: 2, shown: [50, 120] },
] as const;
type DeviceKind = (typeof devices)[number]["value"];

const clockOf = (language: string, timeZone: string): string =>
  new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", timeZone }).format(serverNow());

const pauseMillis = 400;

/** The texts as the server fills them in; null while they are not known, and without a template. */
const useFilled = (message: MessageValues, content: OpenedContent, locale: string): Filled | null => {
  const [filled, setFilled] = useState<Filled | null>(null);
  const isTemplate = message.template === "liquid";
  const { address, body, button, headline } = content;
  const draft = JSON.stringify({
    headline,
    body,
    template: "liquid",
    cta_label: button.trim() || null,
    cta_url: address.trim() || null,
  });
  useEffect(() => {
    if (!isTemplate) return;
    const abort = new AbortController();
    const { signal } = abort;
    const fill = async (): Promise<void> => {
      const notification = JSON.parse(draft) as ReturnType<typeof contentDraftOf>;
      const { data } = await send(platform.previews.preview({ notification, locale }, {}, { signal }));
      if (!signal.aborted) setFilled(data.message);
    };
    const timer = setTimeout(() => void fill().catch(() => !signal.aborted && setFilled(null)), pauseMillis);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [isTemplate, draft, locale]);
  return isTemplate ? filled : null;
};
type Filled = Pick<NonNullable<Preview["message"]>, "headline" | "body" | "cta_label" | "cta_url">;

const withFilled = (content: OpenedContent, filled: Filled | null): OpenedContent =>
  filled === null
    ? content
    : {
        ...content,
        headline: filled.headline,
        body: filled.body,
        button: filled.cta_label ?? "",
        address: filled.cta_url ?? "",
      };

/** How many characters a text has, and how many of them the push shows before it is opened. */
const countText = (name: string, text: string, max: number): string => {
  const count = text.match(/./gsu)?.length ?? 0;
  return `${name} ${count} of about ${max} characters${count > max ? ": its end is cut in the push" : ""}.`;
};

/** The content that a device shows: each part comes from the first that has it (contract Z1). */
const contentOf = (
  message: MessageValues,
  variant: VariantValues | undefined,
  language: string,
  picture: MediaFile | undefined,
): OpenedContent => {
  const translation = translationFor(message.translations, language);
  const sources = [variant && translationFor(variant.translations, language), variant, translation, message];
  const pick = (name: "headline" | "body" | "cta_label" | "cta_url"): string =>
    sources.map((source) => source?.[name] ?? "").find((text) => text.trim() !== "") ?? "";
  const or = (text: string | undefined, own: string) => (text?.trim() ? text : own);
  return {
    headline: pick("headline") || "Headline",
    body: pick("body") || "Body",
    button: pick("cta_label"),
    address: pick("cta_url"),
    picture:
      picture === undefined || message.type === "survey"
        ? null
        : { source: mediaSource(picture.thumbnail_url), name: picture.name },
    questions: (message.type === "survey" ? message.questions : []).map((question, index) => {
      const other = translation?.questions[index];
      const choices = other?.choices.split("\n") ?? [];
      return {
        text: or(other?.question_text, question.question_text) || "Question",
        choices: choicesOf(question).map((choice, at) => or(choices[at], choice)),
      };
    }),
  };
};

const hintOf = ({ template, translations }: MessageValues, translation: TranslationValues | undefined) => {
  const isTemplate =
    template === "liquid" ? " It is filled in for a device of which only the language is known." : "";
  if (translation !== undefined) return `The translation “${translation.tag.trim()}”.${isTemplate}`;
  return translations.length === 0
    ? `Every device gets the text as you write it, whatever its language.${isTemplate}`
    : `There is no translation for this language: it gets the text as you write it.${isTemplate}`;
};

/** The push as the system shows it: Android shows no actions, an iPhone those of a category. */
const PushCard = ({
  content,
  kind,
  lines,
  push,
}: {
  readonly content: OpenedContent;
  readonly kind: DeviceKind;
  readonly lines: number;
  readonly push: PushValues;
}) => {
  if (push.silent)
    return <p class="hint">It shows nothing: the app is woken, and the inbox does not have it.</p>;
  const hasActions = kind === "web" || (kind === "ios" && push.category.trim() !== "");
  return (
    <div class="preview-push">
      <p class="preview-app">
        {workspace.value?.name ?? "App"}
        {push.badge.trim() !== "" && (
          <span class="preview-badge" title="Badge">
            {push.badge}
          </span>
        )}
      </p>
      <p class="preview-headline" dir="auto">
        {content.headline}
      </p>
      <p class={`preview-body preview-lines-${lines}`} dir="auto">
        {content.body}
      </p>
      {hasActions && push.actions.some(isTyped) && (
        <p class="preview-actions">
          {push.actions.filter(isTyped).map(({ title }, index) => (
            <span key={index}>{title || "Action"}</span>
          ))}
        </p>
      )}
    </div>
  );
};

/** How phones are shown. */
export interface PhoneSettings {
  readonly language: string;
  readonly kind: DeviceKind;
  readonly isDark: boolean;
}

/** The settings of the phones of an editor, and their change. */
export const usePhones = () =>
  useState<PhoneSettings>({ language: "en", kind: "ios", isDark: false }) as readonly [
    PhoneSettings,
    (next: PhoneSettings) => void,
  ];

interface PhoneProps {
  readonly message: MessageValues;
  readonly picture: MediaFile | undefined;
  readonly settings: PhoneSettings;
  /** The variant that it gets; the notification itself if left out. */
  readonly variant?: VariantValues;
}

/** A notification on a lock screen, and opened in the app. */
export const Phone = ({ message, picture, settings: { isDark, kind, language }, variant }: PhoneProps) => {
  const { lines = 4, shown: [headlineMax, bodyMax] = [0, 0] } =
    devices.find(({ value }) => value === kind) ?? {};
  const own = contentOf(message, variant, language, picture);
  const content = withFilled(own, useFilled(message, own, language));
  const push = variant === undefined || setOptions(variant.push).length === 0 ? message.push : variant.push;
  return (
    <>
      <div class={`phone phone-${kind}${isDark ? " phone-dark" : ""}`} lang={language}>
        <p class="phone-clock">{clockOf(language, workspace.value?.timezone ?? "UTC")}</p>
        <PushCard content={content} kind={kind} lines={lines} push={push} />
        <p class="preview-step">Opened in the app</p>
        <OpenedMessage content={content} />
      </div>
      <p class="hint">
        {countText("Headline", content.headline, headlineMax)} {countText("Body", content.body, bodyMax)}
      </p>
    </>
  );
};

/** The phone of the notification itself, with the settings of all phones. */
export const PhonePreview = ({
  message,
  onSettings,
  picture,
  settings,
}: Omit<PhoneProps, "variant"> & { readonly onSettings: (settings: PhoneSettings) => void }) => {
  const id = useId();
  const { isDark, kind, language } = settings;
  return (
    <section class="preview" aria-label="Phone preview">
      <div class="preview-settings">
        <div class="field">
          <label for={`${id}-language`}>Language</label>
          <Select
            id={`${id}-language`}
            value={language}
            choices={languagesOf(message.translations).map((value) => ({ value, text: languageName(value) }))}
            onValue={(chosen) => onSettings({ ...settings, language: chosen })}
          />
        </div>
        <div class="field">
          <label for={`${id}-device`}>Device</label>
          <Select
            id={`${id}-device`}
            value={kind}
            choices={devices}
            onValue={(chosen) =>
              onSettings({ ...settings, kind: devices.find(({ value }) => value === chosen)?.value ?? "ios" })
            }
          />
        </div>
      </div>
      <CheckField
        label="Dark"
        isChecked={isDark}
        onValue={(isChosen) => onSettings({ ...settings, isDark: isChosen })}
      />
      <Phone message={message} picture={picture} settings={settings} />
      <p class="hint">{hintOf(message, translationFor(message.translations, language))}</p>
    </section>
  );
};

/** Changes of a notification: those of somebody else, and those that are not saved yet. */
import { plainName } from "../data/PlainWords.ts";
import type { FormModel } from "../parts/form/Form.tsx";
import { VersionConflict } from "../parts/form/VersionConflict.tsx";
import type { MessageValues } from "./NotificationForm.ts";
import { setOptions } from "./PushForm.ts";

/** The fields of a notification with their names. */
export const messageLabels = [
  ["name", "Name"],
  ["type", "Type"],
  ["headline", "Headline"],
  ["body", "Body"],
  ["media_asset_id", "Picture"],
  ["cta_label", "Button label"],
  ["cta_url", "Button address"],
  ["trigger_type", "Trigger"],
  ["send_at", "Send at"],
  ["late", "Time zone"],
  ["minutes", "Minutes inside"],
  ["max_silence_minutes", "Silent minutes"],
  ["event", "Event"],
  ["where", "Event: properties"],
  ["delay_minutes", "Event: minutes later"],
  ["unless_event", "Event: unless"],
  ["starts_at", "Window: starts at"],
  ["ends_at", "Window: ends at"],
  ["questions", "Questions"],
  ["template", "Template"],
  ["translations", "Translations"],
  ["push", "Push options"],
  ["variants", "Variants"],
] as const;

const pushText = (push: MessageValues["push"]): string =>
  setOptions(push)
    .map(([name, option]) => `${plainName(name)}: ${textOf(option)}`)
    .join(", ");

const textOf = (option: unknown): string => {
  if (option === true) return "yes";
  if (typeof option === "string" || typeof option === "number") return String(option);
  return Object.values(option ?? {})
    .map(textOf)
    .filter(Boolean)
    .join(" ");
};

/** The value of a field as a text. */
export const shownMessageValue = (value: MessageValues[(typeof messageLabels)[number][0]]): string => {
  if (typeof value !== "object" || value === null) return value ?? "";
  if ("conditions" in value) return value.conditions.map((each) => Object.values(each).join(" ")).join("; ");
  if ("silent" in value) return pushText(value);
  const parts = value.map((part) => {
    if ("key" in part)
      return [`${part.key} (${part.weight} %)`, part.headline, part.body].filter(Boolean).join(" ");
    return "tag" in part ? `${part.tag}: ${part.headline} ${part.body}` : part.question_text;
  });
  return parts.join("; ");
};

/** A notification that somebody else changed, merged by field. */
export const MessageConflict = ({
  form,
  saved,
}: {
  readonly form: FormModel<MessageValues>;
  readonly saved: MessageValues | null;
}) => (
  <VersionConflict
    form={form}
    saved={saved}
    noun="notification"
    labels={messageLabels}
    show={shownMessageValue}
  />
);

/** The fields of the editor of a notification. */
import type { Campaign, MediaFile } from "../data/Resources.ts";
import { FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import type { FormModel } from "../parts/form/Form.tsx";
import { formatDay } from "../parts/DisplayFormats.ts";
import { wallTimeAt } from "../parts/WallClock.ts";
import type { MessageValues } from "./NotificationForm.ts";
import { newQuestion } from "./NotificationForm.ts";
import { PictureField } from "./PictureField.tsx";
import { PushFields } from "./PushFields.tsx";
import { QuestionFields } from "./QuestionFields.tsx";
import { TemplateFields } from "./TemplateFields.tsx";
import { TranslationFields } from "./TranslationFields.tsx";

interface FieldsProps {
  readonly form: FormModel<MessageValues>;
  readonly campaign: Campaign;
}

const types = [
  { value: "message", text: "Message" },
  { value: "survey", text: "Survey" },
];
const geoTriggers = [
  { value: "on_enter", text: "Entering a location" },
  { value: "on_exit", text: "Leaving a location" },
  { value: "on_dwell", text: "Being inside for some minutes" },
] as const;
const pushTriggers = [{ value: "fixed_time", text: "At a fixed time" }] as const;

const triggerChoices = {
  geo: geoTriggers,
  push: pushTriggers,
  event: [{ value: "on_event", text: "An event of the app" }],
} as const;

const zoneChoices = [
  { value: "", text: "The campaign's time zone" },
  { value: "skip", text: "Each device's own, not where it has passed" },
  { value: "send", text: "Each device's own, at once where it has passed" },
] as const;

const Trigger = ({ campaign, form }: FieldsProps) => {
  const { trigger_type: trigger } = form.values.value;
  const { starts_at: day, timezone, type } = campaign;
  return (
    <>
      <SelectField {...form.field("trigger_type")} label="Trigger" choices={triggerChoices[type]} />
      {trigger === "on_event" && (
        <FieldGroup label="Event" hint="It fires when an app or a server reports the event.">
          <TextField
            {...form.field("event", "trigger_config.event")}
            label="Name"
            placeholder="order.placed"
          />
          <TextField
            {...form.field("delay_minutes", "trigger_config.delay_minutes")}
            label="After so many minutes"
            placeholder="At once"
          />
          <TextField
            {...form.field("unless_event", "trigger_config.unless_event")}
            label="Unless this event comes meanwhile"
            placeholder="None"
          />
        </FieldGroup>
      )}
      {trigger === "on_dwell" && (
        <FieldGroup label="Minutes inside" hint="It fires once for each visit that lasts so long.">
          <TextField
            {...form.field("minutes", "trigger_config.minutes")}
            label="Minutes"
            placeholder="1 to 1440"
          />
          <TextField
            {...form.field("max_silence_minutes", "trigger_config.max_silence_minutes")}
            label="Not after so many silent minutes"
            placeholder="No limit"
          />
        </FieldGroup>
      )}
      {type === "push" && (
        <SelectField {...form.field("late", "trigger_config.late")} label="Time zone" choices={zoneChoices} />
      )}
      {type === "push" ? (
        <TextField
          {...form.field("send_at", "trigger_config.send_at")}
          label="Send at"
          placeholder="HH:MM"
          hint={`On ${formatDay(wallTimeAt(day, timezone).slice(0, 10))}, its day, in ${timezone}.`}
        />
      ) : (
        <FieldGroup
          label="Window"
          hint={`Only within these times, in ${timezone}. Empty: as long as the campaign.`}
        >
          <TextField {...form.field("starts_at")} label="Starts at" placeholder="YYYY-MM-DD HH:MM" />
          <TextField {...form.field("ends_at")} label="Ends at" placeholder="YYYY-MM-DD HH:MM" />
        </FieldGroup>
      )}
    </>
  );
};

const withoutQuestion = ({ questions, translations }: MessageValues, index: number) => ({
  questions: questions.filter((_, at) => at !== index),
  translations: translations.map((translation) => ({
    ...translation,
    questions: translation.questions.filter((_, at) => at !== index),
  })),
});

/** All fields of a notification. */
export const NotificationFields = ({
  campaign,
  form,
  pictures,
}: FieldsProps & { readonly pictures: ReadonlyArray<MediaFile> }) => {
  const values = form.values.value;
  const isSurvey = values.type === "survey";
  return (
    <>
      <TextField {...form.field("name")} label="Name" hint="For you. People do not see it." />
      <SelectField
        name="type"
        label="Type"
        choices={types}
        value={values.type}
        onValue={(value) =>
          form.set(
            value === "survey"
              ? {
                  type: "survey",
                  questions: values.questions.length === 0 ? [newQuestion] : values.questions,
                }
              : { type: "message" },
          )
        }
      />
      <TextField {...form.field("headline")} label="Headline" />
      <TextField {...form.field("body")} label="Body" rows={4} />
      {!isSurvey && (
        <PictureField
          value={values.media_asset_id}
          pictures={pictures}
          onValue={(id) => form.set({ media_asset_id: id })}
        />
      )}
      <div class="field-pair">
        <TextField
          {...form.field("cta_label")}
          label="Button label"
          hint="Optional, together with an address."
        />
        <TextField
          {...form.field("cta_url")}
          label="Button address"
          hint="A web page that answers, or a deep link of your app."
        />
      </div>
      <Trigger campaign={campaign} form={form} />
      {isSurvey && (
        <QuestionFields
          questions={values.questions}
          onQuestions={(questions) => form.set({ questions })}
          onRemove={(index) => form.set(withoutQuestion(values, index))}
        />
      )}
      <TemplateFields
        isTemplate={values.template === "liquid"}
        onTemplate={(isTemplate) => form.set({ template: isTemplate ? "liquid" : "" })}
      />
      <TranslationFields form={form} />
      <PushFields form={form} />
    </>
  );
};

/** The fields of the editor of a notification. */
import type { Campaign, MediaFile } from "../data/Resources.ts";
import { FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import type { FormModel } from "../parts/form/Form.tsx";
import { wallTimeAt } from "../parts/WallClock.ts";
import type { MessageValues } from "./NotificationForm.ts";
import { newQuestion } from "./NotificationForm.ts";
import { PictureField } from "./PictureField.tsx";
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

const zoneChoices = [
  { value: "", text: "The campaign's time zone" },
  { value: "skip", text: "Each device's own, not where it has passed" },
  { value: "send", text: "Each device's own, at once where it has passed" },
] as const;

const Trigger = ({ campaign, form }: FieldsProps) => {
  const { ends_at: end, send_at: sendAt, starts_at: start, trigger_type: trigger } = form.values.value;
  const { late, max_silence_minutes: maxSilence, minutes } = form.values.value;
  const { starts_at: day, timezone, type } = campaign;
  const choices = type === "geo" ? geoTriggers : pushTriggers;
  return (
    <>
      <SelectField
        name="trigger_type"
        label="Trigger"
        choices={choices}
        value={trigger}
        onValue={(value) =>
          form.set({ trigger_type: choices.find((each) => each.value === value)?.value ?? trigger })
        }
      />
      {trigger === "on_dwell" && (
        <FieldGroup label="Minutes inside" hint="It fires once for each visit that lasts so long.">
          <TextField
            name="trigger_config.minutes"
            label="Minutes"
            placeholder="1 to 1440"
            value={minutes}
            onValue={(value) => form.set({ minutes: value })}
          />
          <TextField
            name="trigger_config.max_silence_minutes"
            label="Not after so many silent minutes"
            placeholder="No limit"
            value={maxSilence}
            onValue={(value) => form.set({ max_silence_minutes: value })}
          />
        </FieldGroup>
      )}
      {type === "push" && (
        <SelectField
          name="trigger_config.late"
          label="Time zone"
          choices={zoneChoices}
          value={late}
          onValue={(value) =>
            form.set({ late: zoneChoices.find((each) => each.value === value)?.value ?? "" })
          }
        />
      )}
      {type === "push" ? (
        <TextField
          name="trigger_config.send_at"
          label="Send at"
          placeholder="HH:MM"
          hint={`On ${wallTimeAt(day, timezone).slice(0, 10)}, the day of the campaign, in ${timezone}.`}
          value={sendAt}
          onValue={(value) => form.set({ send_at: value })}
        />
      ) : (
        <FieldGroup
          label="Window"
          hint={`Only within these times, in ${timezone}. Empty: as long as the campaign.`}
        >
          <TextField
            name="starts_at"
            label="Starts at"
            placeholder="YYYY-MM-DD HH:MM"
            value={start}
            onValue={(value) => form.set({ starts_at: value })}
          />
          <TextField
            name="ends_at"
            label="Ends at"
            placeholder="YYYY-MM-DD HH:MM"
            value={end}
            onValue={(value) => form.set({ ends_at: value })}
          />
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
      <TextField
        name="name"
        label="Name"
        hint="For you. People do not see it."
        value={values.name}
        onValue={(name) => form.set({ name })}
      />
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
      <TextField
        name="headline"
        label="Headline"
        value={values.headline}
        onValue={(headline) => form.set({ headline })}
      />
      <TextField
        name="body"
        label="Body"
        rows={4}
        value={values.body}
        onValue={(body) => form.set({ body })}
      />
      {!isSurvey && (
        <PictureField
          value={values.media_asset_id}
          pictures={pictures}
          onValue={(id) => form.set({ media_asset_id: id })}
        />
      )}
      <div class="field-pair">
        <TextField
          name="cta_label"
          label="Button label"
          hint="Optional, together with an address."
          value={values.cta_label}
          onValue={(label) => form.set({ cta_label: label })}
        />
        <TextField
          name="cta_url"
          label="Button address"
          hint="A web page that answers, or a deep link of your app."
          value={values.cta_url}
          onValue={(url) => form.set({ cta_url: url })}
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
    </>
  );
};

/** The fields of the words of a notification: what people see. */
import type { MediaFile } from "../data/Resources.ts";
import { SelectField, TextField } from "../parts/form/Fields.tsx";
import type { FormModel } from "../parts/form/Form.tsx";
import { PushFields, QuestionFields, TranslationFields } from "./EditorSections.tsx";
import type { MessageValues } from "./NotificationForm.ts";
import { newQuestion } from "./NotificationForm.ts";
import { PictureField } from "./PictureField.tsx";

import { TemplateFields } from "./TemplateFields.tsx";

const types = [
  { value: "message", text: "Message" },
  { value: "survey", text: "Survey" },
];
const withoutQuestion = ({ questions, translations }: MessageValues, index: number) => ({
  questions: questions.filter((_, at) => at !== index),
  translations: translations.map((translation) => ({
    ...translation,
    questions: translation.questions.filter((_, at) => at !== index),
  })),
});

/** The type and the texts, the picture, translations and push options. */
export const MessageFields = ({
  form,
  pictures,
  typeLabel,
}: {
  readonly form: FormModel<MessageValues>;
  readonly pictures: ReadonlyArray<MediaFile>;
  readonly typeLabel: string;
}) => {
  const values = form.values.value;
  const isSurvey = values.type === "survey";
  return (
    <>
      <SelectField
        name="type"
        label={typeLabel}
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
      <TemplateFields
        isTemplate={values.template === "liquid"}
        onTemplate={(isTemplate) => form.set({ template: isTemplate ? "liquid" : "" })}
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
      {isSurvey && (
        <QuestionFields
          questions={values.questions}
          onQuestions={(questions) => form.set({ questions })}
          onRemove={(index) => form.set(withoutQuestion(values, index))}
        />
      )}
      <div class="translations">
        <h2 class="translations-heading">Translations</h2>
        <p class="hint">A device gets the one for its language. What is left empty is as written above.</p>
        <TranslationFields
          form={form}
          questions={isSurvey ? values.questions : []}
          translations={values.translations}
          onTranslations={(translations) => form.set({ translations })}
        />
      </div>
      <PushFields form={form} push={values.push} onPush={(push) => form.set({ push })} />
    </>
  );
};

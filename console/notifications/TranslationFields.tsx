/** The texts of a notification in other languages. */
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import { TextField } from "../parts/form/Fields.tsx";
import { WholeProblems } from "../parts/form/FieldProblems.tsx";
import { fieldsOf } from "../parts/form/BoundField.ts";
import type { FormModel } from "../parts/form/Form.tsx";
import { LanguageField } from "./LanguageField.tsx";
import { languageName } from "./Languages.ts";
import { hasChoices, type MessageValues, type QuestionValues } from "./NotificationForm.ts";
import {
  maxTranslations,
  newTranslation,
  translationName,
  type TranslatedQuestionValues,
  type TranslationValues,
  untranslated,
} from "./TranslationForm.ts";

interface GroupProps {
  /** The beginning of the API's names, and the key of the variant whose texts they are; empty for none. */
  readonly within: string;
  readonly of: string;
  readonly index: number;
  readonly translation: TranslationValues;
  /** The questions of the survey; none of a message. */
  readonly questions: ReadonlyArray<QuestionValues>;
  readonly isFocused: boolean;
  readonly onChange: (changes: Partial<TranslationValues>) => void;
  readonly onRemove: () => void;
}

const QuestionTexts = ({
  field,
  label,
  question,
}: {
  readonly field: ReturnType<typeof fieldsOf<TranslatedQuestionValues>>;
  readonly label: (text: string) => string;
  readonly question: QuestionValues;
}) => (
  <>
    <TextField {...field("question_text")} label={label("Question")} placeholder={question.question_text} />
    {hasChoices(question.type) && (
      <TextField
        {...field("choices")}
        label={label("Choices")}
        hint="In the order of the question. An empty line keeps a choice as it is."
        placeholder={question.choices}
        rows={4}
      />
    )}
  </>
);

const TranslationGroup = ({
  index,
  isFocused,
  of,
  onChange,
  onRemove,
  questions,
  translation,
  within,
}: GroupProps) => {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFocused) region.current?.querySelector("input")?.focus();
  }, []);
  const name = within + translationName(translation);
  const tag = translation.tag.trim();
  const mark = (tag === "" ? `translation ${index + 1}` : tag) + of;
  const text = fieldsOf(translation, onChange, `${name}.`);
  const field = (key: "headline" | "body" | "cta_label" | "cta_url", label: string, rows = 1) => (
    <TextField {...text(key)} label={`${label} (${mark})`} rows={rows} />
  );
  const questionTexts = (index: number) => translation.questions[index] ?? untranslated;
  const changeQuestion = (index: number, changes: Partial<TranslatedQuestionValues>) =>
    onChange({
      questions: questions.map((_, at) => ({ ...questionTexts(at), ...(at === index ? changes : {}) })),
    });
  return (
    <fieldset class="field-group">
      <legend>
        Translation {index + 1}
        {tag !== "" && languageName(tag) !== tag && `: ${languageName(tag)}`}
      </legend>
      <div ref={region}>
        <LanguageField
          name={name}
          label={`Language of translation ${index + 1}${of}`}
          hint="Devices in a language of a region, such as Dutch of Belgium, get Dutch unless it has its own."
          value={translation.tag}
          onValue={(changed) => onChange({ tag: changed })}
        />
      </div>
      {field("headline", "Headline")}
      {field("body", "Body", 3)}
      <div class="field-pair">
        {field("cta_label", "Button label")}
        {field("cta_url", "Button address")}
      </div>
      {questions.map((question, at) => (
        <QuestionTexts
          key={at}
          label={(noun) => `${noun} ${at + 1} (${mark})`}
          question={question}
          field={fieldsOf(
            questionTexts(at),
            (changes) => changeQuestion(at, changes),
            `${name}.questions.${at}.`,
          )}
        />
      ))}
      <div class="actions">
        <Button label={`Remove the translation ${mark}`} onPress={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
};

interface FieldsProps {
  readonly form: FormModel<MessageValues>;
  readonly translations: ReadonlyArray<TranslationValues>;
  /** The questions of a survey. */
  readonly questions: ReadonlyArray<QuestionValues>;
  /** The beginning of the API's names, of a variant; empty for the notification itself. */
  readonly within?: string;
  /** The addition to names of fields, of a variant. */
  readonly of?: string;
  readonly onTranslations: (translations: ReadonlyArray<TranslationValues>) => void;
}

/** All translations, and "Add translation". */
export const TranslationFields = ({
  form,
  of = "",
  onTranslations,
  questions,
  translations,
  within = "",
}: FieldsProps) => {
  const isAdded = useRef(false);
  const change = (index: number, changes: Partial<TranslationValues>): void => {
    const before = translations[index];
    if (changes.tag !== undefined && before !== undefined) {
      // The problems of another language are not those of this one.
      const kept = Object.entries(form.problems.value).filter(
        ([name]) => !`${name}.`.startsWith(`${within}${translationName(before)}.`),
      );
      form.problems.value = Object.fromEntries(kept);
    }
    onTranslations(translations.map((each, at) => (at === index ? { ...each, ...changes } : each)));
  };
  return (
    <>
      <WholeProblems name={`${within}translations`} />
      {translations.map((translation, index) => (
        <TranslationGroup
          key={index}
          index={index}
          of={of}
          within={within}
          translation={translation}
          questions={questions}
          isFocused={isAdded.current && index === translations.length - 1}
          onChange={(changes) => change(index, changes)}
          onRemove={() => onTranslations(translations.filter((_, at) => at !== index))}
        />
      ))}
      {translations.length < maxTranslations && (
        <Button
          label={`Add translation${of}`}
          onPress={() => {
            isAdded.current = true;
            onTranslations([...translations, newTranslation]);
          }}
        >
          Add translation
        </Button>
      )}
    </>
  );
};

/** The questions of a survey. */
import { useId } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import { CheckField, SelectField, TextField } from "../parts/form/Fields.tsx";
import { fieldsOf } from "../parts/form/BoundField.ts";
import { useFieldProblems } from "../parts/form/Form.tsx";
import { hasChoices, newQuestion, type QuestionValues } from "./NotificationForm.ts";

const maxQuestions = 5;

const answers: ReadonlyArray<{ readonly value: QuestionValues["type"]; readonly text: string }> = [
  { value: "RATING", text: "Rating, 1 to 5" },
  { value: "SINGLE_CHOICE", text: "One choice" },
  { value: "MULTIPLE_CHOICE", text: "Several choices" },
  { value: "BOOLEAN", text: "Yes or no" },
  { value: "OPEN_ENDED", text: "Free text" },
  { value: "NUMBER", text: "Number" },
  { value: "SLIDER", text: "Slider, 0 to 100" },
];

interface QuestionFieldsProps {
  readonly questions: ReadonlyArray<QuestionValues>;
  readonly onQuestions: (questions: ReadonlyArray<QuestionValues>) => void;
  /** Removes a question, also from translations. */
  readonly onRemove: (index: number) => void;
}

const QuestionGroup = ({
  index,
  onChange,
  onRemove,
  question,
}: {
  readonly question: QuestionValues;
  readonly index: number;
  readonly onChange: (changes: Partial<QuestionValues>) => void;
  readonly onRemove: () => void;
}) => {
  const field = fieldsOf(question, onChange, `questions.${index}.`);
  return (
    <fieldset class="field-group">
      <legend>Question {index + 1}</legend>
      <TextField {...field("question_text")} label="Question" />
      <SelectField {...field("type")} label="Answer" choices={answers} />
      {hasChoices(question.type) && (
        <TextField
          {...field("choices")}
          label="Choices"
          hint="Two to four, each on a line of its own."
          rows={4}
        />
      )}
      <CheckField
        label="An answer is required"
        isChecked={question.required}
        onValue={(required) => onChange({ required })}
      />
      <div class="actions">
        <Button label={`Remove question ${index + 1}`} onPress={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
};

/** "Add question", with what is wrong with the number of questions. */
const AddQuestion = ({ onAdd }: { readonly onAdd: () => void }) => {
  const id = useId();
  const problems = useFieldProblems("questions");
  return (
    <div class={problems.length === 0 ? undefined : "field-invalid"}>
      {problems.length > 0 && (
        <p class="problem" id={id}>
          {problems.join(" ")}
        </p>
      )}
      <button
        type="button"
        class="button button-secondary"
        aria-invalid={problems.length === 0 ? undefined : "true"}
        aria-describedby={problems.length === 0 ? undefined : id}
        onClick={onAdd}
      >
        Add question
      </button>
    </div>
  );
};

/** All questions, up to five. */
export const QuestionFields = ({ onQuestions, onRemove, questions }: QuestionFieldsProps) => (
  <>
    {questions.map((question, index) => (
      <QuestionGroup
        key={index}
        index={index}
        question={question}
        onChange={(changes) =>
          onQuestions(questions.map((each, at) => (at === index ? { ...each, ...changes } : each)))
        }
        onRemove={() => onRemove(index)}
      />
    ))}
    {questions.length < maxQuestions && (
      <AddQuestion onAdd={() => onQuestions([...questions, newQuestion])} />
    )}
  </>
);

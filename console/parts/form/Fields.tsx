/** Fields of forms: a label, the control, a hint, and the API's sentences about the value. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useFieldProblems } from "./Form.tsx";
import { FieldProblems } from "./FieldProblems.tsx";

/** Properties of all fields. `name` is the API's field name, dotted if it is nested. */
export interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
}

/** The attributes that connect a control with its label, its hint and its problems. */
export interface ControlAttributes {
  readonly id: string;
  readonly "aria-invalid": "true" | undefined;
  readonly "aria-describedby": string | undefined;
}

/** A field around any control, which gets the attributes. */
export const Field = ({
  children,
  hint,
  label,
  name,
}: FieldProps & { readonly children: (attributes: ControlAttributes) => ComponentChildren }) => {
  const id = useId();
  const problems = useFieldProblems(name);
  const isInvalid = problems.length > 0;
  const described = [...(hint === undefined ? [] : [`${id}-hint`]), ...(isInvalid ? [`${id}-problem`] : [])];
  return (
    <div class={`field${isInvalid ? " field-invalid" : ""}`}>
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        "aria-invalid": isInvalid ? "true" : undefined,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
      })}
      <FieldProblems id={`${id}-problem`} sentences={problems} />
    </div>
  );
};

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: "text" | "password" | "url" | "search" | "date" | "time" | "datetime-local" | "email";
  readonly inputMode?: "numeric" | "decimal";
  readonly autoComplete?: string;
  readonly placeholder?: string;
  /** More than one makes a field of several lines. */
  readonly rows?: number;
}

/** A text. It has no `maxlength`: the API says what is too long, and nothing that was typed is cut. */
export const TextField = ({
  autoComplete = "off",
  inputMode,
  onValue,
  placeholder,
  rows = 1,
  type = "text",
  value,
  ...field
}: TextFieldProps) => (
  <Field {...field}>
    {(attributes) => {
      const common = { ...attributes, value, placeholder, autoComplete };
      // The attributes of an input depend on its type, which is a value here.
      const typed = { type, inputMode } as { readonly type: "text" };
      return rows > 1 ? (
        <textarea {...common} rows={rows} onInput={(event) => onValue(event.currentTarget.value)} />
      ) : (
        <input {...common} {...typed} onInput={(event) => onValue(event.currentTarget.value)} />
      );
    }}
  </Field>
);

/** A choice of a select or of radio buttons. */
export interface Choice {
  readonly value: string;
  readonly text: string;
}

interface SelectProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly choices: ReadonlyArray<Choice>;
}

/** The control of a few choices. */
export const Select = ({ choices, onValue, ...attributes }: SelectProps & Partial<ControlAttributes>) => (
  <select {...attributes} onChange={(event) => onValue(event.currentTarget.value)}>
    {choices.map(({ text, value }) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </select>
);

/** One of a few values, as a combobox. */
export const SelectField = ({ choices, onValue, value, ...field }: SelectProps & FieldProps) => (
  <Field {...field}>
    {(attributes) => <Select {...attributes} choices={choices} value={value} onValue={onValue} />}
  </Field>
);

/** Yes or no. */
export const CheckField = ({
  isChecked,
  label,
  onValue,
}: {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onValue: (isChecked: boolean) => void;
}) => (
  <label class="check">
    <input type="checkbox" checked={isChecked} onChange={(event) => onValue(event.currentTarget.checked)} />
    <span>{label}</span>
  </label>
);

/** Fields that belong together, under a name. */
export const FieldGroup = ({
  children,
  hint,
  label,
}: {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <fieldset class="field-group">
    <legend>{label}</legend>
    {hint !== undefined && <p class="hint">{hint}</p>}
    <div class="field-row">{children}</div>
  </fieldset>
);

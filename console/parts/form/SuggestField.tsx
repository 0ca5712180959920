/** A text with suggestions below it: a known one, or any other. */
import { Combobox } from "../Combobox.tsx";
import { Field, type FieldProps } from "./Fields.tsx";

interface SuggestProps extends FieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly known: ReadonlyArray<string>;
  readonly placeholder?: string;
  /** Shown for a text that is not known. */
  readonly none: string;
}

/** The field. A text that is known shows all suggestions, so that another one can be chosen. */
export const SuggestField = ({ known, none, onValue, placeholder, value, ...field }: SuggestProps) => {
  const wanted = value.trim().toLowerCase();
  const found = known.includes(value) ? known : known.filter((each) => each.toLowerCase().includes(wanted));
  return (
    <Field {...field}>
      {(control) => (
        <Combobox
          {...control}
          placeholder={placeholder ?? (known.length === 0 ? "" : "Choose or type")}
          text={value}
          onText={onValue}
          options={found.map((text) => ({ key: text, text }))}
          onChoose={({ text }) => onValue(text)}
          none={none}
          isFree
        />
      )}
    </Field>
  );
};

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { CheckField } from "./Fields.tsx";
import { useFieldProblems } from "./Form.tsx";
import { FieldProblems } from "./FieldProblems.tsx";

interface CheckGroupProps<Value extends string> {
  readonly label: string;
  /** The API's field name. */
  readonly name: string;
  readonly all: ReadonlyArray<Value>;
  readonly chosen: ReadonlyArray<Value>;
  readonly onChosen: (chosen: ReadonlyArray<Value>) => void;
  /** Stands above the checkboxes. */
  readonly children?: ComponentChildren;
}

/** Several of a few values as checkboxes, under the names of the API, with its sentences below. */
export const CheckGroup = <Value extends string>({
  all,
  children,
  chosen,
  label,
  name,
  onChosen,
}: CheckGroupProps<Value>) => {
  const id = useId();
  const problems = useFieldProblems(name);
  return (
    <fieldset class="field-group" aria-describedby={problems.length > 0 ? id : undefined}>
      <legend>{label}</legend>
      {children}
      <div class="check-group">
        {all.map((value) => (
          <CheckField
            key={value}
            label={value}
            isChecked={chosen.includes(value)}
            onValue={(isOn) => onChosen(isOn ? [...chosen, value] : chosen.filter((each) => each !== value))}
          />
        ))}
      </div>
      <FieldProblems id={id} sentences={problems} />
    </fieldset>
  );
};

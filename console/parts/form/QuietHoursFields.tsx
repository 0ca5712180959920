/** "Quiet hours": the hours of the day in which devices get no message. */
import { type Choice, FieldGroup, SelectField } from "./Fields.tsx";
import { fieldsOf } from "./BoundField.ts";
import { TimeField } from "./TimeFields.tsx";
import type { QuietValues } from "./QuietHoursForm.ts";

const actions = [
  { value: "hold", text: "Hold messages until they end" },
  { value: "drop", text: "Drop messages" },
] as const;

/** The fields of quiet hours. `others` are the choices beside holding and dropping. */
export const QuietHoursFields = ({
  hint,
  onValues,
  others,
  values,
}: {
  readonly values: QuietValues;
  readonly onValues: (changes: Partial<QuietValues>) => void;
  readonly others: ReadonlyArray<Choice & { readonly value: "" | "none" }>;
  readonly hint: string;
}) => {
  const field = fieldsOf(values, onValues, "quiet_hours.");
  const choices = [...others.slice(0, 1), ...actions, ...others.slice(1)];
  return (
    <FieldGroup label="Quiet hours" hint={hint}>
      <TimeField {...field("quiet_from", "from")} label="From" />
      <TimeField {...field("quiet_to", "to")} label="To" />
      <SelectField
        {...field("quiet_action", "action")}
        label="Action"
        choices={choices}
        onValue={(value) => {
          const chosen = choices.find((each) => each.value === value)?.value ?? "";
          // Without an action of its own there are no times to show.
          onValues(
            chosen === "none" || chosen === ""
              ? { quiet_action: chosen, quiet_from: "", quiet_to: "" }
              : { quiet_action: chosen },
          );
        }}
      />
    </FieldGroup>
  );
};

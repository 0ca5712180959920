/** "Quiet hours": the hours of the day in which devices get no message. */
import { type Choice, FieldGroup, SelectField, TextField } from "./Fields.tsx";
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
  const { quiet_action: action, quiet_from: from, quiet_to: to } = values;
  const choices = [...others.slice(0, 1), ...actions, ...others.slice(1)];
  return (
    <FieldGroup label="Quiet hours" hint={hint}>
      <TextField
        name="quiet_hours.from"
        label="From"
        placeholder="HH:MM"
        value={from}
        onValue={(value) => onValues({ quiet_from: value })}
      />
      <TextField
        name="quiet_hours.to"
        label="To"
        placeholder="HH:MM"
        value={to}
        onValue={(value) => onValues({ quiet_to: value })}
      />
      <SelectField
        name="quiet_hours.action"
        label="Action"
        choices={choices}
        value={action}
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

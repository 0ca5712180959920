/** "Push options": how push services deliver and show the notification, folded. */
import { CheckField, FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import { Folded } from "../parts/form/Folded.tsx";
import { fieldsOf } from "../parts/form/BoundField.ts";
import type { FormModel } from "../parts/form/Form.tsx";
import type { MessageValues } from "./NotificationForm.ts";
import { type ActionValues, type PushValues, setOptions } from "./PushForm.ts";

const priorities = [
  { value: "", text: "By default: high" },
  { value: "normal", text: "Normal: when it suits the device" },
  { value: "high", text: "High" },
] as const;
const levels = [
  { value: "", text: "As iOS does by itself" },
  { value: "passive", text: "Passive: only in the list" },
  { value: "active", text: "Active: sound and screen" },
  { value: "time-sensitive", text: "Time sensitive: also in a focus" },
] as const;

/** All options, those of a variant with names that begin with `within`. */
export const PushFields = ({
  form,
  of = "",
  onPush,
  push,
  within = "",
}: {
  readonly form: FormModel<MessageValues>;
  readonly push: PushValues;
  readonly within?: string;
  /** The addition to names of fields, of a variant. */
  readonly of?: string;
  readonly onPush: (push: PushValues) => void;
}) => {
  const set = (changes: Partial<PushValues>) => onPush({ ...push, ...changes });
  const field = fieldsOf(push, set, `${within}push.`);
  const actionField = (index: 0 | 1) =>
    fieldsOf<ActionValues>(
      push.actions[index],
      (changes) => {
        const changed = { ...push.actions[index], ...changes };
        set({ actions: index === 0 ? [changed, push.actions[1]] : [push.actions[0], changed] });
      },
      `${within}push.actions.${index}.`,
    );
  const count = setOptions(push).length;
  return (
    <Folded
      form={form}
      names={new RegExp(`^${within}push(?:\\.|$)`)}
      summary={`Push options${of}${count > 0 ? ` (${count} set)` : ""}`}
    >
      <CheckField
        label={`Silent: wakes the app and shows nothing${of}`}
        isChecked={push.silent}
        onValue={(silent) => set({ silent })}
      />
      {!push.silent && (
        <div class="field-pair">
          <TextField {...field("sound")} label={`Sound${of}`} hint="Name of a file in the app, or none." />
          <TextField {...field("badge")} label={`Badge${of}`} hint="The number on the app's icon." />
        </div>
      )}
      <div class="field-pair">
        <SelectField {...field("priority")} label={`Priority${of}`} choices={priorities} />
        <TextField {...field("ttl_seconds")} label={`Lifetime in seconds${of}`} placeholder="86400" />
      </div>
      <div class="field-pair">
        <TextField
          {...field("collapse_key")}
          label={`Collapse key${of}`}
          hint="It replaces an earlier push with the same key."
        />
        <TextField {...field("channel_id")} label={`Android channel${of}`} />
      </div>
      <div class="field-pair">
        <TextField
          {...field("category")}
          label={`Category${of}`}
          hint="Of iOS; on Android the tap's intent."
        />
        {!push.silent && (
          <SelectField {...field("interruption_level")} label={`Interruption on iOS${of}`} choices={levels} />
        )}
      </div>
      {!push.silent &&
        ([0, 1] as const).map((index) => (
          <FieldGroup key={index} label={`Action ${index + 1}${of}`}>
            <TextField {...actionField(index)("id")} label={`Id of action ${index + 1}${of}`} />
            <TextField {...actionField(index)("title")} label={`Title of action ${index + 1}${of}`} />
            <TextField {...actionField(index)("url")} label={`Address of action ${index + 1}${of}`} />
          </FieldGroup>
        ))}
      <TextField
        {...field("data")}
        label={`Data for the app${of}`}
        hint="One name=text on each line."
        rows={3}
      />
    </Folded>
  );
};

/** "Push options": how push services deliver and show the notification, folded. */
import { CheckField, FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import { Folded } from "../parts/form/Folded.tsx";
import { fieldsOf, type FormModel } from "../parts/form/Form.tsx";
import type { MessageValues } from "./NotificationForm.ts";
import { type ActionValues, type PushValues, sentPush } from "./PushForm.ts";

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

const countOf = (values: PushValues): number =>
  Object.values(sentPush(values) ?? {}).filter(
    (option) => option !== null && !["false", "[]", "{}"].includes(JSON.stringify(option)),
  ).length;

/** All options. */
export const PushFields = ({ form }: { readonly form: FormModel<MessageValues> }) => {
  const { push } = form.values.value;
  const set = (changes: Partial<PushValues>) => form.set({ push: { ...push, ...changes } });
  const field = fieldsOf(push, set, "push.");
  const actionField = (index: 0 | 1) =>
    fieldsOf<ActionValues>(
      push.actions[index],
      (changes) => {
        const changed = { ...push.actions[index], ...changes };
        set({ actions: index === 0 ? [changed, push.actions[1]] : [push.actions[0], changed] });
      },
      `push.actions.${index}.`,
    );
  const count = countOf(push);
  return (
    <Folded form={form} names={/^push(?:\.|$)/} summary={`Push options${count > 0 ? ` (${count} set)` : ""}`}>
      <CheckField
        label="Silent: wakes the app and shows nothing"
        isChecked={push.silent}
        onValue={(silent) => set({ silent })}
      />
      {!push.silent && (
        <div class="field-pair">
          <TextField {...field("sound")} label="Sound" hint="Name of a file in the app, or none." />
          <TextField {...field("badge")} label="Badge" hint="The number on the app's icon." />
        </div>
      )}
      <div class="field-pair">
        <SelectField {...field("priority")} label="Priority" choices={priorities} />
        <TextField {...field("ttl_seconds")} label="Lifetime in seconds" placeholder="86400" />
      </div>
      <div class="field-pair">
        <TextField
          {...field("collapse_key")}
          label="Collapse key"
          hint="It replaces an earlier push with the same key."
        />
        <TextField {...field("channel_id")} label="Android channel" />
      </div>
      <div class="field-pair">
        <TextField {...field("category")} label="Category" hint="Of iOS; on Android the tap's intent." />
        {!push.silent && (
          <SelectField {...field("interruption_level")} label="Interruption on iOS" choices={levels} />
        )}
      </div>
      {!push.silent &&
        ([0, 1] as const).map((index) => (
          <FieldGroup key={index} label={`Action ${index + 1}`}>
            <TextField {...actionField(index)("id")} label={`Id of action ${index + 1}`} />
            <TextField {...actionField(index)("title")} label={`Title of action ${index + 1}`} />
            <TextField {...actionField(index)("url")} label={`Address of action ${index + 1}`} />
          </FieldGroup>
        ))}
      <TextField {...field("data")} label="Data for the app" hint="One name=text on each line." rows={3} />
    </Folded>
  );
};

/** The fields of a notification that fires on an event. */
import { useState } from "preact/hooks";
import { FieldGroup, TextField } from "../parts/form/Fields.tsx";
import type { FormModel } from "../parts/form/Form.tsx";
import { EventNameField, WhereFields } from "../segments/EventFields.tsx";
import { typedRuleOf, whereOf } from "../segments/RuleModel.ts";
import type { MessageValues } from "./NotificationForm.ts";

/** The conditions as typed, unless the form has got others. */
const Where = ({ form }: { readonly form: FormModel<MessageValues> }) => {
  const { event, where = null } = form.values.value;
  const [typed, setTyped] = useState(() => typedRuleOf(where));
  const isCurrent = JSON.stringify(whereOf(typed)) === JSON.stringify(where);
  return (
    <WhereFields
      name="trigger_config.where"
      event={event}
      rule={isCurrent ? typed : typedRuleOf(where)}
      onRule={(rule) => {
        setTyped(rule);
        form.set({ where: whereOf(rule) });
      }}
    />
  );
};

/** Its event, the wait, and the conditions on the event's properties. */
export const EventTriggerFields = ({ form }: { readonly form: FormModel<MessageValues> }) => (
  <>
    <FieldGroup label="Event" hint="It fires when an app or a server reports the event.">
      <EventNameField
        {...form.field("event", "trigger_config.event")}
        label="Event name"
        placeholder="order.placed"
      />
      <TextField
        {...form.field("delay_minutes", "trigger_config.delay_minutes")}
        label="After so many minutes"
        placeholder="At once"
      />
      <EventNameField
        {...form.field("unless_event", "trigger_config.unless_event")}
        label="Unless this event comes meanwhile"
        placeholder="None"
      />
    </FieldGroup>
    <Where form={form} />
  </>
);

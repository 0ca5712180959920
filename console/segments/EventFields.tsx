/** Fields about custom events, with the names and the properties that were seen. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { PropertySummary } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { FieldGroup, type FieldProps, SelectField, TextField } from "../parts/form/Fields.tsx";
import { SuggestField } from "../parts/form/SuggestField.tsx";
import { may } from "../session/SessionState.ts";
import { ConditionList } from "./ConditionList.tsx";
import type { TypedEvent, TypedRule } from "./RuleModel.ts";

/** The name of an event. */
export const EventNameField = (
  field: FieldProps & {
    readonly value: string;
    readonly onValue: (value: string) => void;
    readonly placeholder?: string;
  },
) => {
  const { data } = useData(may("devices:read") ? platform.customEvents.names({ days: 1 }) : null);
  const known = (data?.data ?? []).map(({ name }) => name);
  return <SuggestField {...field} known={known} none="No such event has come yet." />;
};

/** The properties that the newest events of a name had. */
const useProperties = (name: string): ReadonlyArray<PropertySummary> => {
  const isName = may("devices:read") && /^[a-z0-9_.:-]{1,64}$/.test(name.trim());
  const { data } = useData(isName ? platform.customEvents.properties({ name: name.trim() }) : null);
  return data?.data ?? [];
};

/** Conditions on the properties of an event; none for any event of the name. */
export const WhereFields = ({
  event,
  noun = "Property",
  ...list
}: {
  readonly event: string;
  readonly name: string;
  readonly rule: TypedRule;
  readonly onRule: (rule: TypedRule) => void;
  readonly noun?: string;
}) => {
  const seen = useProperties(event);
  return (
    <ConditionList
      {...list}
      known={seen}
      noun={noun}
      isOfEvents
      hint={seen.length === 0 ? undefined : `Seen: ${seen.map(({ name }) => name).join(", ")}.`}
    />
  );
};

const happened = [
  { value: "happened", text: "happened" },
  { value: "not_happened", text: "did not happen" },
];

/** A condition on the events of people. */
export const EventConditionFields = ({
  index,
  name,
  onEvent,
  onRemove,
  value,
}: {
  readonly index: number;
  readonly name: string;
  readonly value: TypedEvent;
  readonly onEvent: (value: TypedEvent) => void;
  readonly onRemove: () => void;
}) => {
  const noun = `Event ${index + 1}`;
  return (
    <>
      <FieldGroup label={noun}>
        <EventNameField
          name={`${name}.event`}
          label="Event name"
          value={value.event}
          onValue={(event) => onEvent({ ...value, event })}
        />
        <SelectField
          name={`${name}.op`}
          label="Comparison"
          value={value.op}
          choices={happened}
          onValue={(op) => onEvent({ ...value, op: op === "happened" ? op : "not_happened" })}
        />
        <TextField
          name={`${name}.within_days`}
          label="Within days"
          inputMode="numeric"
          value={value.within_days}
          onValue={(within_days) => onEvent({ ...value, within_days })}
        />
        <Button variant="plain" label={`Remove event ${index + 1}`} onPress={onRemove}>
          Remove
        </Button>
      </FieldGroup>
      <WhereFields
        event={value.event}
        name={`${name}.where`}
        noun={`${noun}, property`}
        rule={value.where}
        onRule={(where) => onEvent({ ...value, where })}
      />
    </>
  );
};

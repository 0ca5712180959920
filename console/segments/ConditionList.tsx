/** Conditions on attributes of devices, or on properties of events, as fields. */
import { Button } from "../parts/Button.tsx";
import { type Choice, FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import { SuggestField } from "../parts/form/SuggestField.tsx";
import {
  builtInAttributes,
  type Comparison,
  comparisons,
  emptyCondition,
  isFlag,
  type KnownValues,
  typeOfAttribute,
  type TypedCondition,
  type TypedRule,
} from "./RuleModel.ts";

const platforms = ["android", "ios", "web", "other"];

const flags: ReadonlyArray<Choice> = [
  { value: "true", text: "true" },
  { value: "false", text: "false" },
];

const choiceOf = (value: string): Choice => ({ value, text: value });

/** The attributes to choose from: those that devices have, and those of every device. */
const attributeChoices = (attributes: ReadonlyArray<KnownValues>, current: string): Array<Choice> => {
  const own = attributes.map(({ name }) => name).filter((name) => !builtInAttributes.includes(name));
  const known = [...own, ...builtInAttributes];
  const missing = current === "" || known.includes(current) ? [] : [current];
  return [{ value: "", text: "Choose an attribute" }, ...[...missing, ...known].map(choiceOf)];
};

const suggestionsOf = (attribute: string, attributes: ReadonlyArray<KnownValues>): Array<string> =>
  attribute === "platform"
    ? platforms
    : (attributes.find(({ name }) => name === attribute)?.values ?? []).map(({ value }) =>
        typeof value === "string" ? value : JSON.stringify(value),
      );

interface ConditionProps {
  readonly name: string;
  readonly condition: TypedCondition;
  readonly known: ReadonlyArray<KnownValues>;
  /** Whether they are of events, whose properties may not have been seen yet. */
  readonly isOfEvents: boolean;
  readonly onChange: (condition: TypedCondition) => void;
}

/** A value: one that was seen, or any other one. */
const TypedValueField = ({ condition, isOfEvents, known, name, onChange }: ConditionProps) => {
  const { attribute, value } = condition;
  const field = {
    name: `${name}.value`,
    label: "Value",
    value,
    onValue: (next: string) => onChange({ ...condition, value: next }),
  };
  if (attribute === "registered_at" && !isOfEvents) return <TextField {...field} type="date" />;
  const none = isOfEvents ? "No event has had this value yet." : "No device has this value yet.";
  return <SuggestField {...field} known={suggestionsOf(attribute, known)} none={none} />;
};

const ValueField = (props: ConditionProps) => {
  const { condition, name, onChange } = props;
  const onValue = (value: string) => onChange({ ...condition, value });
  if (isFlag(condition))
    return (
      <SelectField
        name={`${name}.value`}
        label="Value"
        value={condition.value === "false" ? "false" : "true"}
        choices={flags}
        onValue={onValue}
      />
    );
  if (condition.op === "in")
    return (
      <TextField
        name={`${name}.value`}
        label="Value"
        hint={["One a line", ...suggestionsOf(condition.attribute, props.known)].join(", ")}
        rows={3}
        value={condition.value}
        onValue={onValue}
      />
    );
  return <TypedValueField {...props} />;
};

/** A value that was typed fits another comparison, unless that takes true and false. */
const withComparison = (condition: TypedCondition, op: Comparison): TypedCondition => {
  const next = { ...condition, op };
  if (isFlag(next)) return { ...next, value: condition.value === "false" ? "false" : "true" };
  return isFlag(condition) ? { ...next, value: "" } : next;
};

const withAttribute = (
  condition: TypedCondition,
  attribute: string,
  known: ReadonlyArray<KnownValues>,
  isOfEvents: boolean,
): TypedCondition => {
  const next = { ...condition, attribute, type: typeOfAttribute(attribute, known, isOfEvents) };
  return { ...next, value: isFlag(next) ? "true" : isFlag(condition) ? "" : condition.value };
};

const ConditionFields = (props: ConditionProps) => {
  const { condition, isOfEvents, known, name, onChange } = props;
  const field = {
    name: `${name}.attribute`,
    value: condition.attribute,
    onValue: (attribute: string) => onChange(withAttribute(condition, attribute, known, isOfEvents)),
  };
  return (
    <>
      {isOfEvents ? (
        <SuggestField
          {...field}
          label="Property"
          known={known.map((each) => each.name)}
          none="No event has had this property yet."
        />
      ) : (
        <SelectField {...field} label="Attribute" choices={attributeChoices(known, condition.attribute)} />
      )}
      <SelectField
        name={`${name}.op`}
        label="Comparison"
        value={condition.op}
        choices={comparisons}
        onValue={(op) => onChange(withComparison(condition, op as Comparison))}
      />
      <ValueField {...props} />
    </>
  );
};

const matches: ReadonlyArray<Choice> = [
  { value: "all", text: "all conditions" },
  { value: "any", text: "any condition" },
];

interface ConditionListProps {
  /** The API's field name of the rule. */
  readonly name: string;
  readonly rule: TypedRule;
  readonly known: ReadonlyArray<KnownValues>;
  readonly noun?: string;
  readonly isOfEvents?: boolean;
  readonly hint?: string | undefined;
  readonly onRule: (rule: TypedRule) => void;
}

/** How the conditions of a rule are combined, and those on values. */
export const ConditionList = ({
  hint,
  isOfEvents = false,
  known,
  name,
  noun = "Condition",
  onRule,
  rule,
}: ConditionListProps) => {
  const { conditions, onEvents = [] } = rule;
  const of = noun.toLowerCase();
  const set = (next: ReadonlyArray<TypedCondition>) => onRule({ ...rule, conditions: next });
  return (
    <>
      {conditions.length + onEvents.length > 1 && (
        <SelectField
          name={`${name}.match`}
          label={isOfEvents ? "Events that meet" : "Devices that meet"}
          value={rule.match}
          choices={matches}
          onValue={(match) => onRule({ ...rule, match: match === "any" ? "any" : "all" })}
        />
      )}
      {conditions.map((condition, index) => (
        <FieldGroup key={index} label={`${noun} ${index + 1}`} hint={hint}>
          <ConditionFields
            name={`${name}.conditions.${index}`}
            condition={condition}
            known={known}
            isOfEvents={isOfEvents}
            onChange={(next) => set(conditions.with(index, { ...next, kept: undefined }))}
          />
          {(isOfEvents || conditions.length + onEvents.length > 1) && (
            <Button
              variant="plain"
              label={`Remove ${of} ${index + 1}`}
              onPress={() => set(conditions.toSpliced(index, 1))}
            >
              Remove
            </Button>
          )}
        </FieldGroup>
      ))}
      <Button onPress={() => set([...conditions, emptyCondition])}>{`Add ${of}`}</Button>
    </>
  );
};

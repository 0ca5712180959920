/** The conditions of a rule as fields. */
import type { AttributeSummary } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { Combobox } from "../parts/Combobox.tsx";
import { type Choice, Field, FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import {
  builtInAttributes,
  type Comparison,
  comparisons,
  emptyCondition,
  eventText,
  isFlag,
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
const attributeChoices = (attributes: ReadonlyArray<AttributeSummary>, current: string): Array<Choice> => {
  const own = attributes.map(({ name }) => name).filter((name) => !builtInAttributes.includes(name));
  const known = [...own, ...builtInAttributes];
  const missing = current === "" || known.includes(current) ? [] : [current];
  return [{ value: "", text: "Choose an attribute" }, ...[...missing, ...known].map(choiceOf)];
};

const suggestionsOf = (attribute: string, attributes: ReadonlyArray<AttributeSummary>): Array<string> =>
  attribute === "platform"
    ? platforms
    : (attributes.find(({ name }) => name === attribute)?.values ?? []).map(({ value }) =>
        typeof value === "string" ? value : JSON.stringify(value),
      );

interface ConditionProps {
  readonly name: string;
  readonly condition: TypedCondition;
  readonly attributes: ReadonlyArray<AttributeSummary>;
  readonly onChange: (condition: TypedCondition) => void;
}

/** A value: one that devices have, or any other one. */
const TypedValueField = ({ attributes, condition, name, onChange }: ConditionProps) => {
  const { attribute, value } = condition;
  const choose = (next: string) => onChange({ ...condition, value: next });
  if (attribute === "registered_at")
    return <TextField name={`${name}.value`} label="Value" type="date" value={value} onValue={choose} />;
  const known = suggestionsOf(attribute, attributes);
  const found = known.filter((each) => each.toLowerCase().includes(value.trim().toLowerCase()));
  return (
    <Field name={`${name}.value`} label="Value">
      {(control) => (
        <Combobox
          {...control}
          placeholder={known.length === 0 ? "" : "Choose or type"}
          text={value}
          onText={choose}
          options={(known.includes(value) ? known : found).map((text) => ({ key: text, text }))}
          onChoose={({ text }) => choose(text)}
          none="No device has this value yet."
        />
      )}
    </Field>
  );
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
        hint={["One a line", ...suggestionsOf(condition.attribute, props.attributes)].join(", ")}
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
  attributes: ReadonlyArray<AttributeSummary>,
): TypedCondition => {
  const next = { ...condition, attribute, type: typeOfAttribute(attribute, attributes) };
  return { ...next, value: isFlag(next) ? "true" : isFlag(condition) ? "" : condition.value };
};

const ConditionFields = (props: ConditionProps) => {
  const { attributes, condition, name, onChange } = props;
  return (
    <>
      <SelectField
        name={`${name}.attribute`}
        label="Attribute"
        value={condition.attribute}
        choices={attributeChoices(attributes, condition.attribute)}
        onValue={(attribute) => onChange(withAttribute(condition, attribute, attributes))}
      />
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

/** A rule: how its conditions are combined, and the conditions. */
export const RuleFields = ({
  attributes,
  onRule,
  rule,
}: {
  readonly rule: TypedRule;
  readonly attributes: ReadonlyArray<AttributeSummary>;
  readonly onRule: (rule: TypedRule) => void;
}) => {
  const { conditions } = rule;
  const change = (index: number, condition: TypedCondition) =>
    onRule({ ...rule, conditions: conditions.with(index, condition) });
  return (
    <>
      {conditions.length > 1 && (
        <SelectField
          name="rule.match"
          label="Devices that meet"
          value={rule.match}
          choices={matches}
          onValue={(match) => onRule({ ...rule, match: match === "any" ? "any" : "all" })}
        />
      )}
      {rule.onEvents?.map((each) => (
        <p key={JSON.stringify(each)}>{`Event: ${eventText(each)}.`}</p>
      ))}
      {conditions.map((condition, index) => (
        <FieldGroup key={index} label={`Condition ${index + 1}`}>
          <ConditionFields
            name={`rule.conditions.${index}`}
            condition={condition}
            attributes={attributes}
            onChange={(next) => change(index, next)}
          />
          {conditions.length > 1 && (
            <Button
              variant="plain"
              label={`Remove condition ${index + 1}`}
              onPress={() => onRule({ ...rule, conditions: conditions.toSpliced(index, 1) })}
            >
              Remove
            </Button>
          )}
        </FieldGroup>
      ))}
      <Button onPress={() => onRule({ ...rule, conditions: [...conditions, emptyCondition] })}>
        Add condition
      </Button>
    </>
  );
};

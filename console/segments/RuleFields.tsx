/** The conditions of a rule as fields. */
import type { AttributeSummary } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { ConditionList } from "./ConditionList.tsx";
import { EventConditionFields } from "./EventFields.tsx";
import { emptyEvent, type TypedEvent, type TypedRule } from "./RuleModel.ts";

/** A rule: how its conditions are combined, and the conditions on attributes and on events. */
export const RuleFields = ({
  attributes,
  onRule,
  rule,
}: {
  readonly rule: TypedRule;
  readonly attributes: ReadonlyArray<AttributeSummary>;
  readonly onRule: (rule: TypedRule) => void;
}) => {
  const { conditions, onEvents = [] } = rule;
  const set = (next: ReadonlyArray<TypedEvent>) => onRule({ ...rule, onEvents: next });
  return (
    <>
      <ConditionList name="rule" rule={rule} known={attributes} onRule={onRule} />
      {onEvents.map((each, index) => (
        <EventConditionFields
          key={index}
          index={index}
          name={`rule.conditions.${conditions.length + index}`}
          value={each}
          onEvent={(next) => set(onEvents.with(index, next))}
          onRemove={() => set(onEvents.toSpliced(index, 1))}
        />
      ))}
      <Button onPress={() => set([...onEvents, emptyEvent])}>Add event</Button>
    </>
  );
};

/** A segment as a form: its name, its rule, and how many devices that is. */
import { send } from "../data/ApiCall.ts";
import { platform } from "../data/Api.ts";
import type { Segment } from "../data/Resources.ts";
import { useData } from "../data/Query.ts";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { RuleCount } from "./RuleCount.tsx";
import { RuleFields } from "./RuleFields.tsx";
import { emptyCondition, emptyRule, isComplete, ruleOf, type TypedRule, typedRuleOf } from "./RuleModel.ts";

interface SegmentValues {
  readonly name: string;
  readonly rule: TypedRule;
}

interface SegmentFormProps {
  /** The segment that is changed; null for a new one. */
  readonly stored: Segment | null;
  readonly onSaved: (segment: Segment) => Promise<void>;
}

const newRule: TypedRule = { ...emptyRule, conditions: [emptyCondition] };

/** The fields of a segment. Its problems stand at them. */
export const SegmentForm = ({ onSaved, stored }: SegmentFormProps) => {
  const { data } = useData(may("devices:read") ? platform.devices.attributes() : null);
  const initial = { name: stored?.name ?? "", rule: stored === null ? newRule : typedRuleOf(stored.rule) };
  const form = useForm<SegmentValues>({
    draft: `segment.${stored?.id ?? "new"}`,
    initial,
    send: async ({ name, rule: typed }, idempotencyKey) => {
      const rule = ruleOf(typed);
      const request =
        stored === null
          ? platform.segments.create({ name, rule }, { idempotencyKey })
          : platform.segments.update(stored.id, { name, rule }, { idempotencyKey });
      await onSaved((await send(request)).data);
    },
  });
  const { rule } = form.values.value;
  const setRule = (next: TypedRule): void => {
    const counts = [rule, next].map(({ conditions, onEvents = [] }) => [conditions.length, onEvents.length]);
    // Problems name conditions by their numbers, which are others now.
    if (String(counts[0]) !== String(counts[1])) form.problems.value = {};
    form.set({ rule: next });
  };
  return (
    <Form model={form}>
      <TextField {...form.field("name")} label="Name" />
      <RuleFields rule={rule} attributes={data?.data ?? []} onRule={setRule} />
      <RuleCount rule={isComplete(rule) ? ruleOf(rule) : null} />
      <div class="actions">
        <Button type="submit" variant="primary" isBusy={form.isSending.value}>
          Save segment
        </Button>
        <ButtonLink href={addressOf("/segments")}>Cancel</ButtonLink>
      </div>
    </Form>
  );
};

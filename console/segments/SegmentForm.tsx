/** A segment as a form: its name, its rule, and how many devices that is. */
import type { AttributeSummary, Page, SegmentRule } from "../data/Resources.ts";
import { usePlatform } from "../data/Query.ts";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { RuleCount } from "./RuleCount.tsx";
import { RuleFields } from "./RuleFields.tsx";
import { isComplete, ruleOf, type TypedRule } from "./RuleModel.ts";

/** A segment as typed. */
export interface SegmentValues {
  readonly name: string;
  readonly rule: TypedRule;
}

interface SegmentFormProps {
  /** The name of the form, under which what was typed is kept. */
  readonly draft: string;
  readonly initial: SegmentValues;
  /** Whether a rule that was not changed is left out: a stored value keeps its type. */
  readonly isStored?: boolean;
  readonly onSend: (
    segment: { readonly name: string; readonly rule?: SegmentRule },
    idempotencyKey: string,
  ) => Promise<void>;
}

/** The fields of a segment. Its problems stand at them. */
export const SegmentForm = ({ draft, initial, isStored = false, onSend }: SegmentFormProps) => {
  const { data } = usePlatform<Pick<Page<AttributeSummary>, "data">>(
    may("devices:read") ? "/attributes" : null,
  );
  const form = useForm<SegmentValues>({
    draft,
    initial,
    send: ({ name, rule }, idempotencyKey) => {
      const isKept = isStored && JSON.stringify(rule) === JSON.stringify(initial.rule);
      return onSend({ name, ...(!isKept && { rule: ruleOf(rule) }) }, idempotencyKey);
    },
  });
  const { name, rule } = form.values.value;
  return (
    <Form model={form}>
      <TextField name="name" label="Name" value={name} onValue={(value) => form.set({ name: value })} />
      <RuleFields rule={rule} attributes={data?.data ?? []} onRule={(next) => form.set({ rule: next })} />
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

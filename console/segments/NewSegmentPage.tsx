import { platform } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { One, Segment } from "../data/Resources.ts";
import { PageFrame } from "../parts/PageFrame.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, navigate } from "../routing/Router.ts";
import { emptyCondition } from "./RuleModel.ts";
import { SegmentForm } from "./SegmentForm.tsx";

const initial = { name: "", rule: { match: "all", conditions: [emptyCondition] } } as const;

/** "New segment". */
export const NewSegmentPage = () => (
  <PageFrame
    title="New segment"
    lead="Devices whose attributes meet a rule. Push campaigns can be limited to them."
  >
    <SegmentForm
      draft="segment.new"
      initial={initial}
      onSend={async (json, idempotencyKey) => {
        const { body } = await platform<One<Segment>>("/segments", { method: "POST", json, idempotencyKey });
        await refresh();
        navigate(addressOf("/segments"));
        showToast(`The segment "${body.data.name}" is saved.`);
      }}
    />
  </PageFrame>
);

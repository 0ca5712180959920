import { refresh } from "../data/Query.ts";
import { PageFrame } from "../parts/PageFrame.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, navigate } from "../routing/Router.ts";
import { SegmentForm } from "./SegmentForm.tsx";

/** "New segment". */
export const NewSegmentPage = () => (
  <PageFrame
    title="New segment"
    lead="Devices whose attributes meet a rule. Push campaigns can be limited to them."
  >
    <SegmentForm
      stored={null}
      onSaved={async ({ name }) => {
        await refresh();
        navigate(addressOf("/segments"));
        showToast(`The segment "${name}" is saved.`);
      }}
    />
  </PageFrame>
);

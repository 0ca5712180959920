/** A running send as a bar that moves. */
import { useEffect, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import type { Send } from "../data/Resources.ts";
import { formatCount, formatNumber } from "../parts/DisplayFormats.ts";
import { ProgressBar } from "../parts/ProgressBar.tsx";
import { may } from "../session/SessionState.ts";
import { sendName } from "./SendBadge.tsx";

/** How many devices the campaign of a send reaches; null while that is unknown. */
const useReachable = ({ campaign_id: id, campaign_name: name }: Send): number | null => {
  const [reachable, setReachable] = useState<number | null>(null);
  useEffect(() => {
    if (name === null || !may("campaigns:read")) return;
    const abort = new AbortController();
    const { signal } = abort;
    const read = async (): Promise<void> => {
      const { targeting, type } = (await send(platform.campaigns.get(id, { signal }))).data;
      const { segment_match, segmentation_ids } = targeting;
      const draft = { type, segmentation_ids, ...(segmentation_ids.length > 0 && { segment_match }) };
      const { data } = await send(platform.estimates.estimate(draft, { signal }));
      setReachable(data.reachable);
    };
    // Without an estimate the bar shows the share of the deliveries that exist.
    read().catch(() => setReachable(null));
    return () => abort.abort();
  }, [id, name]);
  return reachable;
};

/** How many devices a running send has reached, of those that its campaign reaches. */
export const SendProgress = ({ send }: { readonly send: Send }) => {
  const { delivered, failed, targeted } = send;
  const done = delivered + failed;
  const total = Math.max(targeted, useReachable(send) ?? 0);
  return (
    <ProgressBar
      label={`Progress of ${sendName(send)}`}
      done={done}
      total={total}
      text={`${formatNumber(done)} of ${formatCount(total, "device")}${
        failed === 0 ? "" : `, ${formatNumber(failed)} failed`
      }`}
    />
  );
};

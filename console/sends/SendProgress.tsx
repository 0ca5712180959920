/** A running send as a bar that moves. */
import { useEffect, useState } from "preact/hooks";
import { platform } from "../data/ApiCall.ts";
import type { Campaign, One, Send } from "../data/Resources.ts";
import { formatCount, formatNumber } from "../parts/DisplayFormats.ts";
import { ProgressBar } from "../parts/ProgressBar.tsx";
import { may } from "../session/SessionState.ts";
import { sendName } from "./SendBadge.tsx";

interface Estimate {
  readonly reachable: number;
}

/** How many devices the campaign of a send reaches; null while that is unknown. */
const useReachable = ({ campaign_id: id, campaign_name: name }: Send): number | null => {
  const [reachable, setReachable] = useState<number | null>(null);
  useEffect(() => {
    if (name === null || !may("campaigns:read")) return;
    const abort = new AbortController();
    const { signal } = abort;
    const read = async (): Promise<void> => {
      const { body } = await platform<One<Campaign>>(`/campaigns/${id}`, { signal });
      const { targeting, type } = body.data;
      const { segment_match, segmentation_ids } = targeting;
      const json = { type, segmentation_ids, ...(segmentation_ids.length > 0 && { segment_match }) };
      const estimated = await platform<One<Estimate>>("/campaigns/estimate", {
        method: "POST",
        json,
        signal,
      });
      setReachable(estimated.body.data.reachable);
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

import type { Campaign } from "../data/Resources.ts";
import { Badge, type Tone } from "../parts/Badge.tsx";

const shown: Readonly<Record<Campaign["status"], readonly [text: string, tone: Tone]>> = {
  active: ["Active", "good"],
  scheduled: ["Scheduled", "waiting"],
  paused: ["Paused", "quiet"],
  ended: ["Ended", "quiet"],
};

/** The status of a campaign. */
export const CampaignBadge = ({ status }: { readonly status: Campaign["status"] }) => {
  const [text, tone] = shown[status];
  return <Badge text={text} tone={tone} />;
};

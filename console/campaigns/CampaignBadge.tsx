import type { Campaign } from "../data/Resources.ts";
import { Badge, type Tone } from "../parts/Badge.tsx";

const shown: Readonly<Record<Campaign["status"], readonly [text: string, tone: Tone]>> = {
  active: ["Active", "good"],
  scheduled: ["Scheduled", "waiting"],
  paused: ["Paused", "quiet"],
  ended: ["Ended", "quiet"],
};

type Shown = Pick<Campaign, "status"> & Partial<Pick<Campaign, "published_at">>;

/** The status of a campaign. One that was never published is a draft; undefined where that is not known. */
export const CampaignBadge = ({ published_at: publishedAt, status }: Shown) => {
  const [text, tone] = shown[status];
  return <Badge text={status === "paused" && publishedAt === null ? "Draft" : text} tone={tone} />;
};

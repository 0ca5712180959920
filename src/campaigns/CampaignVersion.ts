import { Struct } from "effect";
import { versionTag } from "../http/ResourceVersion.ts";
import type { Campaign, FoundCampaign } from "./Campaign.ts";

/** The version of a campaign as an ETag (contract S3). The status is no part of it: it follows the clock. */
export const campaignVersion = (campaign: FoundCampaign): string => versionTag({ ...campaign, status: null });

/** A campaign as the API shows it, without the values that the program computes with. */
export const shownFields = (campaign: Campaign | FoundCampaign): Campaign => {
  const computed = { key: 0, startsAtMs: 0, endsAtMs: 0, writtenEndMs: 0 };
  return Struct.omit({ ...computed, ...campaign }, ["key", "startsAtMs", "endsAtMs", "writtenEndMs"]);
};

import { versionTag } from "../http/ResourceVersion.ts";
import type { FoundCampaign } from "./Campaign.ts";

/** The version of a campaign as an ETag (contract S3). The status is no part of it: it follows the clock. */
export const campaignVersion = (campaign: FoundCampaign): string => versionTag({ ...campaign, status: null });

import { Effect, Struct } from "effect";
import { Activity } from "../activity/Activity.ts";
import type { ActivityAction } from "../activity/ActivityEntry.ts";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import { Outbox } from "../outbox/Outbox.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Campaign } from "./Campaign.ts";
import { shownCampaign, type StoredCampaign } from "./StoredCampaign.ts";

/** The fields that activity shows: all but the status, which time changes, and what follows from `paused`. */
const recorded = (campaign: Campaign) => Struct.omit(campaign, ["status", "published_at"]);

const eventOf = (before: unknown, after: unknown) =>
  before === null ? "campaign.created" : after === null ? "campaign.deleted" : "campaign.updated";

/**
 * Makes the function that records a change of a campaign, in the transaction of the change and without
 * waiting for it: as an event for webhooks (contract N2) and in the activity (contract S5). A new campaign
 * has no `before`, a deleted one no `after`. `at` is the instant of the change in epoch milliseconds.
 */
export const campaignRecorder = Effect.gen(function* () {
  const outbox = yield* Outbox;
  const activity = yield* Activity;

  return Effect.fnUntraced(function* (
    tenant: Tenant,
    action: ActivityAction,
    before: Omit<StoredCampaign, "key"> | null,
    after: Omit<StoredCampaign, "key"> | null,
    at: number,
  ) {
    const shown = after ?? before;
    if (shown === null) return;
    const { environment, workspaceId } = tenant;
    const data = shownCampaign(shown, at);
    yield* pipelined(outbox.record([{ workspaceId, environment, type: eventOf(before, after), at, data }]));
    yield* activity.record(tenant, {
      action,
      resource: { type: "campaign", id: shown.id, name: shown.name },
      before: before && recorded(shownCampaign(before, at)),
      after: after && recorded(shownCampaign(after, at)),
    });
  });
});

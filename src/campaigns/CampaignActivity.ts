import { Effect, Struct } from "effect";
import type { Actor } from "../access/Actor.ts";
import { Activity } from "../activity/Activity.ts";
import type { ActivityAction } from "../activity/ActivityEntry.ts";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import { Outbox } from "../outbox/Outbox.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { Campaign } from "./Campaign.ts";
import { shownFields } from "./CampaignVersion.ts";

/** The fields that activity shows: all but the status, which time changes, and what follows from `paused`. */
const recorded = (campaign: Campaign) => Struct.omit(campaign, ["status", "published_at"]);

const eventOf = (before: Campaign | null, after: Campaign | null) =>
  before === null ? "campaign.created" : after === null ? "campaign.deleted" : "campaign.updated";

/** A new campaign, and who created it. */
interface Created {
  readonly campaign: Campaign;
  readonly actor: Actor | null;
}

/**
 * Makes the functions that record changes of campaigns, in the transaction of the change and without waiting
 * for it: as events for webhooks (contract N2) and in the activity (contract S5). A new campaign has no
 * `before`, a deleted one no `after`. `recordCreated` is for new ones of several actors.
 */
export const campaignRecorder = Effect.gen(function* () {
  const outbox = yield* Outbox;
  const activity = yield* Activity;

  const recordCreated = Effect.fnUntraced(function* (
    tenant: Tenant,
    created: ReadonlyArray<Created>,
    at: number,
  ) {
    const { environment, workspaceId } = tenant;
    const type = "campaign.created" as const;
    const events = created.map(({ campaign: data }) => ({ workspaceId, environment, type, at, data }));
    yield* pipelined(outbox.record(events));
    yield* activity.recordAll(
      tenant,
      created.map(({ actor, campaign }) => ({
        actor,
        action: "create",
        resource: { type: "campaign", id: campaign.id, name: campaign.name },
        before: null,
        after: recorded(campaign),
      })),
    );
  });

  const record = Effect.fnUntraced(function* (
    tenant: Tenant,
    action: ActivityAction,
    before: Campaign | null,
    after: Campaign | null,
    at: number,
  ) {
    const shown = after ?? before;
    if (shown === null) return;
    const { environment, workspaceId } = tenant;
    const data = shownFields(shown);
    yield* pipelined(outbox.record([{ workspaceId, environment, type: eventOf(before, after), at, data }]));
    yield* activity.record(tenant, {
      action,
      resource: { type: "campaign", id: shown.id, name: shown.name },
      before: before && recorded(shownFields(before)),
      after: after && recorded(shownFields(after)),
    });
  });

  return { record, recordCreated };
});

/**
 * The service behind `CampaignsHttp`. The rules on a draft are pure functions, which `CampaignValidation`
 * calls: on dates in `CampaignDates`, on targets in `CampaignTargeting`, on attached notifications in
 * `AttachedNotification`.
 */
import { Clock, Context, Effect, Layer } from "effect";
import { Activity } from "../activity/Activity.ts";
import type { ActivityAction } from "../activity/ActivityEntry.ts";
import { Database } from "../database/Database.ts";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import { checkVersion, expectsVersion } from "../http/ResourceVersion.ts";
import { Forbidden, NotFound, type PreconditionFailed, type Unprocessable } from "../wire/ApiError.ts";
import type { DeletedResource } from "../wire/Envelope.ts";
import { CampaignId, idAt, parseId } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { counted } from "../wire/Text.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { Campaign, FoundCampaign } from "./Campaign.ts";
import { campaignChange } from "./CampaignActivity.ts";
import { datesOf } from "./CampaignDates.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { campaignStatus } from "./CampaignStatus.ts";
import { type CampaignFilters, CampaignsRepository } from "./CampaignsRepository.ts";
import { CampaignTargetingRepository } from "./CampaignTargetingRepository.ts";
import { campaignValidation } from "./CampaignValidation.ts";
import { campaignVersion } from "./CampaignVersion.ts";
import { SendPlan } from "./SendPlan.ts";
import { shownCampaign } from "./StoredCampaign.ts";

/** Campaigns of one environment of a workspace: write rules 1–10 (contract E1–E12). */
export class Campaigns extends Context.Service<
  Campaigns,
  {
    /** The campaign with its status now. @throws 404 */
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<FoundCampaign, NotFound>;
    /** Newest first. */
    readonly page: (
      tenant: Tenant,
      position: PagePosition,
      filters: CampaignFilters,
    ) => Effect.Effect<ReadonlyArray<Campaign>>;
    /**
     * Names of campaigns that would reach everyone without this segment, at most ten. The answer holds while
     * the tenant is locked.
     */
    readonly needingSegment: (tenant: Tenant, segmentId: string) => Effect.Effect<ReadonlyArray<string>>;
    /**
     * Creates a campaign, not paused unless the draft says so (contract S2). @throws 422 with all problems,
     * 403 for the plan
     */
    readonly create: (
      tenant: Tenant,
      body: ParsedBody<CampaignDraft>,
    ) => Effect.Effect<Campaign, Unprocessable | Forbidden>;
    /** Replaces the whole campaign by the draft; missing fields are cleared. @throws 404, 412, 422, 403 */
    readonly update: (
      tenant: Tenant,
      id: string,
      body: ParsedBody<CampaignDraft>,
    ) => Effect.Effect<FoundCampaign, NotFound | PreconditionFailed | Unprocessable | Forbidden>;
    /** Stops a campaign until it is published. A paused campaign is not changed. @throws 404, 412 */
    readonly pause: (
      tenant: Tenant,
      id: string,
    ) => Effect.Effect<FoundCampaign, NotFound | PreconditionFailed>;
    /** Pauses a campaign and leaves it out of lists (contract S8). @throws 404, 412 */
    readonly archive: (
      tenant: Tenant,
      id: string,
    ) => Effect.Effect<FoundCampaign, NotFound | PreconditionFailed>;
    /** Puts an archived campaign back into lists. It stays paused. @throws 404, 412 */
    readonly unarchive: (
      tenant: Tenant,
      id: string,
    ) => Effect.Effect<FoundCampaign, NotFound | PreconditionFailed>;
    /**
     * Resumes a paused campaign, and puts an archived one back into lists. One that is not paused is not
     * changed. @throws 404, 412, 403 for the plan
     */
    readonly publish: (
      tenant: Tenant,
      id: string,
    ) => Effect.Effect<FoundCampaign, NotFound | PreconditionFailed | Forbidden>;
    /** Deletes a campaign, and its notifications that are on no other (contract E10). @throws 404, 412 */
    readonly delete: (
      tenant: Tenant,
      id: string,
    ) => Effect.Effect<DeletedResource, NotFound | PreconditionFailed>;
  }
>()("waypost/campaigns/Campaigns") {
  static readonly layer = Layer.effect(
    Campaigns,
    Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* CampaignsRepository;
      const targeting = yield* CampaignTargetingRepository;
      const workspaces = yield* Workspaces;
      const sends = yield* SendPlan;
      const activity = yield* Activity;
      const validate = yield* campaignValidation;

      const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const campaignId = parseId(CampaignId, id);
        const now = yield* Clock.currentTimeMillis;
        const campaign = campaignId && (yield* repository.find(tenant, campaignId, now));
        return campaign ?? (yield* NotFound.resource("campaign"));
      });

      /** The campaign to change, in the version that the request expects. */
      const findToChange = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const stored = yield* find(tenant, id);
        yield* checkVersion("campaign", campaignVersion(stored));
        return stored;
      });

      /** How many campaigns count without this one; 0 if the plan has no limit. Needs the tenant's lock. */
      const countOthers = (
        tenant: Tenant,
        stored: FoundCampaign | null,
        now: number,
      ): Effect.Effect<number> =>
        tenant.workspace.plan.max_campaigns === null
          ? Effect.succeed(0)
          : repository.countLimited(tenant, stored?.id ?? null, now);

      /**
       * Whether that changes the campaign. Sends that run, or fell due during the pause, are skipped
       * (contract L3).
       */
      const setPaused = Effect.fnUntraced(function* (
        tenant: Tenant,
        id: CampaignId,
        isPaused: boolean,
        now: number,
      ) {
        const isChanged = yield* repository.setPaused(tenant, id, isPaused, now);
        if (isChanged) yield* sends.skip(tenant, id, now);
        return isChanged;
      });

      /** The campaign after a change, which is recorded. Needs the tenant's lock. */
      const changed = Effect.fnUntraced(function* (
        tenant: Tenant,
        action: ActivityAction,
        stored: FoundCampaign,
      ) {
        const campaign = yield* find(tenant, stored.id);
        yield* activity.record(tenant, campaignChange(action, stored, campaign));
        return campaign;
      });

      return Campaigns.of({
        find,

        page: (tenant, position, filters) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => repository.page(tenant, position, filters, now)),

        needingSegment: (tenant, segmentId) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => targeting.needingSegment(tenant, segmentId, now)),

        create: Effect.fn("Campaigns.create")(function* (tenant, body) {
          const asked = yield* Clock.currentTimeMillis;
          yield* pipelined(workspaces.lock(tenant));
          const [{ targets, values }, others] = yield* Effect.all(
            [validate(tenant, body, null, asked), countOthers(tenant, null, asked)],
            { concurrency: "unbounded" },
          );
          const paused = body.fields.paused ?? false;
          yield* checkTrial(tenant);
          yield* checkLimit(tenant, null, { ...values, paused }, others, asked);
          // The lock may have taken a while. Ids are in the order in which campaigns become visible.
          const now = yield* Clock.currentTimeMillis;
          const id = CampaignId(idAt(now));
          yield* pipelined(repository.insert(tenant, id, values, now));
          if (paused) yield* pipelined(Effect.asVoid(repository.setPaused(tenant, id, true, now)));
          yield* pipelined(targeting.replace(tenant, id, targets));
          const row = { ...values, id, paused, archived: false, createdAt: now, updatedAt: now };
          const campaign = shownCampaign(row, targets, now);
          yield* activity.record(tenant, campaignChange("create", null, campaign));
          return campaign;
        }, database.atomically),

        update: Effect.fn("Campaigns.update")(function* (tenant, id, body) {
          yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          const now = yield* Clock.currentTimeMillis;
          const { targets, values } = yield* validate(tenant, body, stored, now);
          const others = yield* countOthers(tenant, stored, now);
          const paused = body.fields.paused ?? stored.paused;
          if (stored.paused && !paused) yield* checkTrial(tenant);
          yield* checkLimit(tenant, stored, { ...values, paused }, others, now);
          yield* repository.update(tenant, stored.id, values, now);
          yield* targeting.replace(tenant, stored.id, targets);
          yield* sends.move(tenant, stored.id, values, now);
          yield* setPaused(tenant, stored.id, paused, now);
          return yield* changed(tenant, "update", stored);
        }, database.atomically),

        pause: Effect.fn("Campaigns.pause")(function* (tenant, id) {
          if (yield* expectsVersion) yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          const now = yield* Clock.currentTimeMillis;
          const isChanged = yield* setPaused(tenant, stored.id, true, now);
          // Without the lock, a concurrent pause may have come first.
          return yield* isChanged ? changed(tenant, "pause", stored) : find(tenant, stored.id);
        }, database.atomically),

        archive: Effect.fn("Campaigns.archive")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          const now = yield* Clock.currentTimeMillis;
          yield* setPaused(tenant, stored.id, true, now);
          yield* repository.setArchived(tenant, stored.id, true, now);
          return yield* changed(tenant, "archive", stored);
        }, database.atomically),

        unarchive: Effect.fn("Campaigns.unarchive")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          yield* repository.setArchived(tenant, stored.id, false, yield* Clock.currentTimeMillis);
          return yield* changed(tenant, "unarchive", stored);
        }, database.atomically),

        publish: Effect.fn("Campaigns.publish")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          const now = yield* Clock.currentTimeMillis;
          yield* checkTrial(tenant);
          const others = yield* countOthers(tenant, stored, now);
          yield* checkLimit(tenant, stored, { ...datesOf(stored), paused: false }, others, now);
          yield* setPaused(tenant, stored.id, false, now);
          return yield* changed(tenant, "publish", stored);
        }, database.atomically),

        delete: Effect.fn("Campaigns.delete")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          yield* repository.deleteOwnNotifications(tenant, stored.id);
          yield* repository.delete(tenant, stored.id);
          yield* sends.cancel(tenant, stored.id, null, yield* Clock.currentTimeMillis);
          yield* activity.record(tenant, campaignChange("delete", stored, null));
          return { id: stored.id, deleted: true as const };
        }, database.atomically),
      });
    }),
  );
}

type LimitedCampaign = Parameters<typeof campaignStatus>[0];

/**
 * Whether `max_campaigns` counts a campaign: one that has not ended and, in Sandbox, is not paused (contract
 * E9).
 */
const isLimited = ({ environment }: Tenant, campaign: LimitedCampaign, now: number): boolean =>
  campaignStatus(campaign, now) !== "ended" && !(environment === "sandbox" && campaign.paused);

/** Refuses a change that makes a campaign count, if the others leave no room in the plan. */
const checkLimit = (
  tenant: Tenant,
  stored: FoundCampaign | null,
  next: LimitedCampaign,
  others: number,
  now: number,
): Effect.Effect<void, Forbidden> => {
  const limit = tenant.workspace.plan.max_campaigns;
  const countedBefore =
    stored !== null && isLimited(tenant, { ...datesOf(stored), paused: stored.paused }, now);
  if (limit === null || countedBefore || !isLimited(tenant, next, now) || others < limit) return Effect.void;
  const inSandbox = tenant.environment === "sandbox";
  return Forbidden.limit(
    "max_campaigns",
    `The plan allows ${counted(limit, "campaign")} in ${environmentName(tenant.environment)} ` +
      `that have not ended${inSandbox ? " and are not paused" : ""}, and there are ${others}: ` +
      `delete${inSandbox ? ", pause" : ""} or end one first.`,
  );
};

const checkTrial = ({ workspace }: Tenant): Effect.Effect<void, Forbidden> =>
  workspace.trial_ended
    ? Forbidden.of(
        "trial_ended",
        "The trial of this workspace has ended: campaigns cannot be created or published until it is on a " +
          "plan.",
      )
    : Effect.void;

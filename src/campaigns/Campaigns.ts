/**
 * The service behind `CampaignsHttp`. The rules on a draft are pure functions, which `CampaignValidation`
 * calls: on dates in `CampaignDates`, on targets in `CampaignTargeting`, on attached notifications in
 * `AttachedNotification`.
 */
import { Clock, Context, Effect, Layer } from "effect";
import type { ActivityAction } from "../activity/ActivityEntry.ts";
import { Database } from "../database/Database.ts";
import { oneAtATime } from "../database/SharedWork.ts";
import { checkVersion, expectsVersion } from "../http/ResourceVersion.ts";
import {
  type Conflict,
  type Forbidden,
  NotFound,
  type PreconditionFailed,
  type Unprocessable,
} from "../wire/ApiError.ts";
import type { DeletedResource } from "../wire/Envelope.ts";
import { CampaignId, parseId } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { Campaign } from "./Campaign.ts";
import { campaignRecorder } from "./CampaignActivity.ts";
import { campaignCreation } from "./CampaignCreation.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { checkLimit, checkTrial, countOthers } from "./CampaignLimit.ts";
import { type CampaignFilters, CampaignsSql } from "./CampaignsSql.ts";
import { CampaignTargetingSql } from "./CampaignTargetingSql.ts";
import { campaignValidation } from "./CampaignValidation.ts";
import { fixedExperiment } from "./FixedExperiment.ts";
import { SendPlan } from "./SendPlan.ts";
import { campaignVersion, shownCampaign, type StoredCampaign } from "./StoredCampaign.ts";

/** A change of the state of a campaign. */
type Change<Refusal = never> = (
  tenant: Tenant,
  id: string,
) => Effect.Effect<StoredCampaign, NotFound | PreconditionFailed | Refusal>;

/** Campaigns of one environment of a workspace: write rules 1–10 (contract E1–E12). */
export class Campaigns extends Context.Service<
  Campaigns,
  {
    /** @throws 404 */
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<StoredCampaign, NotFound>;
    /** Newest first. */
    readonly page: (
      tenant: Tenant,
      position: PagePosition,
      filters: CampaignFilters,
    ) => Effect.Effect<ReadonlyArray<Campaign>>;
    /** How many campaigns `max_campaigns` counts (contract E9). */
    readonly countLimited: (tenant: Tenant) => Effect.Effect<number>;
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
    /** Replaces the campaign by the draft; missing fields are cleared. @throws 404, 409, 412, 422, 403 */
    readonly update: (
      tenant: Tenant,
      id: string,
      body: ParsedBody<CampaignDraft>,
    ) => Effect.Effect<StoredCampaign, NotFound | PreconditionFailed | Unprocessable | Forbidden | Conflict>;
    /** Stops a campaign until it is published. A paused campaign is not changed. @throws 404, 412 */
    readonly pause: Change;
    /** Pauses a campaign and leaves it out of lists (contract S8). @throws 404, 412 */
    readonly archive: Change;
    /** Puts an archived campaign back into lists. It stays paused. @throws 404, 412 */
    readonly unarchive: Change;
    /**
     * Resumes a paused campaign, and puts an archived one back into lists. One that is not paused is not
     * changed. @throws 404, 412, 403 for the plan
     */
    readonly publish: Change<Forbidden>;
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
      const repository = yield* CampaignsSql;
      const targeting = yield* CampaignTargetingSql;
      const workspaces = yield* Workspaces;
      const sends = yield* SendPlan;
      const record = yield* campaignRecorder;
      const create = yield* campaignCreation;
      const validate = yield* campaignValidation;
      const withExperiment = yield* fixedExperiment;

      const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const campaignId = parseId(CampaignId, id);
        const campaign = campaignId && (yield* repository.find(tenant, campaignId));
        return campaign ?? (yield* NotFound.resource("campaign"));
      });

      /** The campaign to change, in the version that the request expects. */
      const findToChange = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const stored = yield* find(tenant, id);
        yield* checkVersion("campaign", () => campaignVersion(stored));
        return stored;
      });

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

      /** The campaign after a change, which is recorded. */
      const changed = Effect.fnUntraced(function* (
        tenant: Tenant,
        action: ActivityAction,
        stored: StoredCampaign,
        now: number,
      ) {
        const campaign = yield* find(tenant, stored.id);
        yield* record(tenant, action, stored, campaign, now);
        return campaign;
      });

      return Campaigns.of({
        find,

        page: (tenant, position, filters) => {
          const paged = Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.map(repository.page(tenant, position, filters, now), (campaigns) =>
              campaigns.map((campaign) => shownCampaign(campaign, now)),
            ),
          );
          return typeof filters.search === "string" ? oneAtATime(tenant.workspaceId, paged) : paged;
        },

        countLimited: (tenant) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => repository.countLimited(tenant, null, now)),

        needingSegment: (tenant, segmentId) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => targeting.needingSegment(tenant, segmentId, now)),

        create: Effect.fn("Campaigns.create")(create),

        update: Effect.fn("Campaigns.update")(function* (tenant, id, body) {
          yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          const now = yield* Clock.currentTimeMillis;
          const { targets, values: sent } = yield* validate(tenant, body, stored, now);
          const values = yield* withExperiment(tenant, stored, body.fields, sent);
          const others = yield* countOthers(repository, tenant, stored, now);
          const { paused } = body.fields;
          if (stored.paused && paused === false) yield* checkTrial(tenant);
          yield* checkLimit(tenant, stored, { ...values, paused: paused ?? stored.paused }, others, now);
          yield* repository.update(tenant, stored.id, values, now);
          yield* targeting.replace(tenant, stored.id, targets);
          yield* sends.move(tenant, stored, values, now);
          // A pause without the lock may have come first, and stays.
          if (paused !== undefined) yield* setPaused(tenant, stored.id, paused, now);
          return yield* changed(tenant, "update", stored, now);
        }, database.atomically),

        pause: Effect.fn("Campaigns.pause")(function* (tenant, id) {
          if (yield* expectsVersion) yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          const now = yield* Clock.currentTimeMillis;
          const isChanged = yield* setPaused(tenant, stored.id, true, now);
          // Without the lock, a concurrent pause may have come first.
          return yield* isChanged ? changed(tenant, "pause", stored, now) : find(tenant, stored.id);
        }, database.atomically),

        archive: Effect.fn("Campaigns.archive")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          if (stored.archived) return stored;
          const now = yield* Clock.currentTimeMillis;
          yield* setPaused(tenant, stored.id, true, now);
          yield* repository.setArchived(tenant, stored.id, true, now);
          return yield* changed(tenant, "archive", stored, now);
        }, database.atomically),

        unarchive: Effect.fn("Campaigns.unarchive")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          if (!stored.archived) return stored;
          const now = yield* Clock.currentTimeMillis;
          yield* repository.setArchived(tenant, stored.id, false, now);
          return yield* changed(tenant, "unarchive", stored, now);
        }, database.atomically),

        publish: Effect.fn("Campaigns.publish")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          const now = yield* Clock.currentTimeMillis;
          yield* checkTrial(tenant);
          const others = yield* countOthers(repository, tenant, stored, now);
          yield* checkLimit(tenant, stored, { ...stored, paused: false }, others, now);
          const isChanged = yield* setPaused(tenant, stored.id, false, now);
          return yield* isChanged ? changed(tenant, "publish", stored, now) : find(tenant, stored.id);
        }, database.atomically),

        delete: Effect.fn("Campaigns.delete")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const stored = yield* findToChange(tenant, id);
          yield* repository.deleteOwnNotifications(tenant, stored.id);
          yield* repository.delete(tenant, stored.id);
          const now = yield* Clock.currentTimeMillis;
          yield* sends.cancel(tenant, stored.id, null, now);
          yield* record(tenant, "delete", stored, null, now);
          return { id: stored.id, deleted: true as const };
        }, database.atomically),
      });
    }),
  );
}

/**
 * The service behind `CampaignsHttp`. The rules on a draft are pure functions, which `CampaignValidation`
 * calls: on dates in `CampaignDates`, on targets in `CampaignTargeting`, on attached notifications in
 * `AttachedNotification`.
 */
import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import type { EventType } from "../outbox/EventType.ts";
import { Outbox } from "../outbox/Outbox.ts";
import { Forbidden, NotFound, type Unprocessable } from "../wire/ApiError.ts";
import type { DeletedResource } from "../wire/Envelope.ts";
import { CampaignId, idAt, parseId } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { counted } from "../wire/Text.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { Campaign, FoundCampaign } from "./Campaign.ts";
import { datesOf } from "./CampaignDates.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { campaignStatus } from "./CampaignStatus.ts";
import { CampaignsRepository } from "./CampaignsRepository.ts";
import { CampaignTargetingRepository } from "./CampaignTargetingRepository.ts";
import { campaignValidation } from "./CampaignValidation.ts";
import { SendPlan } from "./SendPlan.ts";

/** Campaigns of one environment of a workspace: write rules 1–10 (contract E1–E12). */
export class Campaigns extends Context.Service<
  Campaigns,
  {
    /** The campaign with its status now. @throws 404 */
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<FoundCampaign, NotFound>;
    /** Newest first; `updatedSince` in epoch milliseconds, null for all. */
    readonly page: (
      tenant: Tenant,
      position: PagePosition,
      updatedSince: number | null,
    ) => Effect.Effect<ReadonlyArray<Campaign>>;
    /**
     * Names of campaigns that would reach everyone without this segment, at most ten. The answer holds while
     * the tenant is locked.
     */
    readonly needingSegment: (tenant: Tenant, segmentId: string) => Effect.Effect<ReadonlyArray<string>>;
    /** Creates a campaign, not paused. @throws 422 with all problems, 403 for the plan */
    readonly create: (
      tenant: Tenant,
      body: ParsedBody<CampaignDraft>,
    ) => Effect.Effect<FoundCampaign, Unprocessable | Forbidden>;
    /** Replaces the whole campaign by the draft; missing fields are cleared. @throws 404, 422, 403 */
    readonly update: (
      tenant: Tenant,
      id: string,
      body: ParsedBody<CampaignDraft>,
    ) => Effect.Effect<FoundCampaign, NotFound | Unprocessable | Forbidden>;
    /** Stops a campaign until it is published. A paused campaign is not changed. @throws 404 */
    readonly pause: (tenant: Tenant, id: string) => Effect.Effect<FoundCampaign, NotFound>;
    /** Resumes a paused campaign. One that is not paused is not changed. @throws 404, 403 for the plan */
    readonly publish: (tenant: Tenant, id: string) => Effect.Effect<FoundCampaign, NotFound | Forbidden>;
    /** Deletes a campaign, and its notifications that are on no other campaign (contract E10). @throws 404 */
    readonly delete: (tenant: Tenant, id: string) => Effect.Effect<DeletedResource, NotFound>;
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
      const outbox = yield* Outbox;
      const validate = yield* campaignValidation;

      const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const campaignId = parseId(CampaignId, id);
        const now = yield* Clock.currentTimeMillis;
        const campaign = campaignId && (yield* repository.find(tenant, campaignId, now));
        return campaign ?? (yield* NotFound.resource("campaign"));
      });

      /** Records an event about a campaign, with the campaign as the API shows it. */
      const record = (
        { environment, workspaceId }: Tenant,
        type: EventType,
        found: FoundCampaign,
        at: number,
      ) => {
        const { endsAtMs: _ends, key: _key, startsAtMs: _starts, ...data } = found;
        return outbox.record([{ workspaceId, environment, type, at, data }]);
      };

      /**
       * Refuses a change that makes a campaign count, if the plan has no room for it. Needs the tenant's
       * lock.
       */
      const checkLimit = Effect.fnUntraced(function* (
        tenant: Tenant,
        stored: FoundCampaign | null,
        next: LimitedCampaign,
        now: number,
      ) {
        const limit = tenant.workspace.plan.max_campaigns;
        const countedBefore =
          stored !== null && isLimited(tenant, { ...datesOf(stored), paused: stored.paused }, now);
        if (limit === null || countedBefore || !isLimited(tenant, next, now)) return;
        const count = yield* repository.countLimited(tenant, stored?.id ?? null, now);
        if (count < limit) return;
        const inSandbox = tenant.environment === "sandbox";
        return yield* Forbidden.limit(
          "max_campaigns",
          `The plan allows ${counted(limit, "campaign")} in ${environmentName(tenant.environment)} ` +
            `that have not ended${inSandbox ? " and are not paused" : ""}, and there are ${count}: ` +
            `delete${inSandbox ? ", pause" : ""} or end one first.`,
        );
      });

      /** Sends that run, or fell due during the pause, are skipped (contract L3). */
      const setPaused = Effect.fnUntraced(function* (
        tenant: Tenant,
        id: CampaignId,
        isPaused: boolean,
        now: number,
      ) {
        const isChanged = yield* repository.setPaused(tenant, id, isPaused, now);
        if (isChanged) yield* sends.skip(tenant, id, now);
        const campaign = yield* find(tenant, id);
        if (isChanged) yield* record(tenant, "campaign.updated", campaign, now);
        return campaign;
      });

      return Campaigns.of({
        find,

        page: (tenant, position, updatedSince) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            repository.page(tenant, position, updatedSince, now),
          ),

        needingSegment: (tenant, segmentId) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => targeting.needingSegment(tenant, segmentId, now)),

        create: Effect.fn("Campaigns.create")(function* (tenant, body) {
          yield* workspaces.lock(tenant);
          const now = yield* Clock.currentTimeMillis;
          const { targets, values } = yield* validate(tenant, body, null, now);
          yield* checkTrial(tenant);
          yield* checkLimit(tenant, null, { ...values, paused: false }, now);
          const id = CampaignId(idAt(now));
          yield* repository.insert(tenant, id, values, now);
          yield* targeting.replace(tenant, id, targets);
          const campaign = yield* Effect.orDie(find(tenant, id));
          yield* record(tenant, "campaign.created", campaign, now);
          return campaign;
        }, database.atomically),

        update: Effect.fn("Campaigns.update")(function* (tenant, id, body) {
          yield* workspaces.lock(tenant);
          const stored = yield* find(tenant, id);
          const now = yield* Clock.currentTimeMillis;
          const { targets, values } = yield* validate(tenant, body, stored, now);
          yield* checkLimit(tenant, stored, { ...values, paused: stored.paused }, now);
          yield* repository.update(tenant, stored.id, values, now);
          yield* targeting.replace(tenant, stored.id, targets);
          yield* sends.move(tenant, stored.id, values, now);
          const campaign = yield* find(tenant, stored.id);
          yield* record(tenant, "campaign.updated", campaign, now);
          return campaign;
        }, database.atomically),

        pause: Effect.fn("Campaigns.pause")(function* (tenant, id) {
          const stored = yield* find(tenant, id);
          return yield* setPaused(tenant, stored.id, true, yield* Clock.currentTimeMillis);
        }, database.atomically),

        publish: Effect.fn("Campaigns.publish")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const stored = yield* find(tenant, id);
          const now = yield* Clock.currentTimeMillis;
          yield* checkTrial(tenant);
          yield* checkLimit(tenant, stored, { ...datesOf(stored), paused: false }, now);
          return yield* setPaused(tenant, stored.id, false, now);
        }, database.atomically),

        delete: Effect.fn("Campaigns.delete")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const stored = yield* find(tenant, id);
          yield* repository.deleteOwnNotifications(tenant, stored.id);
          yield* repository.delete(tenant, stored.id);
          const now = yield* Clock.currentTimeMillis;
          yield* sends.cancel(tenant, stored.id, null, now);
          yield* record(tenant, "campaign.deleted", stored, now);
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

const checkTrial = ({ workspace }: Tenant): Effect.Effect<void, Forbidden> =>
  workspace.trial_ended
    ? Forbidden.of(
        "trial_ended",
        "The trial of this workspace has ended: campaigns cannot be created or published until it is on a " +
          "plan.",
      )
    : Effect.void;

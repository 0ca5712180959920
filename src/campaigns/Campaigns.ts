import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { LocationGroups } from "../locations/LocationGroups.ts";
import { Locations } from "../locations/Locations.ts";
import { Forbidden, NotFound } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { checkAttached } from "./AttachedNotification.ts";
import type { FoundCampaign } from "./Campaign.ts";
import { changedDates, resolveDates } from "./CampaignDates.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { campaignStatus } from "./CampaignStatus.ts";
import { CampaignsRepository, type CampaignValues } from "./CampaignsRepository.ts";
import {
  checkEntries,
  checkShape,
  type Known,
  listsToCheck,
  possible,
  resolveTargeting,
  type ResolvedTargeting,
  type TargetList,
} from "./CampaignTargeting.ts";
import { CampaignTargetingRepository } from "./CampaignTargetingRepository.ts";
import { SendPlan } from "./SendPlan.ts";
import { counted } from "../wire/Text.ts";

const named = (ids: ReadonlySet<string>): ReadonlyMap<string, string> =>
  new Map([...ids].map((id) => [id, id]));

const datesOf = ({ endsAtMs, startsAtMs, timezone }: FoundCampaign) => ({
  timezone,
  startsAt: startsAtMs,
  endsAt: endsAtMs,
});

/** Whether `max_campaigns` counts a campaign: one that has not ended and, in Sandbox, is not paused (contract E9). */
const counts = (
  tenant: Tenant,
  campaign: { readonly startsAt: number; readonly endsAt: number | null; readonly paused: boolean },
  now: number,
): boolean =>
  campaignStatus(campaign, now) !== "ended" && !(tenant.environment === "sandbox" && campaign.paused);

/** Campaigns of one environment of a workspace: write rules 1–10, contract E1–E12. */
export class Campaigns extends Context.Service<Campaigns>()("waypost/campaigns/Campaigns", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* CampaignsRepository;
    const targets = yield* CampaignTargetingRepository;
    const workspaces = yield* Workspaces;
    const locations = yield* Locations;
    const groups = yield* LocationGroups;
    const sends = yield* SendPlan;

    /** The campaign as it is now. @throws 404 */
    const find = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
      const now = yield* Clock.currentTimeMillis;
      const campaign = isUuid(id) ? yield* repository.find(tenant, id, now) : null;
      return campaign ?? (yield* NotFound.resource("campaign"));
    });

    const lookUp = Effect.fnUntraced(function* (tenant: Tenant, fields: Partial<CampaignDraft>) {
      const lists = listsToCheck(fields);
      const wanted = (list: TargetList) => (lists.includes(list) ? possible(fields, list) : []);
      const ask = <A>(
        list: TargetList,
        nothing: A,
        look: (entries: ReadonlyArray<string>) => Effect.Effect<A>,
      ): Effect.Effect<A> => {
        const entries = wanted(list);
        return entries.length === 0 ? Effect.succeed(nothing) : look(entries);
      };
      const none: ReadonlySet<string> = new Set();
      return {
        location_ids: named(yield* ask("location_ids", none, (ids) => locations.existing(tenant, ids))),
        location_group_ids: named(
          yield* ask("location_group_ids", none, (ids) => groups.existing(tenant, ids)),
        ),
        location_group_names: yield* ask("location_group_names", new Map<string, string>(), (names) =>
          groups.idsByName(tenant, names),
        ),
        segmentation_ids: named(
          yield* ask("segmentation_ids", none, (ids) => targets.existingSegments(tenant, ids)),
        ),
      } satisfies Known;
    });

    /** Runs every rule on a draft, so that everything wrong with it is said at once, and works out what is to be stored. */
    const validate = Effect.fnUntraced(function* (
      tenant: Tenant,
      body: ParsedBody<CampaignDraft>,
      stored: FoundCampaign | null,
      now: number,
    ) {
      const { fields, problems } = body;
      const before = stored === null ? null : datesOf(stored);
      const dates = resolveDates(body, before, now);
      checkShape(body);
      const known = yield* lookUp(tenant, fields);
      checkEntries(body, known);
      if (
        fields.name !== undefined &&
        (yield* repository.isNameTaken(tenant, fields.name, stored?.id ?? null))
      ) {
        problems.add(
          "name",
          `The name ${JSON.stringify(fields.name)} is taken by another campaign: choose another one.`,
        );
      }
      if (stored !== null && before !== null) {
        const attached = yield* repository.attached(tenant, stored.id);
        if (fields.type !== undefined && fields.type !== stored.type) {
          if (attached.length > 0) {
            problems.add(
              "type",
              `The type can change only while the campaign has no notifications: it is ${stored.type}, with ${attached.length}.`,
            );
          }
        } else if (dates !== null) {
          checkAttached(problems, attached, before, dates, changedDates(fields, before), now);
        }
      }
      const draft = yield* body.complete;
      if (dates === null) return yield* Effect.die(new Error("A complete draft has no dates"));
      const targeting = resolveTargeting(draft, known);
      return { values: valuesOf(draft, dates, targeting), targeting };
    });

    /** Refuses one campaign more than the plan allows; holds only while the tenant is locked. */
    const checkLimit = Effect.fnUntraced(function* (tenant: Tenant, except: string | null, now: number) {
      const most = tenant.workspace.plan.max_campaigns;
      if (most === null) return;
      const count = yield* repository.countLimited(tenant, except, now);
      if (count < most) return;
      const inSandbox = tenant.environment === "sandbox";
      return yield* Forbidden.limit(
        "max_campaigns",
        `The plan allows ${counted(most, "campaign")} in ${environmentName(tenant.environment)} that have not ended` +
          `${inSandbox ? " and are not paused" : ""}, and there are ${count}: ` +
          `delete${inSandbox ? ", pause" : ""} or end one first.`,
      );
    });

    const checkTrial = ({ workspace }: Tenant) =>
      workspace.trial_ended
        ? Effect.fail(
            Forbidden.of(
              "trial_ended",
              "The trial of this workspace has ended: campaigns cannot be created or published until it is on a plan.",
            ),
          )
        : Effect.void;

    /** A send that runs, or fell due during the pause, is skipped (contract L3); of what is that way already nothing changes. */
    const setPaused = Effect.fnUntraced(function* (tenant: Tenant, id: string, paused: boolean, now: number) {
      if (yield* repository.setPaused(tenant, id, paused, now)) yield* sends.skip(tenant, id, now);
    });

    return {
      find,

      page: Effect.fnUntraced(function* (
        tenant: Tenant,
        position: PagePosition,
        updatedSince: number | null,
      ) {
        return yield* repository.page(tenant, position, updatedSince, yield* Clock.currentTimeMillis);
      }),

      /** Names of campaigns that would reach everyone without this segment, at most ten; holds while the tenant is locked. */
      needingSegment: Effect.fnUntraced(function* (tenant: Tenant, segmentId: string) {
        return yield* targets.needingSegment(tenant, segmentId, yield* Clock.currentTimeMillis);
      }),

      /** Makes a campaign, not paused. @throws 422 with everything wrong at once, 403 for the plan */
      create: Effect.fn("Campaigns.create")(function* (tenant: Tenant, body: ParsedBody<CampaignDraft>) {
        yield* workspaces.lock(tenant);
        const now = yield* Clock.currentTimeMillis;
        const { targeting, values } = yield* validate(tenant, body, null, now);
        yield* checkTrial(tenant);
        if (counts(tenant, { ...values, paused: false }, now)) yield* checkLimit(tenant, null, now);
        const id = idAt(now);
        yield* repository.insert(tenant, id, values, now);
        yield* targets.replace(tenant, id, targeting);
        return yield* Effect.orDie(find(tenant, id));
      }, database.atomically),

      /** Puts the draft in the place of the whole campaign; what it leaves out is cleared. @throws 404, then as `create` */
      update: Effect.fn("Campaigns.update")(function* (
        tenant: Tenant,
        id: string,
        body: ParsedBody<CampaignDraft>,
      ) {
        yield* workspaces.lock(tenant);
        const stored = yield* find(tenant, id);
        const now = yield* Clock.currentTimeMillis;
        const { targeting, values } = yield* validate(tenant, body, stored, now);
        const { paused } = stored;
        const comesBack =
          counts(tenant, { ...values, paused }, now) && !counts(tenant, { ...datesOf(stored), paused }, now);
        if (comesBack) yield* checkLimit(tenant, stored.id, now);
        yield* repository.update(tenant, stored.id, values, now);
        yield* targets.replace(tenant, stored.id, targeting);
        yield* sends.move(tenant, stored.id, values, now);
        return yield* find(tenant, stored.id);
      }, database.atomically),

      /** Stops a campaign until it is published; one that is paused stays as it is. @throws 404 */
      pause: Effect.fn("Campaigns.pause")(function* (tenant: Tenant, id: string) {
        const stored = yield* find(tenant, id);
        yield* setPaused(tenant, stored.id, true, yield* Clock.currentTimeMillis);
        return yield* find(tenant, stored.id);
      }, database.atomically),

      /** Lets a paused campaign go on; one that is not paused stays as it is. @throws 404, 403 for the plan */
      publish: Effect.fn("Campaigns.publish")(function* (tenant: Tenant, id: string) {
        yield* workspaces.lock(tenant);
        const stored = yield* find(tenant, id);
        const now = yield* Clock.currentTimeMillis;
        yield* checkTrial(tenant);
        const published = { ...datesOf(stored), paused: false };
        if (counts(tenant, published, now) && !counts(tenant, { ...published, paused: stored.paused }, now)) {
          yield* checkLimit(tenant, stored.id, now);
        }
        yield* setPaused(tenant, stored.id, false, now);
        return yield* find(tenant, stored.id);
      }, database.atomically),

      /** Deletes a campaign, and the notifications that are then on none (contract E10). @throws 404 */
      delete: Effect.fn("Campaigns.delete")(function* (tenant: Tenant, id: string) {
        yield* workspaces.lock(tenant);
        const stored = yield* find(tenant, id);
        yield* repository.deleteOwnNotifications(tenant, stored.id);
        yield* repository.delete(tenant, stored.id);
        yield* sends.cancel(tenant, stored.id, null, yield* Clock.currentTimeMillis);
        return { id: stored.id, deleted: true as const };
      }, database.atomically),
    };
  }),
}) {
  static readonly layer = Layer.effect(Campaigns, Campaigns.make);
}

const valuesOf = (
  draft: CampaignDraft,
  {
    endsAt,
    startsAt,
    timezone,
  }: { readonly timezone: CampaignValues["timezone"] } & Pick<CampaignValues, "startsAt" | "endsAt">,
  targeting: ResolvedTargeting,
): CampaignValues => ({
  name: draft.name,
  type: draft.type,
  timezone,
  startsAt,
  endsAt,
  frequencyCapCount: draft.frequency_cap_count ?? null,
  frequencyCapPeriod: draft.frequency_cap_period ?? null,
  // Only what matches segments is kept (contract E6).
  segmentMatch: targeting.segmentIds.length > 0 ? (draft.segment_match ?? null) : null,
});

import { Clock, Context, Effect, Layer } from "effect";
import { Activity } from "../activity/Activity.ts";
import { type Caller, isOperator } from "../access/Caller.ts";
import type { FoundCampaign } from "../campaigns/Campaign.ts";
import { campaignCopier } from "../campaigns/CampaignCopier.ts";
import { datesOf } from "../campaigns/CampaignDates.ts";
import { checkLimit, checkTrial, countOthers } from "../campaigns/CampaignLimit.ts";
import { Campaigns } from "../campaigns/Campaigns.ts";
import { CampaignsRepository } from "../campaigns/CampaignsRepository.ts";
import { Database } from "../database/Database.ts";
import { Segments } from "../devices/Segments.ts";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import { overLimit, summaryOf } from "../locations/ImportPlan.ts";
import { LocationImportsRepository } from "../locations/LocationImportsRepository.ts";
import { LocationIndexes } from "../locations/LocationIndexes.ts";
import { MediaLibrary } from "../media/MediaLibrary.ts";
import { MediaLibraryRepository, type MediaRow, type NewFile } from "../media/MediaLibraryRepository.ts";
import { Contents } from "../notifications/Contents.ts";
import { notificationCopier } from "../notifications/NotificationCopier.ts";
import { checkLimits, copyLimitProblem } from "../notifications/NotificationLimits.ts";
import { NotificationsRepository } from "../notifications/NotificationsRepository.ts";
import { Forbidden, ServiceUnavailable, Unprocessable } from "../wire/ApiError.ts";
import { CampaignId, idAt } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { Problems } from "../wire/Problems.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { CopyDraft } from "./CampaignCopiesApi.ts";
import { CopiesSql } from "./CopiesSql.ts";
import { beginningOf, type CopyPlan, countsOf, freeName, matchSegments } from "./CopyPlan.ts";

/** Copies of campaigns in an environment of the same workspace (contract CO4). */
export class CampaignCopies extends Context.Service<CampaignCopies>()("waypost/copies/CampaignCopies", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const workspaces = yield* Workspaces;
    const campaigns = yield* Campaigns;
    const campaignsRepository = yield* CampaignsRepository;
    const contents = yield* Contents;
    const notificationsRepository = yield* NotificationsRepository;
    const segments = yield* Segments;
    const imports = yield* LocationImportsRepository;
    const locationIndexes = yield* LocationIndexes;
    const library = yield* MediaLibrary;
    const mediaRepository = yield* MediaLibraryRepository;
    const activity = yield* Activity;
    const repository = yield* CopiesSql;
    const copyCampaign = yield* campaignCopier;
    const copyNotification = yield* notificationCopier;

    /** The name of the copy: the one that was sent, or one that people would choose. */
    const nameOf = Effect.fnUntraced(function* (
      to: Tenant,
      { name }: FoundCampaign,
      sent: string | null | undefined,
      isWithinEnvironment: boolean,
    ) {
      if (!isWithinEnvironment || (sent ?? null) !== null) return sent ?? name;
      const copy = `Copy of ${name}`;
      const taken = yield* repository.campaignNamesLike(to, beginningOf(copy));
      // The longest name is shortened as a numbered one is.
      return freeName([...copy].length > 255 ? beginningOf(copy) : copy, new Set(taken));
    });

    /** Reads all that a copy refers to, and what of it is there. */
    const read = Effect.fnUntraced(function* (from: Tenant, to: Tenant, id: string, sent: CopyDraft["name"]) {
      const campaign = yield* campaigns.find(from, id);
      const { location_group_ids, location_ids, segmentation_ids } = campaign.targeting;
      const messages = yield* notificationsRepository.list(from, campaign.id);
      const mediaIds = new Set(messages.flatMap(({ media_asset_id: media }) => media ?? []));
      const media: Array<MediaRow> = [];
      for (const mediaId of mediaIds) {
        const row = yield* mediaRepository.find(from, mediaId);
        if (row !== null) media.push(row);
      }
      const now = yield* Clock.currentTimeMillis;
      const matched = <Found extends { readonly id: string; readonly match: string | null }>(
        rows: ReadonlyArray<Found>,
      ) =>
        rows.map((row) => ({
          ...row,
          source: row.id,
          id: row.match ?? idAt(now),
          isMade: row.match === null,
        }));
      const groups = matched(yield* repository.groups(from, to, location_group_ids));
      const made = groups.filter(({ isMade }) => isMade).map(({ source }) => source);
      const locations = matched(yield* repository.locations(from, to, location_ids, made));
      const own = yield* repository.segments(from, segmentation_ids);
      const there = yield* repository.segmentsLike(
        to,
        own.map(({ name }) => beginningOf(name)),
      );
      const isWithinEnvironment = from.environment === to.environment;
      return {
        campaign,
        name: yield* nameOf(to, campaign, sent, isWithinEnvironment),
        messages,
        media,
        isWithinEnvironment,
        groups,
        locations,
        segments: matchSegments(own, there),
      } satisfies CopyPlan;
    });

    /** Every rule on a copy: its name and contents, then the plan. Exact while the tenant is locked. */
    const check = Effect.fnUntraced(function* (to: Tenant, plan: CopyPlan) {
      const { campaign, media, messages, name } = plan;
      const problems = new Problems();
      if (yield* campaignsRepository.isNameTaken(to, name, null)) {
        const where = `in ${environmentName(to.environment)}`;
        problems.add("name", `The name ${JSON.stringify(name)} is taken ${where}: send another one.`);
      }
      const { max_locations: maxLocations, media_kinds: kinds, surveys } = to.workspace.plan;
      for (const [index, { media_kind: kind, name: message, type }] of messages.entries()) {
        const remedy = `take “${message}” off the campaign first.`;
        if (type === "survey" && !surveys)
          problems.add(`notifications.${index}.type`, `The plan does not include surveys: ${remedy}`);
        if (kind !== null && !kinds.includes(kind)) {
          const field = `notifications.${index}.media_asset_id`;
          problems.add(field, `The plan does not include ${kind} files: ${remedy}`);
        }
      }
      if (!problems.isEmpty) return yield* Unprocessable.validation(problems.fields);

      yield* checkTrial(to);
      const now = yield* Clock.currentTimeMillis;
      const others = yield* countOthers(campaignsRepository, to, null, now);
      const { made } = countsOf(plan);
      const bytes = made.media === 0 ? 0 : media.reduce((sum, { size_bytes: size }) => sum + size, 0);
      const places = made.locations === 0 || maxLocations === null ? 0 : yield* imports.count(to);
      yield* checkLimits({
        max_campaigns: yield* sentenceOf(
          checkLimit(to, null, { ...datesOf(campaign), paused: true }, others, now),
        ),
        max_notifications: messages.length === 0 ? null : yield* contents.limitProblem(to, messages.length),
        max_notifications_per_campaign: copyLimitProblem(to, messages.length),
        max_locations:
          maxLocations !== null && made.locations > 0 && places + made.locations > maxLocations
            ? overLimit(maxLocations, places)
            : null,
        max_media_bytes: bytes === 0 ? null : yield* sentenceOf(library.checkRoom(to, bytes)),
      });
      return plan;
    });

    const planned = (from: Tenant, to: Tenant, id: string, name: CopyDraft["name"]) =>
      Effect.flatMap(read(from, to, id, name), (plan) => check(to, plan));

    /** The bytes of the files of a plan, copied without a transaction, by the ids of the files. */
    const copyBytes = Effect.fnUntraced(function* ({ isWithinEnvironment, media, messages }: CopyPlan) {
      const copied = new Map<string, NewFile>();
      if (isWithinEnvironment) return copied;
      for (const row of media) {
        const file = yield* library.copyBytes(row);
        if (file === null) {
          const index = messages.findIndex(({ media_asset_id: id }) => id === row.id);
          return yield* Unprocessable.validation({
            [`notifications.${index}.media_asset_id`]: [
              `The media store has lost the file “${row.name}”: upload it again, and choose it in ` +
                `“${messages[index]?.name}”.`,
            ],
          });
        }
        copied.set(row.id, file);
      }
      return copied;
    });

    /** Makes everything that is not there, in the order in which people would. */
    const make = Effect.fnUntraced(function* (
      from: Tenant,
      to: Tenant,
      plan: CopyPlan,
      files: ReadonlyMap<string, NewFile>,
    ) {
      const now = yield* Clock.currentTimeMillis;
      const madeGroups = plan.groups.filter(({ isMade }) => isMade);
      const madeLocations = plan.locations.filter(({ isMade }) => isMade);
      if (madeLocations.length > 0) yield* repository.copyLocations(from, to, madeLocations, now);
      if (madeGroups.length > 0) {
        const ids = new Map(madeGroups.map(({ id, source }) => [source, id]));
        yield* imports.insertGroups(to, new Map(madeGroups.map(({ id, name }) => [name, id])), now);
        const members = plan.locations.flatMap(({ groups, id: locationId }) =>
          groups.map((group) => ({ groupId: ids.get(group) ?? "", locationId })),
        );
        if (members.length > 0) yield* imports.join(to, members, now);
      }
      if (madeLocations.length > 0) {
        yield* locationIndexes.changed(to);
        yield* activity.record(to, {
          action: "import",
          resource: { type: "location", id: null, name: null },
          before: null,
          after: { ...summaryOf([]), created: madeLocations.length },
        });
      }
      const media = new Map<string, string>();
      for (const { id } of plan.media) {
        const file = files.get(id);
        if (plan.isWithinEnvironment) media.set(id, id);
        else if (file === undefined) return yield* changedMeanwhile;
        else media.set(id, (yield* library.add(to, file)).id);
      }
      const targets = plan.campaign.targeting;
      const segmentIds = new Map<string, string>();
      for (const { id, source, ...segment } of plan.segments)
        segmentIds.set(source, id ?? (yield* segments.add(to, segment)));
      const campaign = yield* copyCampaign(to, plan.campaign, plan.name, {
        locationIds: mappedIds(targets.location_ids, idsBySource(plan.locations)),
        groupIds: mappedIds(targets.location_group_ids, idsBySource(plan.groups)),
        segmentIds: mappedIds(targets.segmentation_ids, segmentIds),
      });
      const copied = { ...plan.campaign, id: CampaignId(campaign.id), paused: true };
      for (const message of plan.messages) yield* copyNotification(to, copied, message, media);
      return { data: campaign, ...countsOf(plan) };
    });

    /**
     * The environments of a copy and the name that was sent. @throws 404, 422, 403 if the caller can act only
     * in its own environment
     */
    const readRequest = Effect.fnUntraced(function* (
      caller: Caller["Service"],
      id: string,
      body: ParsedBody<CopyDraft>,
    ) {
      yield* campaigns.find(caller, id);
      const { environment, name } = yield* body.complete;
      const { workspace, workspaceId } = caller;
      if (environment !== caller.environment && !isOperator(caller)) {
        const [own, other] = [environmentName(caller.environment), environmentName(environment)];
        return yield* Forbidden.of(
          "wrong_environment",
          `This is a ${own} token, which cannot make anything in ${other}: only the operator of this ` +
            "service can copy a campaign there.",
        );
      }
      const to: Tenant = { workspace, workspaceId, environment };
      return { to, name };
    });

    return {
      find: campaigns.find,

      /** The copy that would be made, under all rules. @throws 404, 422, 403 */
      plan: Effect.fn("CampaignCopies.plan")(function* (
        caller: Caller["Service"],
        id: string,
        body: ParsedBody<CopyDraft>,
      ) {
        const { name, to } = yield* readRequest(caller, id, body);
        return { data: null, ...countsOf(yield* planned(caller, to, id, name)) };
      }),

      /**
       * Makes a paused copy of a campaign, with everything that it refers to and that is not there: all in one
       * transaction. The bytes of media are copied before it, once the plan has room for them; those of a copy
       * that fails are swept. @throws 404, 422, 403, 503
       */
      copy: Effect.fn("CampaignCopies.copy")(function* (
        caller: Caller["Service"],
        id: string,
        body: ParsedBody<CopyDraft>,
      ) {
        const { name, to } = yield* readRequest(caller, id, body);
        const plan = yield* planned(caller, to, id, name);
        const work = `media ${plan.media.map((row) => row.id).join(" ")}`;
        const copied = yield* outsideTransaction(work, Effect.result(copyBytes(plan)));
        const files = yield* Effect.fromResult(copied);
        return yield* database.atomically(
          Effect.gen(function* () {
            // Always in this order, so that copies in both directions wait for each other.
            yield* workspaces.lock({ ...to, environment: "production" });
            yield* workspaces.lock({ ...to, environment: "sandbox" });
            return yield* make(caller, to, yield* planned(caller, to, id, name), files);
          }),
        );
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(CampaignCopies, CampaignCopies.make).pipe(
    Layer.provide(CopiesSql.layer),
  );
}

/** The sentence of a refusal; null if there is none. */
const sentenceOf = (checked: Effect.Effect<void, Forbidden>) =>
  Effect.match(checked, { onFailure: ({ error }) => error.message, onSuccess: () => null });

const idsBySource = (matches: ReadonlyArray<{ readonly source: string; readonly id: string }>) =>
  new Map(matches.map(({ id, source }) => [source, id]));

/** The ids in their order, each once: two locations can have one counterpart. */
const mappedIds = (ids: ReadonlyArray<string>, mapping: ReadonlyMap<string, string>) => [
  ...new Set(ids.flatMap((id) => mapping.get(id) ?? [])),
];

const changedMeanwhile = ServiceUnavailable.of(
  "The campaign changed while it was copied, so nothing was made: send the request again.",
);

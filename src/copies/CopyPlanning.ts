import { Clock, Effect } from "effect";
import { checkLimit, checkTrial } from "../campaigns/CampaignLimit.ts";
import { Campaigns } from "../campaigns/Campaigns.ts";
import type { StoredCampaign } from "../campaigns/StoredCampaign.ts";
import { overLimit } from "../locations/ImportPlan.ts";
import { Locations } from "../locations/Locations.ts";
import { MediaLibrary } from "../media/MediaLibrary.ts";
import type { MediaRow } from "../media/MediaFile.ts";
import { Contents } from "../notifications/Contents.ts";
import { mediaIdsOf } from "../notifications/ContentRules.ts";
import { checkLimits, copyLimitProblem } from "../notifications/NotificationLimits.ts";
import { Notifications } from "../notifications/Notifications.ts";
import { type Forbidden, Unprocessable } from "../wire/ApiError.ts";
import { codePoints } from "../wire/CodePoints.ts";
import { idAt } from "../wire/Ids.ts";
import { Problems } from "../wire/Problems.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { CopyCounts, CopyDraft } from "./CopiesApi.ts";
import { CopiesSql } from "./CopiesSql.ts";
import { beginningOf, matchSegments, numbered } from "./CopyNames.ts";

/**
 * Makes the function that reads what a copy refers to and what of it is there, and checks every rule on it.
 * @throws 404, 422 and 403
 */
export const copyPlanning = Effect.gen(function* () {
  const campaigns = yield* Campaigns;
  const contents = yield* Contents;
  const notifications = yield* Notifications;
  const locationList = yield* Locations;
  const library = yield* MediaLibrary;
  const repository = yield* CopiesSql;

  /** The name of the copy: the one that was sent, or one that people would choose. */
  const nameOf = Effect.fnUntraced(function* (
    to: Tenant,
    { name }: StoredCampaign,
    sent: string | null | undefined,
    isWithinEnvironment: boolean,
  ) {
    if (!isWithinEnvironment || (sent ?? null) !== null) return sent ?? name;
    const copy = `Copy of ${name}`;
    // The longest name is shortened as a numbered one is.
    const base = codePoints(copy) > 255 ? beginningOf(copy) : copy;
    for (const names: Array<string> = []; ;) {
      const asked = Array.from({ length: 100 }, (_, index) => numbered(base, names.length + index + 1));
      const taken = new Set(yield* repository.campaignNames(to, asked));
      const free = asked.find((each) => !taken.has(each));
      if (free !== undefined) return free;
      names.push(...asked);
    }
  });

  /** The counterparts of segments. It asks for the names that are free as far as is known, until all are. */
  const counterpartsOf = Effect.fnUntraced(function* (
    to: Tenant,
    own: Effect.Success<ReturnType<typeof repository.segments>>,
  ) {
    const asked = new Set<string>();
    const there = [];
    while (true) {
      const segments = matchSegments(own, there);
      const names = segments.flatMap(({ id, name }) => (id === null && !asked.has(name) ? [name] : []));
      if (names.length === 0) return segments;
      for (const name of names) asked.add(name);
      there.push(...(yield* repository.segmentsNamed(to, names)));
    }
  });

  /** Reads all that a copy refers to, and what of it is there. */
  const read = Effect.fnUntraced(function* (from: Tenant, to: Tenant, id: string, sent: CopyDraft["name"]) {
    const campaign = yield* campaigns.find(from, id);
    const { goal, groupIds, locationIds } = campaign;
    const withGoal = (ids: ReadonlyArray<string>, ofGoal: ReadonlyArray<string> = []) => [
      ...new Set([...ids, ...ofGoal]),
    ];
    const messages = yield* notifications.rows(from, campaign.id);
    const mediaIds = new Set(messages.flatMap(mediaIdsOf));
    const media: Array<MediaRow> = [];
    for (const mediaId of mediaIds) {
      const row = yield* library.row(from, mediaId);
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
    const groups = matched(yield* repository.groups(from, to, withGoal(groupIds, goal?.location_group_ids)));
    const made = groups.filter(({ isMade }) => isMade).map(({ source }) => source);
    const locations = matched(
      yield* repository.locations(from, to, withGoal(locationIds, goal?.location_ids), made),
    );
    const own = yield* repository.segments(from, campaign.segmentIds);
    const isWithinEnvironment = from.environment === to.environment;
    const name = yield* nameOf(to, campaign, sent, isWithinEnvironment);
    const segments = yield* counterpartsOf(to, own);
    const countsOf = (wanted: boolean): CopyCounts["made"] => {
      const count = (each: ReadonlyArray<boolean>) => each.filter((isMade) => isMade === wanted).length;
      return {
        notifications: count(messages.map(() => true)),
        media: count(media.map(() => !isWithinEnvironment)),
        locations: count(locations.map(({ isMade }) => isMade)),
        location_groups: count(groups.map(({ isMade }) => isMade)),
        segments: count(segments.map(({ isMade }) => isMade)),
      };
    };
    const counts: CopyCounts = { made: countsOf(true), matched: countsOf(false) };
    return { campaign, name, messages, media, isWithinEnvironment, groups, locations, segments, counts };
  });

  /** Every rule on a copy: its name and contents, then the plan. Exact while the tenant is locked. */
  const check = Effect.fnUntraced(function* (to: Tenant, plan: Effect.Success<ReturnType<typeof read>>) {
    const { campaign, counts, media, messages, name } = plan;
    const problems = new Problems();
    if ((yield* repository.campaignNames(to, [name])).length > 0) {
      const where = `in ${environmentName(to.environment)}`;
      problems.add("name", `The name ${JSON.stringify(name)} is taken ${where}: send another one.`);
    }
    const { max_locations: maxLocations, media_kinds: kinds, surveys } = to.workspace.plan;
    for (const [index, message] of messages.entries()) {
      const remedy = `take “${message.name}” off the campaign first.`;
      if (message.type === "survey" && !surveys)
        problems.add(`notifications.${index}.type`, `The plan does not include surveys: ${remedy}`);
      for (const { media_kind: kind } of [message, ...message.variants])
        if (kind !== null && !kinds.includes(kind)) {
          const field = `notifications.${index}.media_asset_id`;
          problems.add(field, `The plan does not include ${kind} files: ${remedy}`);
        }
    }
    if (!problems.isEmpty) return yield* Unprocessable.validation(problems.fields);

    yield* checkTrial(to);
    const now = yield* Clock.currentTimeMillis;
    const others = to.workspace.plan.max_campaigns === null ? 0 : yield* campaigns.countLimited(to);
    const { made } = counts;
    const bytes = made.media === 0 ? 0 : media.reduce((sum, { size_bytes: size }) => sum + size, 0);
    const present = made.locations === 0 || maxLocations === null ? 0 : yield* locationList.count(to);
    yield* checkLimits({
      max_campaigns: yield* sentenceOf(checkLimit(to, null, { ...campaign, paused: true }, others, now)),
      max_notifications: messages.length === 0 ? null : yield* contents.limitProblem(to, messages.length),
      max_notifications_per_campaign: copyLimitProblem(to, messages.length),
      max_locations:
        maxLocations !== null && made.locations > 0 && present + made.locations > maxLocations
          ? overLimit(maxLocations, present)
          : null,
      max_media_bytes: bytes === 0 ? null : yield* sentenceOf(library.checkRoom(to, bytes)),
    });
    return plan;
  });

  return (from: Tenant, to: Tenant, id: string, name: CopyDraft["name"]) =>
    Effect.flatMap(read(from, to, id, name), (plan) => check(to, plan));
});

/** A copy before it is made: everything that it refers to, with its id there if it has one already. */
export type CopyPlan = Effect.Success<ReturnType<Effect.Success<typeof copyPlanning>>>;

/** The sentence of a refusal; null if there is none. */
const sentenceOf = (checked: Effect.Effect<void, Forbidden>) =>
  Effect.match(checked, { onFailure: ({ error }) => error.message, onSuccess: () => null });

import { Clock, Effect } from "effect";
import { Activity } from "../activity/Activity.ts";
import { campaignInsertion } from "../campaigns/CampaignCreation.ts";
import { type goalLists, storedGoal } from "../campaigns/Goal.ts";
import { Segments } from "../devices/Segments.ts";
import { summaryOf } from "../locations/ImportPlan.ts";
import { LocationGroups } from "../locations/LocationGroups.ts";
import { LocationIndexes } from "../locations/LocationIndexes.ts";
import { MediaLibrary } from "../media/MediaLibrary.ts";
import type { NewFile } from "../media/MediaFile.ts";
import { mediaIdsOf } from "../notifications/ContentRules.ts";
import { notificationCopier } from "../notifications/NotificationCopier.ts";
import { ServiceUnavailable, Unprocessable } from "../wire/ApiError.ts";
import { CampaignId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { CopiesSql } from "./CopiesSql.ts";
import type { CopyPlan } from "./CopyPlanning.ts";

/** Makes the functions that carry out a plan: the bytes of its media, and then everything else. */
export const copyMaking = Effect.gen(function* () {
  const segments = yield* Segments;
  const locationGroups = yield* LocationGroups;
  const locationIndexes = yield* LocationIndexes;
  const library = yield* MediaLibrary;
  const activity = yield* Activity;
  const repository = yield* CopiesSql;
  const insertCampaign = yield* campaignInsertion;
  const copyNotification = yield* notificationCopier;

  /** The bytes of the files of a plan, copied without a transaction, by the ids of the files. */
  const copyBytes = Effect.fnUntraced(function* ({ isWithinEnvironment, media, messages }: CopyPlan) {
    const copied = new Map<string, NewFile>();
    if (isWithinEnvironment) return copied;
    for (const row of media) {
      const file = yield* library.copyBytes(row);
      if (file === null) {
        const index = messages.findIndex((message) => mediaIdsOf(message).includes(row.id));
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
      yield* locationGroups.insert(to, new Map(madeGroups.map(({ id, name }) => [name, id])), now);
      const members = plan.locations.flatMap(({ groups, id: locationId }) =>
        groups.map((group) => ({ groupId: ids.get(group) ?? "", locationId })),
      );
      if (members.length > 0) yield* locationGroups.join(to, members, now);
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
    const { campaign: source } = plan;
    const segmentIds = new Map<string, string>();
    const madeSegments = new Map<string, string>();
    for (const { id, name, rule, source } of plan.segments) {
      const known = id ?? madeSegments.get(name) ?? (yield* segments.add(to, { name, rule }));
      segmentIds.set(source, known);
      madeSegments.set(name, known);
    }
    const [locationIds, groupIds] = [idsBySource(plan.locations), idsBySource(plan.groups)];
    const { goal } = source;
    // A location of the goal that does not exist any more stays one that nobody visits.
    const mapped = (list: (typeof goalLists)[number], ids: typeof locationIds) =>
      goal?.[list]?.map((id) => ids.get(id) ?? id) ?? [];
    const copiedGoal = storedGoal(
      goal && {
        ...goal,
        location_ids: mapped("location_ids", locationIds),
        location_group_ids: mapped("location_group_ids", groupIds),
      },
    );
    const values = { ...source, name: plan.name, goal: copiedGoal };
    const targets = {
      locationIds: mappedIds(source.locationIds, locationIds),
      groupIds: mappedIds(source.groupIds, groupIds),
      segmentIds: mappedIds(source.segmentIds, segmentIds),
    };
    const campaign = yield* insertCampaign(to, values, targets, true);
    const copied = { ...source, id: CampaignId(campaign.id), paused: true };
    for (const message of plan.messages) yield* copyNotification(to, copied, message, media);
    return { data: campaign, ...plan.counts };
  });

  return { copyBytes, make };
});

const idsBySource = (matches: ReadonlyArray<{ readonly source: string; readonly id: string }>) =>
  new Map(matches.map(({ id, source }) => [source, id]));

/** The ids in their order, each once: two locations can have one counterpart. */
const mappedIds = (ids: ReadonlyArray<string>, mapping: ReadonlyMap<string, string>) => [
  ...new Set(ids.flatMap((id) => mapping.get(id) ?? [])),
];

const changedMeanwhile = ServiceUnavailable.of(
  "The campaign changed while it was copied, so nothing was made: send the request again.",
);

import { Effect } from "effect";
import { LocationGroups } from "../locations/LocationGroups.ts";
import { Locations } from "../locations/Locations.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { candidates, idsByThemselves, type KnownTargets } from "./CampaignTargeting.ts";
import type { goalLists } from "./Goal.ts";
import { CampaignTargetingSql } from "./CampaignTargetingSql.ts";

/** Makes the function that finds the targets which the lists of a draft and its goal name. */
export const targetFinder = Effect.gen(function* () {
  const targeting = yield* CampaignTargetingSql;
  const locations = yield* Locations;
  const groups = yield* LocationGroups;

  return Effect.fnUntraced(function* (tenant: Tenant, fields: Partial<CampaignDraft>) {
    const targetsOf = (list: (typeof goalLists)[number]) => [
      ...new Set([...candidates(fields, list), ...(fields.goal?.[list] ?? [])]),
    ];
    const [locationIds, groupIds] = [targetsOf("location_ids"), targetsOf("location_group_ids")];
    const segmentIds = candidates(fields, "segmentation_ids");
    return yield* Effect.all(
      {
        location_ids: Effect.map(locations.existing(tenant, locationIds), idsByThemselves),
        location_group_ids: Effect.map(groups.existing(tenant, groupIds), idsByThemselves),
        location_group_names: groups.idsByName(tenant, candidates(fields, "location_group_names")),
        segmentation_ids: Effect.map(targeting.existingSegments(tenant, segmentIds), idsByThemselves),
      } satisfies Record<keyof KnownTargets, unknown>,
      { concurrency: "unbounded" },
    );
  });
});

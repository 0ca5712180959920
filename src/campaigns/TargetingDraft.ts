import { Effect, Schema } from "effect";
import { LocationGroups } from "../locations/LocationGroups.ts";
import { Locations } from "../locations/Locations.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { readJson, type RequestInput } from "../wire/RequestBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { CampaignType } from "./Campaign.ts";
import { type CampaignDraft, parseTargets, targetingFields } from "./CampaignDraft.ts";
import { candidates, idsByThemselves, type KnownTargets } from "./CampaignTargeting.ts";
import { CampaignTargetingRepository } from "./CampaignTargetingRepository.ts";

/** The targeting of a campaign that may not exist yet. Other fields of a campaign are ignored. */
export const TargetingDraft = Schema.Struct({
  type: Schema.optionalKey(
    CampaignType.annotate({
      description: "Type of the campaign. Left out: `geo` if any location or group is given, else `push`.",
      examples: ["push"],
    }),
  ),
  ...targetingFields,
}).annotate({ identifier: "TargetingDraft" });
export type TargetingDraft = typeof TargetingDraft.Type;

const locationLists = ["location_ids", "location_group_ids", "location_group_names"];

/** Reads a request's body as the targeting of a campaign. */
export const readTargeting = (input: RequestInput) =>
  Effect.map(readJson(input), (body) => {
    const isGeo = locationLists.some((list) => Array.isArray(body[list]) && body[list].length > 0);
    const type = body["type"] ?? (isGeo ? "geo" : "push");
    return parseTargets(TargetingDraft, { ...body, type }) as ParsedBody<TargetingDraft>;
  });

/** Makes the function that finds the targets which the lists of a draft name. */
export const targetFinder = Effect.gen(function* () {
  const targeting = yield* CampaignTargetingRepository;
  const locations = yield* Locations;
  const groups = yield* LocationGroups;

  return Effect.fnUntraced(function* (tenant: Tenant, fields: Partial<CampaignDraft>) {
    const [locationIds, groupIds] = [
      candidates(fields, "location_ids"),
      candidates(fields, "location_group_ids"),
    ];
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

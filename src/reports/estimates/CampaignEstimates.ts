import { Clock, Context, Effect, Layer } from "effect";
import { localInstant } from "../../campaigns/LocalSend.ts";
import { Audiences } from "../../devices/Audiences.ts";
import type { Audience } from "../../devices/SegmentRule.ts";
import { Segments } from "../../devices/Segments.ts";
import type { CampaignDraft } from "../../campaigns/CampaignDraft.ts";
import { checkEntries, checkShape, resolveTargeting } from "../../campaigns/CampaignTargeting.ts";
import { targetFinder } from "../../campaigns/TargetFinder.ts";
import type { TargetingDraft } from "../../campaigns/TargetingDraft.ts";
import { addDays } from "../../time/DayNumbers.ts";
import { dateAt } from "../../time/LocalTime.ts";
import type { ParsedBody } from "../../wire/ParsedBody.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { noFilters } from "../ReportQuery.ts";
import { reportRange } from "../ReportRange.ts";
import { ReportReads } from "../ReportReads.ts";
import { RollupReader } from "../rollups/RollupReader.ts";
import type { CampaignEstimate } from "./CampaignEstimateApi.ts";
import { CampaignEstimatesSql } from "./CampaignEstimatesSql.ts";
import type { LocationKey } from "../../wire/Ids.ts";

/** Estimates whom campaigns would reach (contract S4). */
export class CampaignEstimates extends Context.Service<CampaignEstimates>()(
  "waypost/reports/estimates/CampaignEstimates",
  {
    make: Effect.gen(function* () {
      const audiences = yield* Audiences;
      const segments = yield* Segments;
      const findTargets = yield* targetFinder;
      const repository = yield* CampaignEstimatesSql;
      const reads = yield* ReportReads;
      const rollups = yield* RollupReader;

      /** The distinct devices that entered one of the locations today or on the 30 days before. */
      const seen = Effect.fnUntraced(function* (tenant: Tenant, locationKeys: ReadonlyArray<LocationKey>) {
        if (locationKeys.length === 0) return 0;
        const timezone = tenant.workspace.timezone;
        const now = yield* Clock.currentTimeMillis;
        const today = dateAt(timezone, now);
        const scope = { range: reportRange(timezone, addDays(today, -30), today), filters: noFilters, now };
        return yield* reads.read(tenant.workspaceId, (maxRows) =>
          Effect.flatMap(rollups.splitWithin(tenant, scope, maxRows), (split) =>
            rollups.entered(tenant, split, new Set(locationKeys)),
          ),
        );
      });

      /** The devices of an audience for which the time of a send has passed. */
      const passed = Effect.fnUntraced(function* (
        tenant: Tenant,
        audience: Audience,
        { at, local = false, timezone }: NonNullable<TargetingDraft["send"]>,
      ) {
        const now = yield* Clock.currentTimeMillis;
        const zones = yield* audiences.zones(tenant, audience);
        return zones
          .filter(({ zone }) => localInstant(local ? (zone ?? timezone) : timezone, at) < now)
          .reduce((sum, { devices }) => sum + devices, 0);
      });

      return {
        /** Checks a targeting by the rules for campaigns, and counts. @throws 422, 503 */
        estimate: Effect.fn("CampaignEstimates.estimate")(function* (
          tenant: Tenant,
          body: ParsedBody<TargetingDraft>,
        ) {
          // The checks read nothing of a draft but its type and targets.
          const draft = body as ParsedBody<CampaignDraft>;
          checkShape(draft);
          const known = yield* findTargets(tenant, draft.fields);
          checkEntries(draft, known);
          const complete = yield* draft.complete;
          const { groupIds, locationIds, segmentIds } = resolveTargeting(complete, known);
          const rules = [...(yield* segments.rules(tenant, segmentIds)).values()];
          const audience = { match: complete.segment_match ?? ("any" as const), rules };
          const counts = yield* audiences.count(tenant, audience);
          const registered = reads.read(tenant.workspaceId, () => repository.registered(tenant));
          const devices = rules.length > 0 ? counts.devices : yield* registered;
          const { send } = body.fields;
          const late = send ? yield* passed(tenant, audience, send) : null;
          const shown = {
            devices,
            reachable: Math.min(counts.reachable, devices),
            ...(late !== null && { devices_passed: Math.min(late, devices) }),
          };
          if (complete.type !== "geo") {
            return { ...shown, places: 0, devices_seen_30_days: null } satisfies CampaignEstimate;
          }
          const keys = yield* repository.locationKeys(tenant, locationIds, groupIds);
          const estimate: CampaignEstimate = {
            ...shown,
            places: keys.length,
            devices_seen_30_days: yield* seen(tenant, keys),
          };
          return estimate;
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(CampaignEstimates, CampaignEstimates.make).pipe(
    Layer.provide([CampaignEstimatesSql.layer, RollupReader.layer, ReportReads.layer]),
  );
}

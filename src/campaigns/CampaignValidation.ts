import { Effect } from "effect";
import type { CampaignId } from "../wire/Ids.ts";
import { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { storedQuietHours } from "../workspaces/QuietHours.ts";
import { checkAttached } from "./AttachedNotification.ts";
import type { FoundCampaign } from "./Campaign.ts";
import { type CampaignDates, changedDates, datesOf, resolveDates } from "./CampaignDates.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { CampaignsSql } from "./CampaignsSql.ts";
import type { CampaignValues } from "./NewCampaignsSql.ts";
import {
  candidates,
  checkEntries,
  checkGoal,
  checkShape,
  idsByThemselves,
  resolveTargeting,
  type ResolvedTargeting,
  type TargetList,
} from "./CampaignTargeting.ts";
import { storedGoal } from "./Goal.ts";
import { targetFinder } from "./TargetFinder.ts";

const valuesOf = (
  draft: CampaignDraft,
  dates: CampaignDates,
  targets: ResolvedTargeting,
): CampaignValues => ({
  name: draft.name,
  type: draft.type,
  ...dates,
  frequencyCapCount: draft.frequency_cap_count ?? null,
  frequencyCapPeriod: draft.frequency_cap_period ?? null,
  capBy: draft.cap_by ?? "device",
  quietHours: storedQuietHours(draft.quiet_hours),
  cooldownMinutes: draft.cooldown_minutes ?? null,
  maxPerMinute: draft.max_per_minute ?? null,
  // Without segments there is nothing to match (contract E6).
  segmentMatch: targets.segmentIds.length > 0 ? (draft.segment_match ?? null) : null,
  holdoutPercent: draft.holdout_percent ?? 0,
  goal: storedGoal(draft.goal),
});

/** A draft that can be stored: the values and the targets of its campaign. */
export interface ValidDraft {
  readonly values: CampaignValues;
  readonly targets: ResolvedTargeting;
}

/**
 * The draft of a new campaign, if its name is free and all ids that it names exist; null if it has a problem
 * or needs what only a read gives.
 */
export const assumedDraft = (
  { fields, problems }: ParsedBody<CampaignDraft>,
  now: number,
): ValidDraft | null => {
  const needsRead = (fields.location_group_names?.length ?? 0) > 0 || (fields.goal ?? null) !== null;
  if (needsRead || !problems.isEmpty) return null;
  const body = ParsedBody.of(fields as CampaignDraft);
  const dates = resolveDates(body, null, now);
  checkShape(body);
  const assumed = (list: TargetList) => idsByThemselves(new Set(candidates(fields, list)));
  const known = {
    location_ids: assumed("location_ids"),
    location_group_ids: assumed("location_group_ids"),
    location_group_names: new Map<string, string>(),
    segmentation_ids: assumed("segmentation_ids"),
  };
  checkEntries(body, known);
  if (dates === null || !body.problems.isEmpty) return null;
  const targets = resolveTargeting(fields as CampaignDraft, known);
  return { values: valuesOf(fields as CampaignDraft, dates, targets), targets };
};

/**
 * Makes the function that checks every rule on a draft and gives the values to store. `stored` is null for a
 * new campaign. @throws 422 with all problems
 */
export const campaignValidation = Effect.gen(function* () {
  const repository = yield* CampaignsSql;
  const findTargets = yield* targetFinder;

  const isNameTaken = (tenant: Tenant, name: string | undefined, except: CampaignId | null) =>
    name === undefined ? Effect.succeed(false) : repository.isNameTaken(tenant, name, except);

  /** Checks the rules of an update on the type and on the campaign's notifications (contract E8, E11). */
  const checkUpdate = Effect.fnUntraced(function* (
    tenant: Tenant,
    { fields, problems }: ParsedBody<CampaignDraft>,
    stored: FoundCampaign,
    dates: CampaignDates | null,
    now: number,
  ) {
    const attached = yield* repository.attached(tenant, stored.id);
    if (fields.type === undefined || fields.type === stored.type) {
      const before = datesOf(stored);
      if (dates !== null) checkAttached(problems, attached, before, dates, changedDates(fields, before), now);
    } else if (attached.length > 0) {
      problems.add(
        "type",
        "The type can change only while the campaign has no notifications: " +
          `it is ${stored.type}, with ${attached.length}.`,
      );
    }
  });

  return Effect.fnUntraced(function* (
    tenant: Tenant,
    body: ParsedBody<CampaignDraft>,
    stored: FoundCampaign | null,
    now: number,
  ) {
    const dates = resolveDates(body, stored, now);
    checkShape(body);
    const { fields, problems } = body;
    const [known, isTaken] = yield* Effect.all(
      [findTargets(tenant, fields), isNameTaken(tenant, fields.name, stored?.id ?? null)],
      { concurrency: "unbounded" },
    );
    checkEntries(body, known);
    checkGoal(body, known, stored?.goal ?? null);
    if (isTaken) {
      const name = JSON.stringify(fields.name);
      problems.add("name", `The name ${name} is taken by another campaign: choose another one.`);
    }
    if (stored !== null) yield* checkUpdate(tenant, body, stored, dates, now);
    const draft = yield* body.complete;
    if (dates === null) return yield* Effect.die(new Error("A complete draft has no dates"));
    const targets = resolveTargeting(draft, known);
    return { values: valuesOf(draft, dates, targets), targets } satisfies ValidDraft;
  });
});

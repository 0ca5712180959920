import { Effect } from "effect";
import type { CampaignId } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { storedQuietHours } from "../workspaces/QuietHours.ts";
import { checkAttached } from "./AttachedNotification.ts";
import { type CampaignDates, changedDates, resolveDates } from "./CampaignDates.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { CampaignsSql } from "./CampaignsSql.ts";
import {
  checkEntries,
  checkGoal,
  checkShape,
  resolveTargeting,
  type ResolvedTargeting,
} from "./CampaignTargeting.ts";
import { storedGoal } from "./Goal.ts";
import type { CampaignValues, StoredCampaign } from "./StoredCampaign.ts";
import { targetFinder } from "./TargetFinder.ts";

const valuesOf = (
  draft: CampaignDraft,
  dates: CampaignDates,
  targets: ResolvedTargeting,
): CampaignValues => ({
  name: draft.name,
  type: draft.type,
  ...dates,
  frequency_cap_count: draft.frequency_cap_count ?? null,
  frequency_cap_period: draft.frequency_cap_period ?? null,
  cap_by: draft.cap_by ?? "device",
  quiet_hours: storedQuietHours(draft.quiet_hours),
  cooldown_minutes: draft.cooldown_minutes ?? null,
  max_per_minute: draft.max_per_minute ?? null,
  // Without segments there is nothing to match (contract E6).
  segment_match: targets.segmentIds.length > 0 ? (draft.segment_match ?? null) : null,
  holdout_percent: draft.holdout_percent ?? 0,
  goal: storedGoal(draft.goal),
});

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
    stored: StoredCampaign,
    dates: CampaignDates | null,
    now: number,
  ) {
    const attached = yield* repository.attached(tenant, stored.id);
    if (fields.type === undefined || fields.type === stored.type) {
      if (dates !== null) checkAttached(problems, attached, stored, dates, changedDates(fields, stored), now);
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
    stored: StoredCampaign | null,
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
    return { values: valuesOf(draft, dates, targets), targets };
  });
});

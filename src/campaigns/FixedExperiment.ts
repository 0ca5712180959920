import { Effect } from "effect";
import { Conflict } from "../wire/ApiError.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { storedGoal } from "./Goal.ts";
import type { CampaignValues, StoredCampaign } from "./StoredCampaign.ts";
import { Enrolments } from "./Enrolments.ts";

/**
 * Makes the function that gives the values of an update. While people are enrolled, holdout and goal that are
 * left out are unchanged (contract U7). @throws 409 for other ones
 */
export const fixedExperiment = Effect.gen(function* () {
  const enrolments = yield* Enrolments;
  return Effect.fnUntraced(function* (
    tenant: Tenant,
    stored: StoredCampaign,
    sent: Partial<CampaignDraft>,
    values: CampaignValues,
  ) {
    const { holdout_percent } = stored;
    const goal = storedGoal(stored.goal);
    const changes = {
      holdout_percent: values.holdout_percent !== holdout_percent,
      goal: JSON.stringify(values.goal) !== JSON.stringify(goal),
    };
    if (!changes.holdout_percent && !changes.goal) return values;
    if (!(yield* enrolments.isEnrolled(tenant, { campaign: stored.id }))) return values;
    const refused = (["holdout_percent", "goal"] as const).filter(
      (field) => changes[field] && sent[field] !== undefined,
    );
    if (refused.length === 0) return { ...values, goal, holdout_percent };
    return yield* Conflict.experiment(
      Object.fromEntries(refused.map((field) => [field, [fixedSentence(field)]])),
    );
  });
});

const fixedSentence = (field: string): string =>
  `People are enrolled in the experiment, so the ${field.replaceAll("_", " ")} is fixed: send it as it is, ` +
  "or leave it out.";

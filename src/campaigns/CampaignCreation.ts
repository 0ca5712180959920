import { Clock, Effect } from "effect";
import { Database } from "../database/Database.ts";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import { CampaignId, idAt } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { campaignRecorder } from "./CampaignActivity.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { checkLimit, checkTrial, countOthers, limitFor } from "./CampaignLimit.ts";
import { CampaignsSql } from "./CampaignsSql.ts";
import type { ResolvedTargeting } from "./CampaignTargeting.ts";
import { campaignValidation } from "./CampaignValidation.ts";
import { type CampaignValues, shownCampaign } from "./StoredCampaign.ts";

/**
 * Makes the function that inserts a campaign and gives it as responses show it. The caller has locked the
 * tenant. What it read before the lock may be outdated: the statement checks it again.
 */
export const campaignInsertion = Effect.gen(function* () {
  const repository = yield* CampaignsSql;
  const record = yield* campaignRecorder;

  return Effect.fnUntraced(function* (
    tenant: Tenant,
    values: CampaignValues,
    targets: ResolvedTargeting,
    paused: boolean,
  ) {
    const now = yield* Clock.currentTimeMillis;
    const id = CampaignId(idAt(now));
    const limit = limitFor(tenant, { ...values, paused }, now);
    yield* pipelined(repository.insert(tenant, { id, values, targets, paused, limit }, now));
    const stamps = { publishedAt: paused ? null : now, archived: false, createdAt: now, updatedAt: now };
    const campaign = { ...values, ...targets, ...stamps, id, paused };
    yield* record(tenant, "create", null, campaign, now);
    return shownCampaign(campaign, now);
  });
});

/** Makes the function that creates a campaign from a draft. */
export const campaignCreation = Effect.gen(function* () {
  const database = yield* Database;
  const repository = yield* CampaignsSql;
  const workspaces = yield* Workspaces;
  const insert = yield* campaignInsertion;
  const validate = yield* campaignValidation;

  return Effect.fnUntraced(function* (tenant: Tenant, body: ParsedBody<CampaignDraft>) {
    const now = yield* Clock.currentTimeMillis;
    const [{ targets, values }, others] = yield* Effect.all(
      [validate(tenant, body, null, now), countOthers(repository, tenant, null, now)],
      { concurrency: "unbounded" },
    );
    const paused = body.fields.paused ?? false;
    yield* checkTrial(tenant);
    yield* checkLimit(tenant, null, { ...values, paused }, others, now);
    // Everything from the lock to the commit is sent at once, so that other creates wait for PostgreSQL only.
    yield* pipelined(workspaces.lock(tenant));
    return yield* insert(tenant, values, targets, paused);
  }, database.atomically);
});

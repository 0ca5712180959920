import { Cause, Clock, Effect } from "effect";
import { type Actor, CurrentActor } from "../access/Actor.ts";
import { batchedByKey } from "../database/Batched.ts";
import { BeforeCommit } from "../database/BeforeCommit.ts";
import { Database } from "../database/Database.ts";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import { CampaignId, idAt } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import type { Campaign } from "./Campaign.ts";
import { campaignRecorder } from "./CampaignActivity.ts";
import type { CampaignDraft } from "./CampaignDraft.ts";
import { checkLimit, checkTrial, countOthers, limitFor } from "./CampaignLimit.ts";
import { CampaignsSql } from "./CampaignsSql.ts";
import type { NewCampaign } from "./NewCampaignsSql.ts";
import { assumedDraft, campaignValidation, type ValidDraft } from "./CampaignValidation.ts";
import { shownCampaign } from "./StoredCampaign.ts";

/** The most creates of one transaction. */
const maxBatch = 64;
/** The most targets of a create in a batch: one with more must not make the others wait. */
const maxTargets = 20;

/** A create that shares a transaction with others. */
interface CreateRequest extends ValidDraft {
  readonly tenant: Tenant;
  readonly paused: boolean;
  readonly actor: Actor | null;
  /** The check of the caller's access before the commit. */
  readonly check: Effect.Effect<void>;
}

const targetCount = ({ targets: { groupIds, locationIds, segmentIds } }: ValidDraft): number =>
  groupIds.length + locationIds.length + segmentIds.length;

/** A new campaign as responses show it. */
const shown = ({ id, paused, targets, values }: NewCampaign, now: number): Campaign => {
  const stamps = { publishedAt: paused ? null : now, archived: false, createdAt: now, updatedAt: now };
  return shownCampaign({ ...values, id, paused, ...stamps }, targets, now);
};

/**
 * Makes the function that creates a campaign. Creates of one environment that arrive while others are stored
 * share the next transaction. They are not checked before it: the statement that inserts them leaves out
 * those whose name is taken, whose targets do not exist or that find the limit reached. Each of those runs
 * again alone, which reads first and finds every problem. So do creates in the transaction of an
 * idempotency key, and all of a batch that failed.
 */
export const campaignCreation = Effect.gen(function* () {
  const database = yield* Database;
  const repository = yield* CampaignsSql;
  const workspaces = yield* Workspaces;
  const { record, recordCreated } = yield* campaignRecorder;
  const validate = yield* campaignValidation;

  const createAlone = Effect.fnUntraced(function* (tenant: Tenant, body: ParsedBody<CampaignDraft>) {
    const asked = yield* Clock.currentTimeMillis;
    const [{ targets, values }, others] = yield* Effect.all(
      [validate(tenant, body, null, asked), countOthers(repository, tenant, null, asked)],
      { concurrency: "unbounded" },
    );
    const paused = body.fields.paused ?? false;
    yield* checkTrial(tenant);
    yield* checkLimit(tenant, null, { ...values, paused }, others, asked);
    const now = yield* Clock.currentTimeMillis;
    // Everything from the lock to the commit is sent at once, so that other creates wait for PostgreSQL
    // only. What the checks above have read may be outdated: `insert` checks it under the lock.
    yield* pipelined(workspaces.lock(tenant));
    const limit = limitFor(tenant, { ...values, paused }, now);
    const added = { id: CampaignId(idAt(now)), values, targets, paused, limit };
    yield* pipelined(repository.insert(tenant, added, now));
    const campaign = shown(added, now);
    yield* record(tenant, "create", null, campaign, now);
    return campaign;
  }, database.atomically);

  const storeBatch = Effect.fnUntraced(function* (tenant: Tenant, requests: ReadonlyArray<CreateRequest>) {
    const now = yield* Clock.currentTimeMillis;
    yield* pipelined(workspaces.lock(tenant));
    let limited = 0;
    const added = requests.map((request): NewCampaign => {
      const { paused, targets, values } = request;
      const limit = limitFor(request.tenant, { ...values, paused }, now);
      // Creates before it in the batch count as well, stored or not: one that is left out runs again alone.
      const left = limit === null ? null : limit - limited++;
      return { id: CampaignId(idAt(now)), values, targets, paused, limit: left };
    });
    const made = yield* repository.insertAll(tenant, added, now);
    const campaigns = added.map((each) => (made.has(each.id) ? shown(each, now) : null));
    const changes = requests.flatMap(({ actor }, index) => {
      const campaign = campaigns[index] ?? null;
      return campaign === null ? [] : [{ actor, campaign }];
    });
    yield* recordCreated(tenant, changes, now);
    // The callers of one token have one access.
    const checks = new Map(requests.map(({ actor, check }) => [`${actor?.type} ${actor?.id}`, check]));
    yield* Effect.all(checks.values(), { discard: true });
    return campaigns;
  });

  const storeInBatch = yield* batchedByKey({
    maxBatch,
    keyOf: ({ tenant }: CreateRequest) => `${tenant.workspaceId}/${tenant.environment}`,
    run: Effect.fnUntraced(function* (requests: ReadonlyArray<CreateRequest>) {
      const [{ tenant }] = requests as [CreateRequest];
      return yield* Effect.catchCause(database.atomically(storeBatch(tenant, requests)), (cause) =>
        Cause.hasInterrupts(cause) || Database.isUnavailable(cause)
          ? Effect.failCause(cause)
          : Effect.succeed(requests.map(() => null)),
      );
    }),
  });

  return Effect.fnUntraced(function* (tenant: Tenant, body: ParsedBody<CampaignDraft>) {
    const draft = assumedDraft(body, yield* Clock.currentTimeMillis);
    const isShared =
      draft !== null &&
      targetCount(draft) <= maxTargets &&
      !tenant.workspace.trial_ended &&
      !(yield* database.isInTransaction);
    if (!isShared) return yield* createAlone(tenant, body);
    const [actor, check] = [yield* CurrentActor, yield* BeforeCommit];
    const paused = body.fields.paused ?? false;
    return (
      (yield* storeInBatch({ tenant, ...draft, paused, actor, check })) ?? (yield* createAlone(tenant, body))
    );
  });
});

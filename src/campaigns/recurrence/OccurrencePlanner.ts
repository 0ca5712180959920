import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import { epochMillis, instant, unnested } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { columnValues, run } from "../../database/Statements.ts";
import { sameTenant, tenantColumns } from "../../database/TenantColumns.ts";
import { counter } from "../../telemetry/KnownSeries.ts";
import { mapSliced } from "../../workers/TimeSlices.ts";
import { Worker } from "../../workers/Worker.ts";
import { countsOf, workspaceTurns } from "../../workers/WorkspaceTurns.ts";
import { SendPlanSql } from "../SendPlanSql.ts";
import { type CampaignRef, comingSends, newOccurrence, nextPlanning } from "./OccurrencePlan.ts";
import type { RecurringDates } from "./Occurrences.ts";

/** A recurring campaign whose next date is to be planned; `planAt` is when it was to be. */
interface DueCampaign extends CampaignRef, RecurringDates {
  readonly planAt: number;
}

/** The statements of the job that plans dates as days pass. */
class PlanningSql extends SqlService<PlanningSql>("waypost/campaigns/PlanningSql")((sql) => ({
  /** The workspaces with campaigns whose next date is to be planned. */
  dueWorkspaces: (now: number) =>
    columnValues(sql<{ readonly id: number }>`
      SELECT c.workspace_id AS id FROM campaign c WHERE c.plan_at <= ${instant(now)}
      GROUP BY 1 ORDER BY min(c.plan_at)`),

  /** Locks campaigns whose next date is to be planned, without those that others have locked. */
  lockDue: (workspaceId: number, now: number, limit: number) =>
    Effect.orDie(sql<DueCampaign>`
      SELECT c.workspace_id AS "workspaceId", c.environment, c.id AS "campaignId", c.timezone, c.recurrence,
        ${epochMillis("c.starts_at")} AS "startsAt", ${epochMillis("c.ends_at")} AS "endsAt",
        ${epochMillis("c.plan_at")} AS "planAt"
      FROM campaign c WHERE c.workspace_id = ${workspaceId} AND c.plan_at <= ${instant(now)}
      ORDER BY c.plan_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`),

  /** Stores when the next dates of locked campaigns are to be planned. */
  setPlanAt: (campaigns: ReadonlyArray<DueCampaign>, now: number) =>
    run(sql`
      UPDATE campaign c SET plan_at = p.plan_at
      FROM ${unnested("p", campaigns, {
        ...tenantColumns,
        id: ["uuid", ({ campaignId }) => campaignId],
        plan_at: ["timestamptz", (campaign) => nextPlanning(campaign, now)],
      })}
      WHERE ${sameTenant("c", "p")} AND c.id = p.id`),
})) {}

const countPlanned = counter(
  "waypost_planned_occurrences_total",
  "Sends that were planned as the dates of recurring campaigns came within 35 days.",
  {},
);

/** Campaigns that are planned in one transaction. */
const pageSize = 200;

/**
 * Plans the dates of recurring campaigns as days pass (contract V2). All processes share the work: a campaign
 * is locked while it is planned, and a date that is planned twice is stored once.
 */
export class OccurrencePlanner extends Context.Service<OccurrencePlanner>()(
  "waypost/campaigns/OccurrencePlanner",
  {
    make: Effect.gen(function* () {
      const database = yield* Database;
      const statements = yield* PlanningSql;
      const repository = yield* SendPlanSql;

      /** Plans a page of campaigns of workspaces. */
      const planPage = Effect.fnUntraced(function* (workspaceIds: ReadonlyArray<number>, limit: number) {
        const now = yield* Clock.currentTimeMillis;
        const pages = yield* Effect.forEach(workspaceIds, (id) => statements.lockDue(id, now, limit));
        const due = pages.flat();
        if (due.length === 0) return { due, sends: 0 };
        const times = Map.groupBy(yield* repository.times(due), ({ campaignId }) => campaignId);
        const planned = yield* mapSliced(due, (campaign) => {
          const { campaignId, planAt } = campaign;
          const coming = comingSends(campaign, times.get(campaignId) ?? [], planAt, now);
          return coming.map((send) => newOccurrence(campaign, campaignId, send, now));
        });
        const sends = planned.flat();
        yield* repository.addOccurrences(sends);
        yield* statements.setPlanAt(due, now);
        return { due, sends: sends.length };
      }, database.atomically);

      return {
        /** Plans all campaigns that are due; workspaces take turns. */
        planDue: yield* workspaceTurns({
          what: "the dates of recurring campaigns",
          find: statements.dueWorkspaces,
          take: Effect.fnUntraced(function* (workspaceIds, limit) {
            const { due, sends } = yield* planPage(workspaceIds, limit);
            yield* countPlanned({}, sends);
            return countsOf(workspaceIds, due);
          }),
          pageSize: Effect.succeed(pageSize),
        }),
      };
    }),
  },
) {
  static readonly layer = Layer.effect(OccurrencePlanner, OccurrencePlanner.make).pipe(
    Layer.provide(PlanningSql.layer),
  );
}

/** The job that plans dates. */
export const occurrenceJob = Layer.effectDiscard(
  Effect.flatMap(OccurrencePlanner, ({ planDue }) =>
    Worker.every("occurrences", "5 seconds", planDue, { isTraced: false }),
  ),
);

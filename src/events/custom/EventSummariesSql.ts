import { Effect } from "effect";
import { arrayOf, instant, utc } from "../../database/Rows.ts";
import { SqlService } from "../../database/SqlService.ts";
import { tenantIs } from "../../database/TenantColumns.ts";
import { firstIdAt } from "../../wire/Ids.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { maxAheadMillis } from "../Transition.ts";
import type { PropertySummary } from "./EventSummary.ts";

/** The most names: those of an app are few, but an app can put anything there. */
const maxNames = 1000;
/** The newest events of a name whose properties are read. */
const sampledEvents = 1000;
const maxValues = 20;

/** A name of events, and when the last one was received. */
export interface SeenName {
  readonly name: string;
  readonly last_received_at: string;
}

/** The events of a name on a day, counted from 1. */
export interface DayCount {
  readonly name: string;
  readonly day: number;
  readonly count: number;
}

/** Statements that summarise custom events. */
export class EventSummariesSql extends SqlService<EventSummariesSql>("waypost/events/EventSummariesSql")(
  (sql) => {
    const ofTenant = (tenant: Tenant) => sql`FROM custom_event c WHERE ${tenantIs("c", tenant)}`;

    return {
      /** The names of events, each read from the index alone; all of them, or one. */
      names: (tenant: Tenant, name: string | null) =>
        Effect.orDie(sql<SeenName>`
        WITH RECURSIVE seen (name) AS (
          (SELECT c.name ${ofTenant(tenant)} ${name === null ? sql`` : sql`AND c.name = ${name}`}
           ORDER BY c.name LIMIT 1)
          UNION ALL
          SELECT (SELECT c.name ${ofTenant(tenant)} AND c.name > s.name ORDER BY c.name LIMIT 1)
          FROM seen s WHERE s.name IS NOT NULL ${name === null ? sql`` : sql`AND false`}
        )
        SELECT s.name, ${utc("l.received_at")} AS last_received_at
        FROM (SELECT name FROM seen WHERE name IS NOT NULL LIMIT ${maxNames}) AS s
        CROSS JOIN LATERAL (
          SELECT c.received_at ${ofTenant(tenant)} AND c.name = s.name ORDER BY c.key DESC LIMIT 1) AS l`),

      /**
       * How many events occurred on days that begin at `starts` (epoch milliseconds, ascending), and end at
       * `toMs`. Keys sort by the time of receiving, so older events need not be read.
       */
      counts: (tenant: Tenant, names: ReadonlyArray<string>, starts: ReadonlyArray<number>, toMs: number) => {
        const fromMs = starts[0] ?? toMs;
        return Effect.orDie(sql<DayCount>`
        SELECT c.name, width_bucket(c.occurred_at, ${arrayOf("timestamptz", starts)}) AS day,
          count(*)::int AS count
        ${ofTenant(tenant)} AND c.name = ANY (${arrayOf("text", names)})
          AND c.key >= ${firstIdAt(fromMs - maxAheadMillis)}::uuid
          AND c.occurred_at >= ${instant(fromMs)} AND c.occurred_at < ${instant(toMs)}
        GROUP BY 1, 2`);
      },

      /** The properties of the newest events of a name, the most frequent first. */
      properties: (tenant: Tenant, name: string) =>
        Effect.orDie(sql<PropertySummary>`
        WITH held AS MATERIALIZED (
          SELECT p.name, p.value
          FROM (SELECT c.properties ${ofTenant(tenant)} AND c.name = ${name}
            ORDER BY c.key DESC LIMIT ${sampledEvents}) AS e, jsonb_each(e.properties) AS p (name, value)
        ), counted AS (
          SELECT name, value, count(*) AS events,
            row_number() OVER (PARTITION BY name ORDER BY count(*) DESC, value) AS rank
          FROM held GROUP BY name, value
        )
        SELECT name, sum(events)::int AS events, jsonb_agg(jsonb_build_object('value', value,
          'events', events) ORDER BY rank) FILTER (WHERE rank <= ${maxValues}) AS values
        FROM counted GROUP BY name ORDER BY sum(events) DESC, name COLLATE "C"`),
    };
  },
) {}

/**
 * The cost of reading custom events, with BENCH_DEVICES (1,000,000 if unset) devices and ten times as many
 * events of 20 names in 90 days: the count of segments that ask for events, the names with their events a
 * day, the properties of a name, and a poll for due messages while 100,000 delays wait, beside one while none
 * waits. The bars: 500 ms for a count, and 1.5 times for the poll.
 */
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { EventSummariesSql } from "../../src/events/custom/EventSummariesSql.ts";
import { Audiences } from "../../src/devices/Audiences.ts";
import type { SegmentRule } from "../../src/devices/SegmentRule.ts";
import { DwellsSql } from "../../src/events/DwellsSql.ts";
import { DAY_MS } from "../../src/time/DayNumbers.ts";
import type { Tenant } from "../../src/workspaces/Workspace.ts";
import { onSchema } from "./BenchDatabase.ts";
import { runBench } from "./BenchWorld.ts";
import { alternately, figure, millisOf, setting, timed } from "./Rounds.ts";

const devices = setting("DEVICES", 1_000_000);
const events = devices * 10;
/** Events of one statement: a session that says nothing for a minute is given up. */
const chunk = Math.min(events, 100_000);
const delays = 100_000;
const polls = 500;
const keptDays = 90;
const own = "1 AS workspace_id, 'production' AS environment";
const tenant = { workspaceId: 1, environment: "production" } as unknown as Tenant;

/** The events of a chunk: half of them are `app.opened`, the others of 19 names, in the order of time. */
const eventsFrom = (first: number, begin: number) => `
  INSERT INTO custom_event (workspace_id, environment, unit, id, device_key, name, properties, key,
    occurred_at, received_at)
  SELECT ${own}, unit, id, unit, CASE WHEN n % 2 = 0 THEN 'app.opened' ELSE 'event.' || n % 19 END,
    jsonb_build_object('total', n % 500, 'currency', CASE WHEN n % 3 = 0 THEN 'USD' ELSE 'EUR' END),
    (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(id::text, 16, 3)
      || substr(replace(id::text, '-', ''), 17))::uuid, at, at
  FROM (
    SELECT n, 1 + (n::bigint * 7919 % ${devices})::int AS unit, gen_random_uuid() AS id,
      to_timestamp(${begin / 1000} + n * ${(keptDays * DAY_MS) / 1000 / events}::float8) AS at
    FROM generate_series(${first}, ${Math.min(first + chunk - 1, events)}) AS n) AS made`;

const fill = Effect.fnUntraced(function* (begin: number) {
  const sql = yield* SqlClient.SqlClient;
  const run = (text: string) => sql`${sql.literal(text)}`.unprepared;
  yield* run(`INSERT INTO workspace (public_id, name, timezone, created_at, updated_at)
    VALUES (gen_random_uuid(), 'Bench', 'UTC', '2025-01-01Z', '2025-01-01Z')`);
  yield* run(`INSERT INTO tenant (workspace_id, environment) SELECT 1, e
    FROM unnest(ARRAY['sandbox', 'production']) e ON CONFLICT DO NOTHING`);
  yield* run(`UPDATE tenant SET last_device_key = ${devices} WHERE environment = 'production'`);
  for (let first = 1; first <= devices; first += chunk)
    yield* run(`INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
        token_digest, registered_at, last_seen_at, attributes)
      SELECT ${own}, n, gen_random_uuid(), 'device-' || n, 'web', 'inbox', decode(repeat('00', 32), 'hex'),
        '2026-01-01Z', '2026-01-01Z',
        jsonb_build_object('plan', CASE WHEN n % 5 = 0 THEN 'gold' ELSE 'basic' END)
      FROM generate_series(${first}, ${Math.min(first + chunk - 1, devices)}) n`);
  for (let first = 1; first <= events; first += chunk) {
    yield* run(eventsFrom(first, begin));
    if (first % (20 * chunk) === 1) yield* run("VACUUM custom_event");
  }
  for (const table of ["device", "custom_event", "dwell"]) yield* run(`VACUUM ANALYZE ${table}`);
});

const rules: Readonly<Record<string, SegmentRule["conditions"]>> = {
  "happened, frequent": [{ event: "app.opened", op: "happened", within_days: 30 }],
  "happened, rare": [{ event: "event.3", op: "happened", within_days: 7 }],
  "not happened, 90 days": [{ event: "event.3", op: "not_happened", within_days: 90 }],
  "happened, with where": [
    {
      event: "app.opened",
      op: "happened",
      within_days: 90,
      where: { match: "all", conditions: [{ attribute: "total", op: "gte", value: 450 }] },
    },
  ],
  "with an attribute": [
    { attribute: "plan", op: "eq", value: "gold" },
    { event: "event.5", op: "happened", within_days: 90 },
    { event: "event.3", op: "not_happened", within_days: 30 },
  ],
};

const bench = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const audiences = yield* Audiences;
  const summaries = yield* EventSummariesSql;
  const dwells = yield* DwellsSql;
  const now = Date.now();
  const begin = now - keptDays * DAY_MS;
  yield* fill(begin);
  for (const [about, conditions] of Object.entries(rules)) {
    const count = (match: "all" | "any") => {
      // Each round asks for something else, as counts are kept for five seconds.
      const op = match === "all" ? "ne" : "eq";
      let round = 0;
      return Effect.suspend(() => {
        const other = { attribute: "other", op, value: ++round } as const;
        return audiences.count(tenant, { match, rules: [{ match, conditions: [...conditions, other] }] });
      });
    };
    const millis = [...(yield* millisOf(7, count("all"))), ...(yield* millisOf(7, count("any")))];
    const what = `count of a segment with a condition: ${about}`;
    figure(about.replaceAll(/[ ,]+/g, "-"), what, "ms", millis, { atMost: 500 });
  }

  const names = yield* summaries.names(tenant, null);
  figure("names", "names of events", "ms", yield* millisOf(5, summaries.names(tenant, null)));
  for (const days of [1, 7, 14, 31]) {
    const starts = Array.from({ length: days }, (_, day) => now - (days - day) * DAY_MS);
    const counts = summaries.counts(
      tenant,
      names.map(({ name }) => name),
      starts,
      now,
    );
    figure(`days-${days}`, `events of all names by day, ${days} days`, "ms", yield* millisOf(5, counts));
  }
  const properties = summaries.properties(tenant, "app.opened");
  figure("properties", "properties of a name of events", "ms", yield* millisOf(5, properties));

  const poll = Effect.replicateEffect(dwells.dueWorkspaces(now), polls);
  const pollMillis = Effect.map(timed(poll), ({ seconds }) => (seconds * 1000) / polls);
  const none = yield* alternately(5, { none: pollMillis });
  yield* sql`INSERT INTO dwell (workspace_id, environment, device_key, event_id, attachment_id, content_key,
      content_type, entered_at, recorded_at, due_at, unit, properties)
    SELECT 1, 'production', 1 + n % ${devices}::int, gen_random_uuid(), gen_random_uuid(), 1, 'message', t, t,
      t + interval '1 day' + n * interval '1 second', 1, '{"total": 5}'
    FROM generate_series(1, ${delays}::int) n, (SELECT ${new Date(now)}::timestamptz AS t) AS at`.unprepared;
  yield* sql`VACUUM ANALYZE dwell`.unprepared;
  const waiting = yield* alternately(5, { waiting: pollMillis });
  figure(
    "poll",
    `poll with ${delays.toLocaleString("en")} waiting delays`,
    "ms",
    Math.min(...waiting.waiting),
    {
      beside: ["with none", Math.min(...none.none)],
      atMost: 1.5,
    },
  );
});

const services = Layer.mergeAll(Audiences.layer, EventSummariesSql.layer, DwellsSql.layer);
runBench(Effect.provide(bench, onSchema(services)), {
  settings: { max_wal_size: "8GB", shared_buffers: "2GB" },
});

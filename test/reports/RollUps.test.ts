import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import fc from "fast-check";
import {
  campaignRowStatuses,
  locationRowStatuses,
  notificationRowStatuses,
} from "../../src/reports/Report.ts";
import { RollUps, RollUpSizes } from "../../src/reports/RollUps.ts";
import { Submission } from "../../src/wire/Submission.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { asked, history, sparse, zones } from "./AnyHistory.ts";
import { record } from "./RecordedHistory.ts";
import type { ReportHistory } from "./ReportHistory.ts";
import { ReportOracle } from "./ReportOracle.ts";

const rowReports = {
  campaigns: campaignRowStatuses,
  locations: locationRowStatuses,
  notifications: notificationRowStatuses,
} as const;

/** In which of three parts a row of a history comes; late events and deliveries of any day are in each. */
const partOf = (number: number): number => ((number % 3) + 3) % 3;

/** Takes the activity of a tenant aside, as if nothing had happened yet; then `bring` lets a part of it happen. */
const setAside = Effect.fnUntraced(function* (workspaceId: number) {
  const sql = yield* SqlClient.SqlClient;
  const mine = sql`workspace_id = ${workspaceId}`;
  yield* sql`CREATE TABLE IF NOT EXISTS aside_delivery (LIKE delivery)`;
  yield* sql`CREATE TABLE IF NOT EXISTS aside_event (LIKE geofence_event)`;
  yield* sql`INSERT INTO aside_delivery SELECT * FROM delivery WHERE ${mine}`;
  yield* sql`INSERT INTO aside_event SELECT * FROM geofence_event WHERE ${mine}`;
  for (const table of ["delivery", "geofence_event", "delivery_feed", "event_feed", "rollup_state"]) {
    yield* sql`DELETE FROM ${sql(table)} WHERE ${mine}`;
  }
  return Effect.fnUntraced(function* (part: number) {
    const deliveries = sql`${mine} AND (origin - 1) % 3 = ${part}`;
    // Statements of several sizes; those of the last part are settled only afterwards, all in one statement.
    if (part === 2) {
      yield* sql`
        INSERT INTO delivery SELECT (jsonb_populate_record(d, '{"status": "queued", "settled_at": null}')).* FROM aside_delivery d
        WHERE ${deliveries}`;
      yield* sql`
        UPDATE delivery SET status = a.status, settled_at = a.settled_at FROM aside_delivery a
        WHERE a.workspace_id = ${workspaceId} AND delivery.workspace_id = a.workspace_id
          AND delivery.environment = a.environment AND delivery.origin = a.origin AND delivery.device_no = a.device_no
          AND (a.origin - 1) % 3 = ${part}`;
      yield* sql`UPDATE delivery SET opened_at = settled_at WHERE ${deliveries}`;
    } else {
      for (let chunk = 0; chunk < 4; chunk++) {
        yield* sql`INSERT INTO delivery SELECT * FROM aside_delivery WHERE ${deliveries} AND origin % 4 = ${chunk}`;
      }
    }
    yield* sql`
      INSERT INTO geofence_event SELECT * FROM aside_event
      WHERE ${mine} AND ((extract(epoch FROM occurred_at) * 1000)::int8 % 3 + 3) % 3 = ${part}`;
  }, Effect.orDie);
}, Effect.orDie);

layer(TestWaypost.layer)("Rolled-up reports", (it) => {
  const runs = 4;
  it.effect(
    "say what a plain reading says, at any moment: nothing, some and all rolled up, more coming in, another time zone (K1–K8)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const workspaces = yield* Workspaces;
        const sql = yield* SqlClient.SqlClient;
        const rollUps = yield* RollUps;
        // Little at once, so that roll-ups are caught half done.
        const step = Effect.provideService(rollUps.step, RollUpSizes, { deliveries: 7, events: 5, rows: 9 });
        const histories = fc.sample(history, { numRuns: runs, seed: 25_141_121 });
        const requests = fc.sample(sparse, { numRuns: 2000, seed: 14_112_025 })[Symbol.iterator]();
        let answered = 0;
        for (const [number, past] of histories.entries()) {
          let zone = zones[number % zones.length] ?? "UTC";
          const tenant = yield* waypost.tenant({ timezone: zone });
          const { workspaceId } = yield* Effect.orDie(workspaces.find(tenant.workspace.id));
          const ids = yield* record(workspaceId, "sandbox", past);
          const bring = yield* setAside(workspaceId);
          const parts = new Set<number>();
          let moment = "";

          const verify = Effect.fnUntraced(function* (asks = 2) {
            const so_far: ReportHistory = {
              ...past,
              deliveries: past.deliveries.filter((_, place) => parts.has(partOf(place))),
              events: past.events.filter(({ occurredAt }) => parts.has(partOf(occurredAt))),
            };
            const oracle = new ReportOracle(so_far, ids, zone, testStart);
            for (let ask = 0; ask < asks; ask++) {
              const one = requests.next().value as typeof sparse extends fc.Arbitrary<infer A> ? A : never;
              // Every other request has no filters, for those are read from sums of their own.
              const given = ask % 2 === 0 ? one : { ...one, kept: [] };
              for (const report of ["summary", "campaigns", "locations", "notifications"] as const) {
                const query = asked(
                  given,
                  ids,
                  report === "summary" ? campaignRowStatuses : rowReports[report],
                );
                const search = new URLSearchParams(query).toString();
                const { body } = yield* tenant.sandbox(`/reports/${report}?${search}`);
                const meta = { start: query.start, end: query.end, timezone: zone };
                const about = `history ${number}, ${moment} in ${zone}: ${report}?${search}`;
                assert.deepStrictEqual(body, { data: oracle[report](query), meta }, about);
                answered++;
              }
            }
          });
          const isComplete = Effect.suspend(() =>
            Effect.map(
              sql<{ readonly fed: boolean }>`
              SELECT fed_until = 'infinity' AND timezone = ${zone} AS fed FROM rollup_state WHERE workspace_id = ${workspaceId}`,
              ([row]) => row?.fed === true,
            ),
          );
          /** Some steps, with the answers between them held against the reading; then all that is left. */
          const rollUp = Effect.fnUntraced(function* (name: string, looks: number) {
            for (let taken = 0; taken < looks; taken++) {
              for (let at = 0; at <= taken * 3; at++) yield* step;
              moment = `${name}, after look ${taken}`;
              yield* verify(1);
            }
            for (let taken = 0; (yield* step) && taken < 500; taken++);
            moment = `${name}, done`;
            assert.isTrue(yield* isComplete, moment);
            const [left] = yield* sql<{ readonly rows: number }>`
              SELECT ((SELECT count(*) FROM delivery_feed WHERE workspace_id = ${workspaceId})
                + (SELECT count(*) FROM event_feed WHERE workspace_id = ${workspaceId}))::int AS rows`;
            assert.strictEqual(left?.rows, 0, moment);
            yield* verify();
          });

          parts.add(0);
          yield* bring(0);
          moment = "nothing rolled up";
          yield* verify();
          yield* rollUp("the first part", 4);
          parts.add(1);
          yield* bring(1);
          moment = "the second part in the feed";
          assert.isTrue(yield* isComplete);
          yield* verify(3);
          yield* rollUp("the second part", 2);
          parts.add(2);
          yield* bring(2);
          moment = "the third part in the feed";
          yield* verify(3);
          zone = zones[(number + 1) % zones.length] ?? "UTC";
          yield* Effect.orDie(
            workspaces.update(tenant.workspace.id, Submission.of({ timezone: zone as never })),
          );
          moment = "another zone";
          yield* verify(1);
          yield* rollUp("another zone", 3);
        }
        assert.isAtLeast(answered, runs * 60);
      }),
    300_000,
  );
});

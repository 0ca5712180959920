import { assert, layer } from "@effect/vitest";
import { Clock, Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { instant } from "../../src/database/Rows.ts";
import { DwellPageSize } from "../../src/events/Dwells.ts";
import { HeldDeliveries, ReleasePageSize } from "../../src/sending/sends/holding/HeldDeliveries.ts";
import { decide, dwelling } from "../events/DwellWorld.ts";
import { Dice } from "../sending/Dice.ts";
import { at, drain, start } from "../sending/ManualWorkers.ts";
import { overCutConnections } from "../sending/sends/SimulationWorld.ts";
import { webhookWorld } from "../webhooks/WebhookWorld.ts";
import { cutAnywhere, cutAroundCommits, cutAtStatements, runUncut, settledOnce } from "./CutWorkers.ts";

const pageSize = 3;
const release = Effect.flatMap(HeldDeliveries, ({ releaseDue }) => releaseDue);

/** The zones in which it is night at 14:00 UTC; in the n-th one it ends at 17 + n o'clock. */
const nightZones = [
  "Pacific/Kiritimati",
  "Pacific/Auckland",
  "Pacific/Fiji",
  "Pacific/Noumea",
  "Australia/Brisbane",
  "Asia/Tokyo",
];

layer(overCutConnections)("Workers whose database connections are cut", (it) => {
  it.effect(
    "each held message is released once by workers cut at any statement or COMMIT (P2.5, P2.7, P2.8)",
    () =>
      Effect.gen(function* () {
        const { make, production } = yield* webhookWorld;
        const { workspaceId } = production;
        const sql = yield* SqlClient.SqlClient;
        yield* make();
        const quiet_hours = { from: "22:00", to: "07:00", action: "hold" };

        // In each zone four devices and a phone, all but one of the four with messages that can be delivered.
        for (const timezone of ["Europe/Paris", ...nightZones]) {
          yield* production.crowd(4);
          yield* sql`UPDATE device SET timezone = ${timezone}
            WHERE workspace_id = ${workspaceId} AND timezone IS NULL`;
        }
        const phones = yield* Effect.forEach(nightZones, (timezone) =>
          production.phone(randomUUID(), { timezone }),
        );
        for (let count = 0; count < 2; count++)
          yield* production.sent(yield* production.push({ quiet_hours }), "14:00");
        const location = yield* production.location();
        const cap = { frequency_cap_count: 2, frequency_cap_period: "week" };
        const geo = yield* production.campaign({ location_ids: [location], quiet_hours, ...cap });
        yield* production.notification(geo);
        yield* at("2026-11-21T14:00:00Z");
        yield* start;
        yield* drain;
        for (const phone of phones) yield* phone.sees("enter", location);
        assert.deepStrictEqual(yield* settledOnce(workspaceId), { delivered: 8, held: 66 });
        const unsubscribed = yield* sql`UPDATE device SET subscribed = false
          WHERE workspace_id = ${workspaceId} AND key % 4 = 0 AND installation_id LIKE 'crowd-%'
            AND timezone <> 'Europe/Paris' RETURNING key`;
        assert.lengthOf(unsubscribed, 6);

        const worker = {
          run: Effect.provideService(release, ReleasePageSize, pageSize),
          pageSize,
          due: Effect.gen(function* () {
            const now = instant(yield* Clock.currentTimeMillis);
            const rows = yield* sql`SELECT FROM delivery
              WHERE workspace_id = ${workspaceId} AND status = 'held' AND held_until <= ${now}`;
            return rows.length;
          }).pipe(Effect.orDie),
        };
        const dice = new Dice(20_261_121);
        for (const [index] of nightZones.entries()) {
          yield* at(`2026-11-21T${17 + index}:00:00Z`);
          if (index < 2) yield* cutAtStatements(worker);
          else if (index < 4) yield* cutAroundCommits(worker);
          else yield* cutAnywhere(worker, dice, 3);
          yield* settledOnce(workspaceId);
        }
        yield* runUncut(worker);
        assert.deepStrictEqual(yield* settledOnce(workspaceId), { delivered: 62, failed: 12 });
        assert.deepStrictEqual(
          (yield* production.sends()).map((send) => [
            send.status,
            send.targeted,
            send.delivered,
            send.failed,
            send.held,
          ]),
          [
            ["done", 34, 28, 6, 0],
            ["done", 34, 28, 6, 0],
          ],
        );
        // The held message was one of the two that the cap allows.
        for (const phone of phones) {
          yield* at("2026-11-22T12:00:00Z");
          const outcome = { ...(yield* phone.sees("enter", location)) };
          const next = yield* phone.sees("enter", location);
          assert.deepStrictEqual([outcome.deliveries.length, next.deliveries.length], [1, 0]);
        }
      }),
  );

  it.effect("each visit fires once by workers cut at any statement or COMMIT (P1.2, P1.4, P1.6)", () =>
    Effect.gen(function* () {
      const { make, production } = yield* webhookWorld;
      const { workspaceId } = production;
      const sql = yield* SqlClient.SqlClient;
      yield* make();
      const location = yield* production.location();
      const once = { frequency_cap_count: 1, frequency_cap_period: "week" };
      const unlimited = yield* production.campaign({ location_ids: [location] });
      const capped = yield* production.campaign({ location_ids: [location], ...once });
      for (const campaign of [unlimited, capped, capped])
        yield* production.notification(campaign, dwelling(10));

      // In each minute three phones enter that wait, and one that does not.
      const minutes = [0, 1, 2, 3, 4, 5];
      const began = yield* Clock.currentTimeMillis;
      const minute = (number: number) => TestClock.setTime(began + number * 60_000);
      const groups = yield* Effect.forEach(minutes, () =>
        Effect.all([production.phone(), production.phone(), production.phone(), production.phone()]),
      );
      for (const [number, group] of groups.entries()) {
        yield* minute(number);
        for (const phone of group) yield* phone.sees("enter", location);
      }
      yield* minute(6);
      for (const [phone] of groups) yield* phone.sees("exit", location);

      const worker = {
        run: Effect.provideService(decide, DwellPageSize, pageSize),
        pageSize,
        due: Effect.gen(function* () {
          const now = instant(yield* Clock.currentTimeMillis);
          const rows = yield* sql`SELECT FROM dwell
            WHERE workspace_id = ${workspaceId} AND decided_at IS NULL AND due_at <= ${now}`;
          return rows.length;
        }).pipe(Effect.orDie),
      };
      const dice = new Dice(20_261_122);
      for (const number of minutes) {
        yield* minute(10 + number);
        if (number < 2) yield* cutAtStatements(worker);
        else if (number < 4) yield* cutAroundCommits(worker);
        else yield* cutAnywhere(worker, dice, 3);
        yield* settledOnce(workspaceId);
      }
      yield* runUncut(worker);
      assert.deepStrictEqual(yield* settledOnce(workspaceId), { delivered: 36 });
      for (const [gone, ...waiting] of groups) {
        assert.lengthOf(yield* gone.inbox(), 0);
        for (const phone of waiting)
          assert.sameMembers(
            (yield* phone.inbox()).map((message) => message.campaign_id),
            [unlimited, capped],
          );
      }
      yield* TestClock.adjust("30 minutes");
      yield* decide;
      assert.lengthOf(yield* sql`SELECT FROM dwell WHERE workspace_id = ${workspaceId}`, 0);
    }),
  );
});

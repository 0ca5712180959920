import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { at, batch, drain, manualWorkers, start } from "../ManualWorkers.ts";
import { sendWorld } from "../sends/SendWorld.ts";
import { setPerson } from "../../SourceRows.ts";

const daily = { frequency_cap_count: 1, frequency_cap_period: "day" };

const world = (fields: object) =>
  Effect.gen(function* () {
    const { production } = yield* sendWorld();
    const sql = yield* SqlClient.SqlClient;
    const location = yield* production.location();
    const campaign = yield* production.campaign({ location_ids: [location], cap_by: "user", ...fields });
    yield* production.notification(campaign);
    /** Gives a device a person, or none. */
    const belongsTo = (phone: { readonly id: string }, user: string | null) => setPerson(phone.id, user);
    return {
      production,
      location,
      campaign,
      belongsTo,
      /** A phone of a person, last seen at a time. */
      phoneOf: (user: string | null, seenAt = "2026-11-21T11:00:00Z") =>
        Effect.gen(function* () {
          const phone = yield* production.phone();
          yield* belongsTo(phone, user);
          yield* Effect.orDie(
            sql`UPDATE device SET last_seen_at = ${seenAt}::text::timestamptz WHERE id = ${phone.id}`,
          );
          return phone;
        }),
      fired: (phone: Effect.Success<ReturnType<typeof production.phone>>) =>
        Effect.map(phone.sees("enter", location), ({ deliveries }) => deliveries.length),
      /** The devices that have deliveries. */
      reached: Effect.map(
        Effect.orDie(sql<{ readonly id: string }>`
          SELECT v.id FROM delivery d JOIN device v ON v.workspace_id = d.workspace_id
            AND v.environment = d.environment AND v.key = d.device_key
          WHERE d.workspace_id = ${production.workspaceId}`),
        (rows) => rows.map(({ id }) => id).toSorted(),
      ),
    };
  });

layer(manualWorkers)("Caps of people", (it) => {
  it.effect("the devices of a person share a cap and a cooldown, and others have their own (Q1.1)", () =>
    Effect.gen(function* () {
      for (const limit of [daily, { cooldown_minutes: 60 }]) {
        const { fired, phoneOf } = yield* world(limit);
        const [first, second] = [yield* phoneOf("ann"), yield* phoneOf("ann")];
        assert.deepStrictEqual([yield* fired(first), yield* fired(second), yield* fired(first)], [1, 0, 0]);
        assert.strictEqual(yield* fired(yield* phoneOf("bob")), 1);
        const nobody = yield* phoneOf(null);
        assert.deepStrictEqual([yield* fired(nobody), yield* fired(nobody)], [1, 0]);
        assert.strictEqual(yield* fired(yield* phoneOf(null)), 1);
      }
    }),
  );

  it.effect("by default each device has the cap for itself (Q1.1)", () =>
    Effect.gen(function* () {
      const { campaign, fired, phoneOf, production } = yield* world({ ...daily, cap_by: null });
      const shown = yield* production.platform(`/campaigns/${campaign}`);
      assert.strictEqual(shown.body.data.cap_by, "device");
      assert.deepStrictEqual(
        [yield* fired(yield* phoneOf("ann")), yield* fired(yield* phoneOf("ann"))],
        [1, 1],
      );
      const refused = yield* production.platform("/campaigns", { body: { cap_by: "person" } });
      assert.deepStrictEqual(refused.body.error.fields.cap_by, ["The cap by must be device or user."]);
    }),
  );

  it.effect("a delivery keeps the person that it was made for (X31)", () =>
    Effect.gen(function* () {
      const { belongsTo, fired, phoneOf } = yield* world(daily);
      const [shared, other] = [yield* phoneOf("ann"), yield* phoneOf("ann")];
      assert.strictEqual(yield* fired(shared), 1);
      yield* belongsTo(shared, "bob");
      assert.strictEqual(yield* fired(shared), 1);
      assert.strictEqual(yield* fired(shared), 0);
      assert.strictEqual(yield* fired(other), 0);
      yield* belongsTo(other, "bob");
      assert.strictEqual(yield* fired(other), 0);
    }),
  );

  it.effect("a shared cap and cooldown hold for concurrent events of several devices (Q1.2)", () =>
    Effect.gen(function* () {
      for (const limit of [{ ...daily, frequency_cap_count: 2 }, { cooldown_minutes: 60 }]) {
        const { fired, phoneOf, reached } = yield* world(limit);
        const phones = yield* Effect.forEach(Array.from({ length: 12 }), () => phoneOf("ann"));
        const counts = yield* Effect.forEach(phones, fired, { concurrency: "unbounded" });
        const expected = "cooldown_minutes" in limit ? 1 : 2;
        assert.strictEqual(
          counts.reduce((total, count) => total + count, 0),
          expected,
        );
        assert.lengthOf(yield* reached, expected);
      }
    }),
  );

  it.effect("a send reaches of each person the device seen last that it can reach (Q1.3)", () =>
    Effect.gen(function* () {
      const { phoneOf, production, reached } = yield* world({});
      const sql = yield* SqlClient.SqlClient;
      yield* phoneOf("ann", "2026-11-20T10:00:00Z");
      const last = yield* phoneOf("ann", "2026-11-20T12:00:00Z");
      const gone = yield* phoneOf("ann", "2026-11-20T13:00:00Z");
      yield* Effect.orDie(sql`UPDATE device SET address_gone_at = '2026-11-21Z' WHERE id = ${gone.id}`);
      const left = yield* phoneOf("ann", "2026-11-20T14:00:00Z");
      yield* left.ask("/devices/me", { method: "DELETE" });
      const nobodies = [yield* phoneOf(null), yield* phoneOf(null)];
      const ties = [yield* phoneOf("bob"), yield* phoneOf("bob")];
      const push = yield* production.push({ cap_by: "user" });
      yield* production.sent(push, "12:30");
      yield* at("2026-11-21T12:30:00Z");
      yield* start;
      yield* drain;
      const first = ties.map(({ id }) => id).toSorted()[0] ?? "";
      assert.deepStrictEqual(yield* reached, [last.id, ...nobodies.map(({ id }) => id), first].toSorted());
      const [send] = yield* production.sends();
      assert.deepInclude(send, { status: "done", targeted: 4, delivered: 4 });
    }),
  );

  it.effect(
    "a send of many batches reaches a person once, whatever its devices do meanwhile (Q1.3, X31)",
    () =>
      Effect.gen(function* () {
        const { belongsTo, phoneOf, production, reached } = yield* world({});
        const early = yield* phoneOf("ann", "2026-11-20T10:00:00Z");
        yield* production.crowd(30);
        const late = yield* phoneOf("ann", "2026-11-20T12:00:00Z");
        const push = yield* production.push({ cap_by: "user", ...daily });
        yield* production.sent(push, "12:30");
        yield* production.sent(push, "12:40");
        yield* at("2026-11-21T12:30:00Z");
        yield* start;
        yield* batch;
        yield* batch;
        // The other device is seen, and the listed one gets another person, between the batches.
        yield* early.ask("/devices/me", { method: "PATCH", body: { locale: "nl" } });
        yield* belongsTo(late, "bob");
        yield* drain;
        assert.include(yield* reached, late.id);
        assert.notInclude(yield* reached, early.id);
        assert.lengthOf(yield* reached, 31);
        // The delivery was for Ann, so hers is used up, and that of Bob is not.
        yield* at("2026-11-21T12:40:00Z");
        yield* start;
        yield* drain;
        const sends = yield* production.sends();
        assert.deepStrictEqual(
          sends.map(({ targeted }: any) => targeted),
          [31, 1],
        );
      }),
  );

  it.effect(
    "a send lists people in batches by the keys of their devices, however large these are (Q1.3)",
    () =>
      Effect.gen(function* () {
        const { production } = yield* sendWorld();
        const sql = yield* SqlClient.SqlClient;
        yield* production.crowd(25);
        // Every third device belongs to somebody; 3 and 6, and 23 and 24, to the same person each.
        yield* sql`
        UPDATE device SET user_id = 'person-' || person, user_key = 100 + person, last_seen_at = CASE
          WHEN key IN (6, 23) THEN timestamptz '2026-11-20Z' ELSE last_seen_at END
        FROM (VALUES (3, 3), (6, 3), (9, 9), (12, 12), (23, 23), (24, 23)) AS p (device, person)
        WHERE workspace_id = ${production.workspaceId} AND environment = 'production' AND key = p.device`;
        yield* sql`
        UPDATE device SET key = key + 1000000
        WHERE workspace_id = ${production.workspaceId} AND environment = 'production' AND key > 22`;
        const push = yield* production.push({ ...daily, cap_by: "user" });
        yield* production.sent(push, "12:30");
        yield* at("2026-11-21T12:30:00Z");
        yield* start;
        yield* batch;
        const listed = yield* sql<{ readonly devices: ReadonlyArray<number>; readonly users: unknown }>`
        SELECT devices, users FROM send_batch WHERE workspace_id = ${production.workspaceId} ORDER BY batch`;
        const users = new Map([
          [6, 103],
          [9, 109],
          [12, 112],
          [1_000_023, 123],
        ]);
        const expected = [
          [1, 2, 4, 5, 6, 7, 8, 9, 10, 11],
          [12, 13, 14, 15, 16, 17, 18, 19, 20, 21],
          [22],
          [1_000_023, 1_000_025],
        ];
        assert.deepStrictEqual(
          listed,
          expected.map((devices) => ({ devices, users: devices.map((key) => users.get(key) ?? null) })),
        );
        yield* drain;
        assert.deepStrictEqual(
          yield* production.deliveries,
          expected.flat().map((device_key) => ({ device_key, count: 1 })),
        );
      }),
  );

  it.effect("an explanation counts for the person (Q1.4, S6.1)", () =>
    Effect.gen(function* () {
      for (const [limit, reason] of [
        [daily, "capped"],
        [{ cooldown_minutes: 60 }, "cooldown"],
      ] as const) {
        const { campaign, fired, location, phoneOf, production } = yield* world(limit);
        const other = yield* phoneOf("ann");
        yield* fired(yield* phoneOf("ann"));
        yield* other.report([
          { id: randomUUID(), type: "enter", location_id: location, occurred_at: "2026-11-21T12:00:00Z" },
        ]);
        const { body } = yield* production.platform(`/devices/${other.id}/explain?campaign=${campaign}`);
        assert.strictEqual(body.data[0]?.reason, reason);
      }
    }),
  );
});

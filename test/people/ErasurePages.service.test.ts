import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { completeErasures } from "../../src/people/Erasures.ts";
import { createTrigger, dropTrigger } from "../database/OnCitus.ts";
import { eventually } from "../Eventually.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { namesOf, personWorld } from "./PersonWorld.ts";

const crowd = 2_500;

/** The rows of `table` of the person, 2,500 times more; `changes` differ by the number `n`. */
const multiplied = (table: string, changes: string, condition = "true") =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql.unsafe(`INSERT INTO ${table} SELECT (jsonb_populate_record(r, jsonb_build_object(${changes}))).*
        FROM ${table} r, generate_series(1, ${crowd}) AS n
        WHERE r.ctid = (SELECT ctid FROM ${table} WHERE ${condition} LIMIT 1)`).unprepared,
  );

/** A person with thousands of messages, of which many wait, activity and stored responses. */
const crowded = Effect.gen(function* () {
  const world = yield* personWorld;
  const { phone, platform, production, tablet } = world;
  world.receiver.answer(() => 500);
  yield* world.make();
  yield* world.failedPush;
  yield* platform(`/devices/${phone.id}`, {
    method: "PATCH",
    body: { approved: false },
    headers: { "idempotency-key": "approve" },
  });
  const own = `workspace_id = ${production.workspaceId}`;
  const keyOf = (id: string) => `(SELECT key FROM device WHERE id = '${id}')`;
  // Messages of one instant, so that pages end among them.
  yield* multiplied(
    "delivery",
    `'source_id', r.source_id - 100000 - n, 'campaign_key', 1 + n % 2`,
    `${own} AND device_key = ${keyOf(phone.id)} AND recipient IS NOT NULL AND settled_at IS NOT NULL`,
  );
  yield* multiplied(
    "delivery",
    `'source_id', r.source_id - 200000 - n, 'status', 'queued', 'settled_at', null, 'test', true,
      'opened_at', null, 'clicked_at', null`,
    `${own} AND device_key = ${keyOf(tablet.id)} AND recipient IS NOT NULL AND settled_at IS NOT NULL`,
  );
  yield* multiplied(
    "device_location",
    `'location_key', 1000 + n`,
    `${own} AND device_key = ${keyOf(phone.id)}`,
  );
  yield* multiplied("activity", `'id', gen_random_uuid()`, `${own} AND resource_id = '${phone.id}'`);
  yield* multiplied("idempotent_response", `'key', n::text`, `${own} AND path LIKE '%${phone.id}%'`);
  // Recordings that were sent are kept, to be sent again.
  const recorded = `${own} AND array_to_string(data, ' ') LIKE '%${tablet.id}%'`;
  yield* multiplied("webhook_event", `'recording', 1000000 + n, 'called', r.size`, recorded);
  return { ...world, own };
});

/** Counts the rows of each statement that updates or deletes rows of a table. */
const watched = (table: string, kind: "UPDATE" | "DELETE") =>
  createTrigger(`watched AFTER ${kind} ON ${table} REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION watch()`);

layer(TestWaypost.layer)("Pages of erasures", (it) => {
  it.effect("no statement of an erasure changes more than 1,000 rows, and all are erased (Q3.2)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const world = yield* crowded;
      yield* sql`CREATE TABLE watched (name text, rows int)`.unprepared;
      yield* sql`CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO watched SELECT TG_TABLE_NAME, count(*) FROM changed; RETURN NULL; END $$`.unprepared;
      const tables = ["delivery", "activity", "device_location", "idempotent_response", "webhook_event"];
      yield* watched("delivery", "UPDATE");
      yield* watched("activity", "UPDATE");
      yield* watched("webhook_event", "UPDATE");
      yield* watched("device_location", "DELETE");
      yield* watched("idempotent_response", "DELETE");
      assert.deepStrictEqual(yield* world.erase, [200, { devices: 2 }]);
      const found = yield* sql<{ name: string; most: number; sum: number }>`
        SELECT name, max(rows) AS most, sum(rows)::int AS sum FROM watched GROUP BY 1 ORDER BY 1`;
      assert.deepStrictEqual(
        found.map(({ name }) => name),
        tables.toSorted(),
      );
      for (const { most, name, sum } of found) {
        assert.isAtMost(most, 1_000, name);
        assert.isAtLeast(sum, crowd, name);
      }
      const waiting = yield* sql`SELECT FROM delivery WHERE ${sql.literal(world.own)} AND settled_at IS NULL`;
      assert.deepStrictEqual(waiting, []);
      for (const table of tables) yield* dropTrigger(`watched ON ${table}`);
      yield* sql`DROP TABLE watched`;
      const names = namesOf([world.phone, world.tablet]);
      const left = (yield* world.tablesWith(names)).filter((each) => !each.startsWith("erasure:"));
      assert.deepStrictEqual(left, []);
    }),
  );

  it.effect(
    "an erasure that ends between pages is recorded nowhere, and the next one is whole (Q3.2, Q3.5)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const world = yield* crowded;
        const { erase, operator, own, phone, tablet, workspace } = world;
        yield* sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'refused'; END $$`.unprepared;
        const words = Effect.map(
          sql`SELECT FROM delivery WHERE ${sql.literal(own)} AND recipient <> '{}'`,
          (rows) => rows.length,
        );
        const recorded = Effect.map(
          operator(`/workspaces/${workspace.id}/production/activity?resource=person`),
          ({ body }) => body.data.length as number,
        );
        const before = yield* words;
        const [oldest] = yield* sql<{ id: bigint }>`SELECT min(source_id) AS id FROM delivery
        WHERE ${sql.literal(own)} AND source_id > -150000`;
        yield* createTrigger(`refused BEFORE UPDATE ON delivery FOR EACH ROW
        WHEN (OLD.source_id = ${String(oldest?.id)} AND OLD.${own}) EXECUTE FUNCTION refuse()`);
        assert.strictEqual((yield* erase)[0], 500);
        // Whole pages are erased, and the devices are still the person's.
        assert.isBelow(yield* words, before);
        assert.isAbove(yield* words, 0);
        assert.strictEqual(yield* recorded, 0);
        assert.deepStrictEqual(yield* sql`SELECT FROM erasure WHERE ${sql.literal(own)}`, []);
        yield* dropTrigger("refused ON delivery");

        // The registrations are erased, and the rest is left to the job, which fails.
        yield* createTrigger(`refused BEFORE DELETE ON idempotent_response FOR EACH ROW
        WHEN (OLD.${own} AND OLD.key = '1700') EXECUTE FUNCTION refuse()`);
        assert.strictEqual((yield* erase)[0], 500);
        const other = yield* personWorld;
        assert.deepStrictEqual(yield* other.erase, [200, { devices: 2 }]);
        const open = Effect.map(
          sql<{ own: boolean }>`SELECT DISTINCT ${sql.literal(own)} AS own FROM erasure`,
          (rows) => rows.map((row) => row.own).toSorted((one, other) => Number(one) - Number(other)),
        );
        assert.deepStrictEqual(yield* open, [false, true]);
        yield* TestClock.adjust("31 seconds");
        yield* completeErasures;
        assert.deepStrictEqual(yield* open, [true]);
        yield* dropTrigger("refused ON idempotent_response");
        yield* TestClock.adjust("61 seconds");
        yield* completeErasures;
        yield* eventually(Effect.map(open, (left) => left.length === 0));
        assert.deepStrictEqual(yield* world.tablesWith(namesOf([phone, tablet])), []);
      }),
  );
});

import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestWaypost } from "../TestWaypost.ts";

const campaign = (name: string) => ({ name, type: "push", timezone: "UTC", starts_at: "2026-12-01" });

/** Makes every write to the table fail as on a full disk, and every temporary file, too. */
const fillDisk = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [{ name } = { name: "" }] = yield* sql<{ name: string }>`SELECT current_database() AS name`;
  const reconnect = Effect.ignore(sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = ${name} ORDER BY pid = pg_backend_pid()`);
  yield* sql`ALTER DATABASE ${sql(name)} SET temp_file_limit = 0`.unprepared;
  yield* sql.unsafe(
    `CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
       END $$`,
  ).unprepared;
  yield* sql`CREATE TRIGGER disk_full BEFORE INSERT ON campaign EXECUTE FUNCTION disk_full()`.unprepared;
  yield* reconnect;
  return {
    /** Gives the disk space again. */
    free: Effect.gen(function* () {
      yield* sql`DROP TRIGGER disk_full ON campaign`.unprepared;
      yield* sql`ALTER DATABASE ${sql(name)} RESET temp_file_limit`.unprepared;
      yield* reconnect;
    }),
  };
}).pipe(Effect.orDie);

layer(TestWaypost.layer)("A database whose disk is full", (it) => {
  it.effect(
    "changes get 503 with Retry-After, readiness and a metric say why, and all recovers by itself " +
      "(B3.3, errors.service_unavailable, running.health)",
    () =>
      Effect.gen(function* () {
        const waypost = yield* TestWaypost;
        const { sandbox } = yield* waypost.tenant();
        const get = (path: string) =>
          Effect.promise(async () => {
            const response = await fetch(waypost.origin + path);
            return { status: response.status, text: await response.text() };
          });
        const isFull = Effect.map(get("/metrics"), ({ text }) =>
          /^waypost_database_disk_full(\{\})? (\d)/m.exec(text)?.at(2),
        );
        assert.strictEqual(yield* isFull, "0");

        const { free } = yield* fillDisk;
        const create = sandbox("/campaigns", { body: campaign("Stored") });
        const refused = yield* Effect.repeat(create, {
          // The first request can be on a connection that has just been ended.
          until: ({ body }) => !body.error.message.includes("cannot reach"),
        });
        assert.deepStrictEqual([refused.status, refused.body.error.code], [503, "service_unavailable"]);
        assert.strictEqual(refused.headers.get("retry-after"), "30");
        assert.deepStrictEqual(yield* get("/health/ready"), {
          status: 503,
          text: "the disk of the database is full\n",
        });
        assert.strictEqual(yield* isFull, "1");
        assert.strictEqual((yield* get("/health/live")).status, 200);
        assert.strictEqual((yield* sandbox("/campaigns")).status, 200);

        yield* free;
        yield* Effect.repeat(get("/health/ready"), { until: ({ status }) => status === 200 });
        assert.strictEqual(yield* isFull, "0");
        assert.strictEqual((yield* create).status, 201);
      }),
  );
});

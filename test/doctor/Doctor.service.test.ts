import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { inject } from "vitest";
import { databaseClock } from "../../src/database/DatabaseClock.ts";
import { instant } from "../../src/database/Rows.ts";
import { eventCampaign } from "../events/EventCampaignWorld.ts";
import { apnsCredentials, fcmCredentials } from "../sending/push/PushKeys.ts";
import { devices, event, locations } from "../reports/ReportHistory.ts";
import { record } from "../reports/RecordedHistory.ts";
import { Rollups } from "../../src/reports/rollups/Rollups.ts";
import { DAY_MS } from "../../src/time/DayNumbers.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { runCli } from "../cli/CommandLine.ts";
import { type DoctorReport, findingsOf, notOk } from "./ReportedFindings.ts";

layer(TestWaypost.layer)("waypost doctor with DATABASE_URL", (it) => {
  const secretKey = "secret-key-of-the-tests-0123456789";

  /** Settings with the database of this file. */
  const settings = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const [row] = yield* sql<{ name: string }>`SELECT current_database() AS name`;
    const { socketPath, username } = inject("testServer");
    const url = `postgres:///${row?.name}?host=${encodeURIComponent(dirname(socketPath))}&user=${username}`;
    return {
      DATABASE_URL: url,
      WAYPOST_DATA_DIR: "/nowhere/waypost-data",
      WAYPOST_OPERATOR_KEY: "operator-key-of-the-tests-0123456789",
      WAYPOST_SECRET_KEY: secretKey,
      WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
    };
  });

  const runDoctor = (variables: Record<string, string> = {}) =>
    Effect.gen(function* () {
      const environment = { ...(yield* settings), ...variables };
      const { code, stdout } = yield* runCli(["doctor", "--json"], environment);
      const report = JSON.parse(stdout) as DoctorReport;
      assert.strictEqual(code, report.ok ? 0 : 1);
      for (const { advice, observation, verdict } of report.findings) {
        assert.match(observation, /\.$/);
        if (verdict === "ok") assert.isNull(advice);
        else assert.isNotEmpty(advice ?? "");
      }
      return report;
    });

  it.effect("a server that may lose data and a wrong clock are problems", () =>
    Effect.gen(function* () {
      const report = yield* runDoctor();
      // The test server has fsync off, and the tests use TestClock.
      assert.includeDeepMembers(notOk(report), [
        ["database", "settings", "problem"],
        ["clock", "database", "problem"],
      ]);
      assert.include(
        findingsOf(report, "database", "settings")
          .map(({ observation }) => observation)
          .join(),
        "fsync is off",
      );
      for (const check of ["reached", "schema", "rights", "secret key"])
        assert.deepStrictEqual(
          findingsOf(report, "database", check).map(({ verdict }) => verdict),
          ["ok"],
          check,
        );
      assert.deepStrictEqual(
        findingsOf(report, "work", "workers").map(({ verdict }) => verdict),
        ["warning"],
      );
    }),
  );

  it.effect("the doctor checks push credentials and services without sending anything (running.doctor)", () =>
    Effect.gen(function* () {
      const { operator, workspace } = yield* TestWaypost;
      const received: Array<string> = [];
      const server = createServer((socket) => socket.on("data", (data) => received.push(String(data))));
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
        () => Effect.sync(() => server.close()),
      );
      const address = server.address();
      const here = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
      const { id } = yield* workspace();
      const put = (transport: string, body: object) =>
        operator(`/workspaces/${id}/sandbox/transports/${transport}`, { method: "PUT", body });
      yield* put("fcm", fcmCredentials({ base_url: here, token_uri: "http://127.0.0.1:1/token" }));
      yield* put("apns", apnsCredentials({ base_url: "http://no-such-host.invalid" }));
      yield* put("webpush", { subject: "mailto:push@example.com" });

      const report = yield* runDoctor();
      assert.deepStrictEqual(
        findingsOf(report, "push services", "credentials").map(({ verdict }) => verdict),
        ["ok"],
      );
      assert.deepStrictEqual(
        findingsOf(report, "push services", new URL(here).host).map(({ verdict }) => verdict),
        ["ok"],
      );
      assert.include(
        findingsOf(report, "push services", "127.0.0.1:1")[0]?.observation,
        "cannot be reached (ECONNREFUSED)",
      );
      assert.include(
        findingsOf(report, "push services", "no-such-host.invalid")[0]?.observation,
        "does not resolve",
      );
      assert.deepStrictEqual(received, []);

      const other = yield* runDoctor({ WAYPOST_SECRET_KEY: "another-secret-key-than-that-0123456789" });
      assert.lengthOf(findingsOf(other, "push services", "credentials"), 3);
      assert.include(
        findingsOf(other, "push services", "credentials")[0]?.observation,
        "cannot be decrypted with this secret key",
      );
    }),
  );

  it.effect("missed sends, late pushes and failed thumbnails are found (running.doctor)", () =>
    Effect.gen(function* () {
      const { workspace } = yield* TestWaypost;
      const sql = yield* SqlClient.SqlClient;
      yield* workspace();
      const [tenant] = yield* sql<{ id: number }>`SELECT max(id) AS id FROM workspace`;
      const send = (status: string, due: number) => sql`
        INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
          notification_key, due_at, status, finished_at)
        VALUES (${tenant?.id}, 'sandbox', gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid(), 1,
          ${instant(due)}, ${status}, ${status === "missed" ? instant(due) : null})`;
      // The doctor compares with the database's clock, which is not TestClock.
      yield* send("missed", (yield* databaseClock) - 3_600_000);
      yield* sql`
        INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, recurrence,
          plan_at, created_at, updated_at)
        VALUES (${tenant?.id}, 'production', gen_random_uuid(), 'Daily', 'push', 'UTC', ${instant(testStart)},
          '{"rule": "FREQ=DAILY", "except": []}', ${instant(testStart - 660_000)}, ${instant(testStart)},
          ${instant(testStart)})`;
      yield* sql`
        INSERT INTO push_queue (workspace_id, environment, source_id, device_key, transport, due_at)
        VALUES (${tenant?.id}, 'sandbox', 99, 1, 'fcm', ${instant(testStart - 600_000)})`;
      yield* sql`
        INSERT INTO media_file (workspace_id, environment, id, key, name, kind, mime_type, size_bytes,
          thumbnail, created_at, updated_at)
        VALUES (${tenant?.id}, 'sandbox', gen_random_uuid(), repeat('k', 32), 'A', 'image', 'image/png', 1,
          'failed', ${instant(testStart)}, ${instant(testStart)})`;
      const report = yield* runDoctor();
      const sendFindings = findingsOf(report, "work", "sends")
        .map(({ observation }) => observation)
        .join(" ");
      assert.include(sendFindings, "missed");
      assert.include(sendFindings, "The next date of 1 recurring campaign has not been planned.");
      assert.include(findingsOf(report, "work", "pushes")[0]?.observation, "1 push of 1 in the queue of fcm");
      assert.include(findingsOf(report, "work", "jobs")[0]?.observation, "1 picture will get no thumbnail");
    }),
  );

  it.effect("expiring tokens, tables without autovacuum and a newer schema are found", () =>
    Effect.gen(function* () {
      const { operator, workspace } = yield* TestWaypost;
      const sql = yield* SqlClient.SqlClient;
      const { id } = yield* workspace();
      const now = yield* databaseClock;
      yield* operator(`/workspaces/${id}/tokens`, {
        body: {
          name: "CRM",
          environment: "sandbox",
          abilities: ["reports:read"],
          expires_at: new Date(now + 5 * DAY_MS).toISOString(),
        },
      });
      yield* sql`ALTER TABLE delivery SET (autovacuum_enabled = false)`;
      yield* sql`INSERT INTO schema_migration (id, name, checksum, applied_at)
        SELECT max(id) + 1, '9999_later.sql', '', ${instant(testStart)} FROM schema_migration`;
      const report = yield* runDoctor();
      yield* sql`DELETE FROM schema_migration WHERE name = '9999_later.sql'`;
      yield* sql`ALTER TABLE delivery RESET (autovacuum_enabled)`;
      assert.include(findingsOf(report, "work", "tokens")[0]?.observation, 'The token "CRM" of');
      assert.include(
        findingsOf(report, "database", "upkeep")[0]?.observation,
        "Autovacuum is disabled for delivery",
      );
      assert.include(
        findingsOf(report, "database", "schema")[0]?.observation,
        "The database is newer than this program",
      );
    }),
  );

  it.effect("a live campaign whose event has never come is found (running.doctor)", () =>
    Effect.gen(function* () {
      const { happen, phone } = yield* eventCampaign({ event: "order.palced" }, { name: "Basket" });
      yield* happen(phone, "order.placed");
      const unheard = Effect.map(runDoctor(), (report) =>
        findingsOf(report, "work", "events").map(({ observation }) => observation),
      );
      assert.lengthOf(
        (yield* unheard).filter((each) => each.includes('"order.palced"')),
        1,
      );
      yield* happen(phone, "order.palced");
      assert.lengthOf(
        (yield* unheard).filter((each) => each.includes('"order.palced"')),
        0,
      );
    }),
  );

  it.effect("custom events are late a day after their retention, whatever that is (running.doctor)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const { workspace } = yield* eventCampaign();
      const at = instant((yield* databaseClock) - 92 * DAY_MS);
      yield* sql`INSERT INTO custom_event SELECT id, 'production', 1, gen_random_uuid(), 1, 'x', '{}',
        gen_random_uuid(), ${at}, ${at} FROM workspace WHERE public_id = ${workspace.id}`;
      const late = (variables: Record<string, string>) =>
        Effect.map(runDoctor(variables), (report) =>
          findingsOf(report, "work", "events").filter(({ observation }) => observation.includes("retention")),
        );
      assert.lengthOf(yield* late({}), 1);
      assert.lengthOf(yield* late({ WAYPOST_CUSTOM_EVENT_RETENTION_DAYS: "365" }), 0);
    }),
  );

  it.effect("a database without a schema is a warning, and no check fails on it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      yield* sql`CREATE DATABASE doctor_empty TEMPLATE template0`.unprepared;
      const { DATABASE_URL } = yield* settings;
      const empty = DATABASE_URL.replace(/\/test_\w+/, "/doctor_empty");
      const report = yield* Effect.ensuring(
        runDoctor({ DATABASE_URL: empty }),
        Effect.ignore(sql`DROP DATABASE doctor_empty WITH (FORCE)`.unprepared),
      );
      assert.deepStrictEqual(
        findingsOf(report, "database", "schema").map(({ verdict }) => verdict),
        ["warning"],
      );
      assert.deepStrictEqual(
        report.findings.filter(({ observation }) => observation.includes("The check failed")),
        [],
      );
    }),
  );

  it.effect(
    "waypost doctor --reports shows the state of rollups, and --rebuild rebuilds them (running.rollups)",
    () =>
      Effect.gen(function* () {
        const workspaces = yield* Workspaces;
        const sql = yield* SqlClient.SqlClient;
        const rollups = yield* Rollups;
        const { sandbox, workspace } = yield* (yield* TestWaypost).tenant();
        const { workspaceId } = yield* Effect.orDie(workspaces.find(workspace.id));
        yield* record(workspaceId, "sandbox", {
          devices: devices(2),
          locations: locations(1),
          events: [event(0, 1, { occurredAt: testStart - 5 * 86_400_000 })],
        });
        const rollUp = Effect.gen(function* () {
          while (yield* rollups.step);
        });
        const environment = yield* settings;
        const run = (...parameters: ReadonlyArray<string>) =>
          runCli(["doctor", "--reports", ...parameters], environment);
        const line = (state: string) => `${workspace.name} (sandbox): ${state}.\n`;
        const entries = Effect.map(
          sandbox("/reports/summary"),
          ({ body }) => body.data.totals.geofence_entries,
        );

        const before = yield* run();
        assert.deepStrictEqual([before.code, before.stderr], [0, ""]);
        assert.include(
          before.stdout,
          line("waiting for a rebuild; reports count row by row, 1 pending delta"),
        );
        yield* rollUp;
        assert.include((yield* run()).stdout, line("complete, 0 pending deltas"));

        yield* sql`DELETE FROM event_rollup WHERE workspace_id = ${workspaceId}`;
        assert.strictEqual(yield* entries, 0);
        const started = JSON.parse((yield* run("--rebuild", "--json")).stdout);
        const state = { workspace: workspace.id, name: workspace.name, environment: "sandbox" };
        assert.deepInclude(started.environments, { ...state, state: "invalid", pending_deltas: 0 });
        assert.strictEqual(started.rebuilding, started.environments.length);
        assert.strictEqual(yield* entries, 1);
        yield* rollUp;
        const { environments } = JSON.parse((yield* run("--json")).stdout);
        assert.deepInclude(environments, { ...state, state: "complete", pending_deltas: 0 });
        assert.strictEqual(yield* entries, 1);
        assert.strictEqual((yield* runCli(["doctor", "--rebuild"], environment)).code, 2);
      }),
  );
});

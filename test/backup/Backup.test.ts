import { afterAll, assert, beforeAll, describe, it, vi } from "vitest";
import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { asker } from "../TestWaypost.ts";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { collection, pointFeature, polygonFeature } from "../locations/Features.ts";
import { prepareData } from "../database/embedded/PreparedData.ts";
import { CliProcess } from "../cli/CliProcess.ts";
import { runCli } from "../cli/CommandLine.ts";

let home = "";
/** Runs during all tests, with data of every kind. */
let source: CliProcess;
let served: Awaited<ReturnType<CliProcess["serve"]>>;
let key = "";
let filled: Awaited<ReturnType<typeof fill>>;
/** A backup made while it ran, and its rows at that moment. */
let file = "";
let before: Awaited<ReturnType<typeof rowsOf>>;
const restored: Array<CliProcess> = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "waypost-backup-"));
  // As root, the database runs under another account, which must be able to enter the folder.
  await chmod(home, 0o755);
  source = new CliProcess(join(home, "data"));
  await prepareData(source.dataDir);
  served = await source.serve();
  key = await source.operatorKey();
  filled = await fill(served.origin, key);
  file = join(home, "backup.tar.gz");
  await jobsDone(source.dataDir);
  const made = await source.run(["backup", file, "--json"]);
  assert.strictEqual(made.code, 0, made.stderr);
  assert.deepInclude(JSON.parse(made.stdout), { media_store: "disk", media_missing: [] });
  before = await rowsOf(source.dataDir);
});

afterAll(async () => {
  for (const each of [source, ...restored]) await each.dispose();
  await rm(home, { recursive: true, force: true });
});

/** Runs a command in this process. */
const runHere = (
  { dataDir }: CliProcess,
  parameters: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {},
) => Effect.runPromise(runCli(parameters, { WAYPOST_DATA_DIR: dataDir, ...variables }));

const target = (name: string): CliProcess => {
  const made = new CliProcess(join(home, name));
  restored.push(made);
  return made;
};

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

type Request = (path: string, ask?: Parameters<ReturnType<typeof asker>>[1]) => Promise<any>;

const requests = (base: string, credential: string): Request => {
  const ask = asker(base, credential);
  return async (path, options) => {
    const { body, status } = await Effect.runPromise(ask(path, options));
    assert.isBelow(status, 300, `${path}: ${JSON.stringify(body)}`);
    return body.data;
  };
};

/** Creates a workspace with data of every kind. */
const fill = async (origin: string, key: string) => {
  const operator = requests(`${origin}/operator/v1`, key);
  const plan = {
    sandbox_requests_per_minute: null,
    sandbox_writes_per_minute: null,
    sandbox_requests_per_day: null,
  };
  const { id } = await operator("/workspaces", { body: { name: 'A "quoted", (odd) \\ name\n', plan } });
  const abilities = [
    "campaigns:write",
    "campaigns:read",
    "locations:write",
    "locations:read",
    "media:write",
    "media:read",
    "notifications:write",
    "notifications:read",
    "reports:read",
  ];
  const { token } = await operator(`/workspaces/${id}/tokens`, {
    body: { name: "T", environment: "sandbox", abilities },
  });
  const { sdk_key } = await operator(`/workspaces/${id}/sandbox/sdk-keys`, { body: { name: "App" } });
  const rule = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] };
  await operator(`/workspaces/${id}/sandbox/segments`, { body: { name: "Gold", rule } });
  const platform = requests(`${origin}/sandbox/platform/v1`, token);
  const ring = [
    [4, 52],
    [5, 52],
    [5, 53],
    [4, 53],
    [4, 52],
  ];
  const { results } = await platform("/locations/import", {
    body: collection(
      pointFeature({ group: "G", external_id: "{a,b}" }, [4.123456789012345, 52.1]),
      polygonFeature(ring),
    ),
    headers: { "idempotency-key": randomUUID() },
  });
  const form = new FormData();
  form.append("file", new Blob([pixel], { type: "image/png" }), "dot.png");
  const media = await platform("/media", { body: form, method: "POST" });
  const campaign = await platform("/campaigns", {
    body: {
      name: "C",
      type: "geo",
      timezone: "UTC",
      starts_at: new Date().toISOString().slice(0, 10),
      location_group_names: ["G"],
    },
  });
  await platform(`/campaigns/${campaign.id}/notifications`, {
    body: {
      name: "N",
      type: "message",
      headline: "H",
      body: "B 😀",
      media_asset_id: media.id,
      trigger_type: "on_enter",
    },
  });
  const device = requests(`${origin}/device/v1`, sdk_key);
  const registered = await device("/devices/phone", {
    method: "PUT",
    body: { platform: "ios", app_version: "1.10.2", attributes: { plan: "gold", n: 0.1 } },
  });
  await operator(`/workspaces/${id}/sandbox/devices/${registered.id}`, {
    method: "PATCH",
    body: { approved: true },
  });
  const { deliveries } = await requests(`${origin}/device/v1`, registered.device_token)("/events", {
    body: {
      events: [
        {
          id: randomUUID(),
          type: "enter",
          location_id: results[0].id,
          occurred_at: new Date().toISOString(),
        },
      ],
    },
  });
  assert.lengthOf(deliveries, 1);
  return { platform, mediaUrl: media.url as string };
};

/** Every row of every table, as JSON. */
const rowsOf = async (dataDir: string) => {
  const folder = (await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8")).split("\n")[4] ?? "";
  const read = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    const tables = yield* sql<{ name: string }>`
      SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;
    const all: Record<string, ReadonlyArray<string>> = {};
    for (const { name } of tables) {
      const rows = yield* sql<{ line: string }>`SELECT to_jsonb(t)::text AS line FROM ${sql(name)} AS t`;
      all[name] = rows.map(({ line }) => line).toSorted();
    }
    const sequences = yield* sql`SELECT sequencename, last_value::text FROM pg_sequences ORDER BY 1`;
    return { all, sequences };
  });
  const path = join(folder, ".s.PGSQL.5432");
  const client = postgresLayer({ _tag: "socket", path, username: "waypost", database: "waypost" });
  return Effect.runPromise(Effect.provide(read, client));
};

/**
 * Waits until the background jobs have added all deltas and created all thumbnails. Then rows no longer
 * change.
 */
const jobsDone = (dataDir: string) =>
  vi.waitUntil(
    async () => {
      const { all } = await rowsOf(dataDir);
      const deltas = Object.keys(all).filter((table) => table.endsWith("_delta"));
      const hasDeltas = deltas.some((table) => all[table]?.length !== 0);
      return !hasDeltas && !all["media_file"]?.some((row) => row.includes('"pending"'));
    },
    { timeout: 120_000, interval: 200 },
  );

describe("backups", () => {
  it("a backup of a running server restores rows, sequences, media and keys (running.backup)", async () => {
    assert.strictEqual((await stat(file)).mode & 0o777, 0o600);
    const bytes = Buffer.from(await (await fetch(filled.mediaUrl)).arrayBuffer());
    assert.isTrue(bytes.equals(pixel));
    const again = await runHere(source, ["backup", file]);
    assert.deepStrictEqual([again.code, again.stdout], [1, ""]);
    assert.include(again.stderr, "already exists");
    const onto = await runHere(source, ["restore", file]);
    assert.strictEqual(onto.code, 1);
    assert.include(onto.stderr, "is not empty");

    const copy = target("restored");
    const done = await copy.run(["restore", file]);
    assert.strictEqual(done.code, 0, done.stderr);
    assert.strictEqual(await copy.operatorKey(), key);
    assert.deepStrictEqual((await readdir(home)).toSorted(), ["backup.tar.gz", "data", "restored"]);
    const revived = await copy.serve({ WAYPOST_ROLES: "api" });
    const after = await rowsOf(copy.dataDir);
    for (const [table, rows] of Object.entries(before.all))
      assert.deepStrictEqual(after.all[table], rows, table);
    assert.deepStrictEqual(after, before);
    assert.isAbove(Object.values(before.all).filter((rows) => rows.length > 0).length, 15);
    const moved = filled.mediaUrl.replace(served.origin, revived.origin);
    assert.isTrue(Buffer.from(await (await fetch(moved)).arrayBuffer()).equals(pixel));
    await fill(revived.origin, key);
    await revived.ends("SIGTERM");
    // A backup of a data directory that no process uses.
    const cold = await runHere(copy, ["backup", join(home, "cold.tar.gz")]);
    assert.strictEqual(cold.code, 0, cold.stderr);
  });

  it("a backup is consistent while rows are written (running.backup)", async () => {
    let isWriting = true;
    let written = 0;
    const writer = async (): Promise<void> => {
      while (isWriting) {
        await filled.platform("/locations/import", {
          body: collection(
            pointFeature({ group: "Three" }),
            pointFeature({ group: "Three" }),
            pointFeature({ group: "Three" }),
          ),
          headers: { "idempotency-key": randomUUID() },
        });
        written++;
      }
    };
    const writers = [writer(), writer()];
    const during = join(home, "during.tar.gz");
    const made = await source.run(["backup", during]);
    isWriting = false;
    await Promise.all(writers);
    assert.strictEqual(made.code, 0, made.stderr);
    assert.isAbove(written, 1);

    const copy = target("consistent");
    const done = await runHere(copy, ["restore", during]);
    assert.strictEqual(done.code, 0, done.stderr);
    await copy.serve({ WAYPOST_ROLES: "api" });
    const { all } = await rowsOf(copy.dataDir);
    const imports = (all["idempotent_response"] ?? []).length - 1;
    assert.isAtLeast(imports, 0);
    assert.isAtMost(imports, written);
    assert.strictEqual((all["location"] ?? []).length, 2 + 3 * imports);
    assert.strictEqual((all["location_group_member"] ?? []).length, 1 + 3 * imports);
  });

  it("a damaged, truncated or newer backup restores nothing and says why (running.backup)", async () => {
    const whole = await readFile(file);
    const good = gunzipSync(whole);
    const nowhere = target("nowhere");
    const refuses = async (bytes: Buffer, why: RegExp): Promise<void> => {
      const bad = join(home, `${createHash("sha256").update(bytes).digest("hex")}.tar.gz`);
      await writeFile(bad, bytes);
      const { code, stderr } = await runHere(nowhere, ["restore", bad]);
      assert.strictEqual(code, 1);
      assert.match(stderr, why);
      const names = await readdir(home);
      assert.deepStrictEqual(
        names.filter((name) => name.startsWith("nowhere")),
        [],
      );
    };
    const changed = Buffer.from(good);
    changed[520] = (changed[520] ?? 0) ^ 1;
    await refuses(gzipSync(changed), /checksums do not match/);
    await refuses(whole.subarray(0, whole.length - 2_000), /damaged or truncated/);
    await refuses(Buffer.from("PK not at all"), /damaged or truncated/);
    await refuses(gzipSync(Buffer.alloc(2_000, "x")), /not a valid archive/);
    const newer = Buffer.from(
      good.toString("latin1").replace(/0001_workspaces\.sql/, "0001_xorkspaces.sql"),
      "latin1",
    );
    await refuses(gzipSync(newer), /newer Waypost|checksums/);
    const none = await runHere(nowhere, ["restore", join(home, "none")]);
    assert.deepStrictEqual([none.code, none.stdout], [1, ""]);
    const nothing = await runHere(nowhere, ["backup", join(home, "x.tar.gz")]);
    assert.include(nothing.stderr, "There is no embedded database");
    const aFile = target("a-file");
    await writeFile(aFile.dataDir, "");
    assert.match(
      (await runHere(aFile, ["restore", file])).stderr,
      /cannot be the data directory: a part of the path is not a folder/,
    );
    assert.match((await runHere(nowhere, ["restore", home])).stderr, /cannot be restored: it is a folder/);
    const external = await runHere(nowhere, ["restore", file], { DATABASE_URL: "postgres://x@127.0.0.1/x" });
    assert.include(external.stderr, "pg_dump");
  });
});

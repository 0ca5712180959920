import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { createHash } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { Effect } from "effect";
import { prepareData } from "../database/embedded/PreparedData.ts";
import { CliProcess } from "../cli/CliProcess.ts";
import { runCli } from "../cli/CommandLine.ts";
import { pixel } from "../given/GivenBodies.ts";
import { fill, jobsDone, rowsOf } from "./BackupData.ts";

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
    const DATABASE_URL = "postgres://x@127.0.0.1:1/x";
    const external = await runHere(nowhere, ["restore", file], { DATABASE_URL });
    assert.include(external.stderr, "The database at 127.0.0.1:1/x cannot be used");
    const keyless = await runHere(nowhere, ["backup", join(home, "x.tar.gz")], { DATABASE_URL });
    assert.include(keyless.stderr, "There is no secret.key");
  });
});

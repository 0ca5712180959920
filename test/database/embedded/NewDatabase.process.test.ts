import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach } from "vitest";
import { EmbeddedPostgres } from "../../../src/database/embedded/EmbeddedPostgres.ts";
import { closedFolder } from "../../../src/database/embedded/PostgresAccount.ts";
import { assertNoPostgresLeft, endAll, startDatabaseProcess } from "../RealProcesses.ts";
import { databaseParent } from "../../TestFolder.ts";

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const isCloneOpen = (await closedFolder(fileURLToPath(import.meta.url))) === undefined;

let home = "";
/** A data directory that does not exist yet. */
let newDir = "";

beforeEach(async () => {
  home = await mkdtemp(join(databaseParent, "waypost-embedded-"));
  // The database's account must reach a data directory of root.
  await chmod(home, 0o755);
  newDir = join(home, "new");
});

afterEach(async () => {
  endAll();
  if (await stat(join(newDir, "postgres")).catch(() => undefined)) await assertNoPostgresLeft(newDir);
  await rm(home, { recursive: true, force: true });
});

describe("a new embedded database", () => {
  it("a first start that was killed is repeated, and closes the data directory (running.data)", async () => {
    await mkdir(join(newDir, "postgres.new"), { recursive: true, mode: 0o700 });
    await writeFile(join(newDir, "waypost.lock"), "");
    await writeFile(join(newDir, "postgres.new", "PG_VERSION"), "18\n");
    const waypost = startDatabaseProcess(newDir);
    await waypost.says("ready 1");
    assert.notInclude(await readdir(newDir), "postgres.new");
    assert.strictEqual((await stat(newDir)).mode & 0o777, 0o700);
    for (const name of ["operator.key", "secret.key", "postgres.log"]) {
      const { mode, uid } = await stat(join(newDir, name));
      assert.deepStrictEqual([name, mode & 0o777, uid], [name, 0o600, process.getuid?.()]);
    }
    assert.notStrictEqual((await stat(join(newDir, "postgres"))).uid, 0);
    await waypost.ends("SIGTERM");
  });

  it.runIf(isRoot)("as root, a folder that the database's account cannot enter is reported", async () => {
    await mkdir(newDir);
    await chmod(home, 0o700);
    const start = Effect.scoped(EmbeddedPostgres.make({ directory: newDir }));
    const { message } = await Effect.runPromise(Effect.flip(start));
    assert.include(message, `the folder ${home} is closed to it`);
    assert.include(message, "Set WAYPOST_DATA_DIR to a directory such as /var/lib/waypost");
  });

  it.runIf(isRoot && isCloneOpen)(
    "the embedded database runs as an ordinary user, and then as root on the same data",
    async () => {
      await chown(home, nobody, nobody);
      const waypost = startDatabaseProcess(newDir, { uid: nobody, gid: nobody });
      await waypost.says("ready 1");
      assert.strictEqual((await stat(join(newDir, "operator.key"))).uid, nobody);
      await waypost.ends("SIGTERM");
      await assertNoPostgresLeft(newDir);
      const asRoot = startDatabaseProcess(newDir);
      await asRoot.says("ready 2");
      await asRoot.ends("SIGTERM");
    },
  );
});

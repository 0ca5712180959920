import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { chmod, cp, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresAccount, runAs } from "../../../src/database/embedded/PostgresAccount.ts";
import { PostgresBinaries, reachableBinaries } from "../../../src/database/embedded/PostgresBinaries.ts";

const self: PostgresAccount = { name: "this account", drop: undefined };

describe("reachableBinaries", () => {
  it.live("programs that the account cannot run are copied once, with their links", () =>
    Effect.gen(function* () {
      const home = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-binaries-"))),
        (made) => Effect.promise(() => rm(made, { recursive: true })),
      );
      const dataDir = join(home, "data");
      const packaged = yield* yield* PostgresBinaries;
      const broken = { ...packaged, path: join(home, "package") };
      const found = yield* Effect.promise(async () => {
        await mkdir(dataDir);
        await cp(packaged.path, broken.path, { recursive: true, verbatimSymlinks: true });
        // As after an install without scripts and with a strict umask.
        for (const [link] of broken.links) await rm(join(broken.path, link), { force: true });
        await chmod(join(broken.path, "bin/postgres"), 0o600);
        return (await readdir(join(packaged.path, "lib"))).filter((name) => !name.endsWith(".a"));
      });
      const reach = reachableBinaries(self, dataDir).pipe(
        Effect.provideService(PostgresBinaries, Effect.succeed(broken)),
      );
      const copy = yield* reach;
      assert.strictEqual(copy, join(dataDir, "runtime", `postgres-${packaged.version}`));
      assert.sameMembers(yield* Effect.promise(() => readdir(join(copy, "lib"))), found);
      assert.match(
        (yield* runAs(self, join(copy, "bin/postgres"), ["--version"])).output,
        /^postgres \(PostgreSQL\) 1\d/,
      );

      const madeAt = (yield* Effect.promise(() => stat(copy))).ctimeMs;
      assert.strictEqual(yield* reach, copy);
      assert.strictEqual((yield* Effect.promise(() => stat(copy))).ctimeMs, madeAt);
    }).pipe(Effect.scoped),
  );
});

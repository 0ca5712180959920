import { assert, describe, it } from "@effect/vitest";
import { Effect, Logger } from "effect";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tellReady } from "../../src/cli/SystemdUnit.ts";

/** A folder on the path whose systemd-notify runs these lines, and what was logged. */
const world = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
  const folder = yield* Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-notify-")));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = join(folder, "systemd-notify");
  yield* Effect.promise(() => writeFile(program, ["#!/bin/sh", ...lines, ""].join("\n")));
  yield* Effect.promise(() => chmod(program, 0o755));
  const logged: Array<string> = [];
  const keep = Logger.make(({ message }) => void logged.push(String(message)));
  const tell = (record: Readonly<Record<string, string>>) =>
    Effect.provide(tellReady({ PATH: `${folder}:/usr/bin:/bin`, ...record }), Logger.layer([keep]));
  return { folder, logged, tell };
});

describe("a unit of Type=notify", () => {
  it.effect("is told through its own socket that Waypost is ready, and nothing of the settings", () =>
    Effect.gen(function* () {
      const { folder, logged, tell } = yield* world(
        `echo "$@" $NOTIFY_SOCKET $WAYPOST_SECRET_KEY > "$(dirname "$0")/told"`,
      );
      yield* tell({ NOTIFY_SOCKET: "/run/systemd/notify", WAYPOST_SECRET_KEY: "of-waypost" });
      const told = yield* Effect.promise(() => readFile(join(folder, "told"), "utf8"));
      assert.strictEqual(told, "--ready /run/systemd/notify\n");
      assert.deepStrictEqual(logged, []);
    }),
  );

  it.effect("is not looked for where nothing waits", () =>
    Effect.gen(function* () {
      const { folder, tell } = yield* world(`touch "$(dirname "$0")/told"`);
      yield* tell({});
      const told = yield* Effect.promise(() => readFile(join(folder, "told")).catch(() => null));
      assert.isNull(told);
    }),
  );

  it.effect("that cannot be told leaves Waypost running, and the log says why", () =>
    Effect.gen(function* () {
      const { logged, tell } = yield* world("echo 'Failed to connect' >&2", "exit 1");
      yield* tell({ NOTIFY_SOCKET: "/nowhere" });
      yield* tell({ NOTIFY_SOCKET: "/nowhere", PATH: "/nowhere" });
      assert.lengthOf(logged, 2);
      assert.match(logged[0] ?? "", /Failed to connect\. The unit needs NotifyAccess=all/);
      assert.match(logged[1] ?? "", /systemd-notify ENOENT/);
    }),
  );
});

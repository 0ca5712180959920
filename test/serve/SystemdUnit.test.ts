import { assert, describe, it } from "@effect/vitest";
import { Effect, Logger } from "effect";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { notifyReady } from "../../src/serve/SystemdUnit.ts";

/** A folder on the path with a systemd-notify that runs these lines, and the messages logged. */
const fakeSystemd = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
  const folder = yield* Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-notify-")));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = join(folder, "systemd-notify");
  yield* Effect.promise(() => writeFile(program, ["#!/bin/sh", ...lines, ""].join("\n")));
  yield* Effect.promise(() => chmod(program, 0o755));
  const logged: Array<string> = [];
  const keep = Logger.make(({ message }) => void logged.push(String(message)));
  const notify = (record: Readonly<Record<string, string>>) =>
    Effect.provide(notifyReady({ PATH: `${folder}:/usr/bin:/bin`, ...record }), Logger.layer([keep]));
  return { folder, logged, notify };
});

describe("a systemd unit of Type=notify", () => {
  it.effect("systemd is notified that Waypost is ready, and learns no setting", () =>
    Effect.gen(function* () {
      const { folder, logged, notify } = yield* fakeSystemd(
        `echo "$@" $NOTIFY_SOCKET $WAYPOST_SECRET_KEY > "$(dirname "$0")/called"`,
      );
      yield* notify({ NOTIFY_SOCKET: "/run/systemd/notify", WAYPOST_SECRET_KEY: "of-waypost" });
      const called = yield* Effect.promise(() => readFile(join(folder, "called"), "utf8"));
      assert.strictEqual(called, "--ready /run/systemd/notify\n");
      assert.deepStrictEqual(logged, []);
    }),
  );

  it.effect("systemd-notify does not run without NOTIFY_SOCKET", () =>
    Effect.gen(function* () {
      const { folder, notify } = yield* fakeSystemd(`touch "$(dirname "$0")/called"`);
      yield* notify({});
      const called = yield* Effect.promise(() => readFile(join(folder, "called")).catch(() => null));
      assert.isNull(called);
    }),
  );

  it.effect("a failed notification leaves Waypost running, and the log says why", () =>
    Effect.gen(function* () {
      const { logged, notify } = yield* fakeSystemd("echo 'Failed to connect' >&2", "exit 1");
      yield* notify({ NOTIFY_SOCKET: "/nowhere" });
      yield* notify({ NOTIFY_SOCKET: "/nowhere", PATH: "/nowhere" });
      assert.lengthOf(logged, 2);
      assert.match(logged[0] ?? "", /Failed to connect\. The unit needs NotifyAccess=all/);
      assert.match(logged[1] ?? "", /systemd-notify ENOENT/);
    }),
  );
});

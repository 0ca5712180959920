import { assert, layer } from "@effect/vitest";
import { Cause, Effect, Exit } from "effect";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { countConflict } from "../../src/http/IdempotencyMetrics.ts";
import { observedRun } from "../../src/workers/JobMetrics.ts";
import { checkedStore, MediaStoreUnavailable } from "../../src/media/store/MediaStore.ts";
import { asker, TestWaypost } from "../TestWaypost.ts";

const valueOf = (series: ReadonlyMap<string, number>, isIt: (name: string) => boolean): number | undefined =>
  [...series].find(([name]) => isIt(name))?.[1];

// Other test files share the process and its metrics, so tests compare what they add.
layer(TestWaypost.layer)("GET /metrics", (it) => {
  /** The value of each series by its name and labels. */
  const scrape = Effect.gen(function* () {
    const { origin } = yield* TestWaypost;
    const { body, headers, status } = yield* asker(origin, null)("/metrics");
    assert.strictEqual(status, 200);
    assert.match(headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
    const series = new Map<string, number>();
    for (const line of String(body).split("\n")) {
      const [, name, value] = /^([a-zA-Z_:][^ {]*(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      if (name !== undefined) series.set(name, Number(value));
    }
    return series;
  });

  it.effect("metrics of the database, the disk and the process are all listed in docs/operating.md", () =>
    Effect.gen(function* () {
      const series = yield* scrape;
      assert.strictEqual(series.get("waypost_database_up"), 1);
      assert.isAbove(series.get("waypost_data_dir_free_bytes") ?? 0, 0);
      assert.isAbove(series.get("waypost_memory_bytes") ?? 0, 10_000_000);
      assert.isAtLeast(series.get("waypost_event_loop_delay_seconds") ?? -1, 0);
      const page = readFileSync(join(import.meta.dirname, "../../docs/operating.md"), "utf8");
      const unknown = [...series.keys()]
        .map((name) => name.replace(/\{.*/, "").replace(/_(bucket|sum|count|min|max)$/, ""))
        .filter((name) => !page.includes(`| \`${name}`));
      assert.deepStrictEqual([...new Set(unknown)], []);
    }),
  );

  it.effect("metrics count repeated requests, runs of jobs, and waits for the database", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const earlier = yield* scrape;
      const body = { name: "A", type: "push", timezone: "UTC", starts_at: "2026-12-01" };
      for (let sent = 0; sent < 2; sent++)
        yield* sandbox("/campaigns", { body, headers: { "idempotency-key": "metrics-1" } });
      yield* countConflict;
      yield* observedRun("retention", Effect.void, true);
      yield* Effect.exit(observedRun("retention", Effect.fail(new Error("a fault")), true));
      const interrupted = yield* Effect.exit(observedRun("retention", Effect.interrupt, true));
      assert.isTrue(Exit.isFailure(interrupted) && Cause.hasInterruptsOnly(interrupted.cause));
      const series = yield* scrape;
      const named = (name: string) => (each: string) =>
        each.startsWith(name.split(" ")[0] ?? "") && name.split(" ").every((part) => each.includes(part));
      const of = (name: string) => valueOf(series, named(name)) ?? 0;
      const more = (name: string) => of(name) - (valueOf(earlier, named(name)) ?? 0);
      assert.strictEqual(more('waypost_idempotency_total outcome="replayed"'), 1);
      assert.strictEqual(more('waypost_idempotency_total outcome="conflict"'), 1);
      assert.strictEqual(more('waypost_job_runs_total name="retention" outcome="done"'), 1);
      assert.strictEqual(more('waypost_job_runs_total name="retention" outcome="failed"'), 1);
      assert.isAbove(of('waypost_job_last_success_timestamp_seconds name="retention"'), 1_700_000_000);
      assert.isAbove(more("waypost_database_wait_seconds_count"), 0);
    }),
  );

  it.effect("metrics count failures of the media store by operation", () =>
    Effect.gen(function* () {
      const earlier = yield* scrape;
      const fail = () => Effect.fail(new MediaStoreUnavailable({ problem: "the disk is full" }));
      const store = checkedStore({ put: fail, read: fail, remove: fail });
      const key = "k".repeat(32);
      yield* Effect.exit(store.put(key, { content: new Uint8Array(), mimeType: "text/plain" }));
      yield* Effect.exit(Effect.scoped(store.read(key)));
      yield* Effect.exit(store.remove(key));
      const series = yield* scrape;
      for (const operation of ["put", "read", "remove"]) {
        const name = `waypost_media_store_failures_total{operation="${operation}"}`;
        assert.strictEqual((series.get(name) ?? 0) - (earlier.get(name) ?? 0), 1);
      }
    }),
  );
});

import { assert, describe, it } from "@effect/vitest";
import { Effect, Fiber, Layer, Result } from "effect";
import { HttpServerRequest } from "effect/http";
import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { vi } from "vitest";
import { outsideWork } from "../../../src/http/OutsideTransaction.ts";
import { ImportLimits, ImportReader } from "../../../src/locations/import/ImportReader.ts";
import { ImportThread, ImportThreadFailed } from "../../../src/locations/import/ImportThread.ts";
import { collection, pointFeature } from "../Features.ts";

const limits = {
  maxRunning: 2,
  maxRunningOfOwner: 1,
  maxWaiting: Infinity,
  maxWaitingOfOwner: 1,
  waitMillis: 600_000,
  answerMillis: 600_000,
  idleMillis: 0,
  heapMegabytes: 64,
};

const sandbox = { workspaceId: 1, environment: "sandbox" } as const;
const other = { workspaceId: 2, environment: "sandbox" } as const;

const headers = { "content-type": "application/geo+json" };

const requestOf = (body: string | ReadableStream) =>
  HttpServerRequest.fromWeb(
    new Request("http://waypost/", { method: "POST", body, headers, duplex: "half" }),
  );

/** The body of an import that stalls after its first half until `finish`. */
const stalled = () => {
  const [text, half] = [JSON.stringify(collection(pointFeature())), 40];
  const bytes = new TextEncoder().encode(text);
  const started = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  let isFirst = true;
  const body = new ReadableStream({
    async pull(controller) {
      if (isFirst) {
        isFirst = false;
        controller.enqueue(bytes.subarray(0, half));
        return;
      }
      started.resolve();
      await finished.promise;
      controller.enqueue(bytes.subarray(half));
      controller.close();
    },
  });
  return { body, started: Effect.promise(() => started.promise), finish: Effect.sync(finished.resolve) };
};

const test = (name: string, run: (reader: ImportReader["Service"]) => Effect.Effect<void, unknown>) =>
  it.live(name, () =>
    Effect.flatMap(ImportReader, run).pipe(
      Effect.provide(ImportReader.layer.pipe(Layer.provide(Layer.succeed(ImportLimits, limits)))),
    ),
  );

describe("ImportReader", () => {
  test("features are read outside of the transaction that stores the response (J2)", (reader) =>
    Effect.gen(function* () {
      const { catchUp, provide } = outsideWork();
      const reading = provide(reader.read(sandbox, requestOf(JSON.stringify(collection(pointFeature())))));
      const given = yield* Effect.exit(reading);
      assert.isTrue(given._tag === "Failure" && (yield* catchUp(given.cause)));
      assert.lengthOf((yield* reading).features, 1);
    }).pipe(Effect.scoped));

  test("an import waits for others of its environment, and not for those of another (B3.8)", (reader) =>
    Effect.gen(function* () {
      const slow = stalled();
      const order: Array<string> = [];
      const read = (name: string, tenant: typeof sandbox | typeof other, body: string | ReadableStream) =>
        Effect.scoped(reader.read(tenant, requestOf(body))).pipe(
          Effect.tap(() => Effect.sync(() => order.push(name))),
          Effect.forkChild,
        );
      const first = yield* read("first", sandbox, slow.body);
      yield* slow.started;
      const second = yield* read("second", sandbox, JSON.stringify(collection()));
      yield* Fiber.join(yield* read("other", other, JSON.stringify(collection())));
      const third = yield* Effect.result(
        Effect.scoped(reader.read(sandbox, requestOf(JSON.stringify(collection())))),
      );
      assert.deepStrictEqual(
        Result.isFailure(third) && [
          third.failure._tag,
          "retryAfter" in third.failure && third.failure.retryAfter,
        ],
        ["ServiceUnavailable", 5],
      );
      yield* slow.finish;
      yield* Fiber.join(first);
      yield* Fiber.join(second);
      assert.deepStrictEqual(order, ["other", "first", "second"]);
    }));

  test("a client that leaves lets the next import begin (B3.8)", (reader) =>
    Effect.gen(function* () {
      const slow = stalled();
      const leaving = yield* Effect.forkChild(Effect.scoped(reader.read(sandbox, requestOf(slow.body))));
      yield* slow.started;
      const next = yield* Effect.forkChild(
        Effect.scoped(reader.read(sandbox, requestOf(JSON.stringify(collection(pointFeature()))))),
      );
      yield* Fiber.interrupt(leaving);
      assert.lengthOf((yield* Fiber.join(next)).features, 1);
    }));

  test("all problems around the features are reported together (B4, G7.1)", (reader) =>
    Effect.gen(function* () {
      const read = (body: object) =>
        Effect.map(
          Effect.result(Effect.scoped(reader.read(sandbox, requestOf(JSON.stringify(body))))),
          (result) =>
            Result.isFailure(result) && result.failure._tag === "Unprocessable"
              ? Object.keys(result.failure.error.fields ?? {})
              : [],
        );
      const crs = { type: "name", properties: { name: "EPSG:3857" } };
      assert.deepStrictEqual(yield* read({ crs }), ["type", "features", "crs"]);
      const features = Array.from({ length: 10_001 }, () => 0);
      assert.deepStrictEqual(yield* read({ features, type: "FeatureCollection" }), ["features"]);
      assert.deepStrictEqual(yield* read({ crs, type: "Other", features }), ["type", "features", "crs"]);
    }));

  test("the thread ends when no import has used it for a while, which frees its memory (B3.8)", (reader) =>
    Effect.gen(function* () {
      yield* Effect.scoped(reader.read(sandbox, requestOf(JSON.stringify(collection()))));
      yield* Effect.promise(() =>
        vi.waitFor(async () => assert.isFalse(await Effect.runPromise(reader.isThreadRunning)), 60_000),
      );
      const again = yield* Effect.scoped(reader.read(sandbox, requestOf(JSON.stringify(collection()))));
      assert.lengthOf(again.features, 0);
    }));
});

/** The threads of this process. */
const threads = () => readdirSync("/proc/self/task").map(Number);

describe("ImportThread", () => {
  it.runIf(process.platform === "linux")(
    "the thread waits for others that need the CPU (running.neighbours)",
    async () => {
      const before = new Set(threads());
      const thread = new ImportThread({ ...limits, idleMillis: 600_000 });
      const body = thread.open();
      await body.push(new TextEncoder().encode("{}"));
      const started = threads().filter((id) => !before.has(id));
      assert.include(started.map(getPriority), Math.min(19, getPriority(process.pid) + 10));
      body.close();
      thread.stop();
    },
  );

  it("a body that a thread began is not continued by the next one", async () => {
    const thread = new ImportThread({ ...limits, idleMillis: 600_000 });
    const failureOf = (promise: Promise<unknown>) =>
      promise.then(
        () => null,
        (error: unknown) => error,
      );
    const body = thread.open();
    const waiting = failureOf(body.push(new TextEncoder().encode('{"type":')));
    thread.stop();
    assert.instanceOf(await waiting, ImportThreadFailed);
    const next = thread.open();
    assert.instanceOf(await failureOf(body.end()), ImportThreadFailed);
    body.close();
    await next.push(new TextEncoder().encode("{}"));
    assert.strictEqual((await next.end())._tag, "read");
    next.close();
    thread.stop();
    assert.isFalse(thread.isRunning);
  });
});

import { assert, describe, it, layer } from "@effect/vitest";
import { Clock, Duration, Effect, Exit, Fiber, Layer, Option, Tracer } from "effect";
import { HttpClient, HttpClientRequest } from "effect/http";
import { TestClock } from "effect/testing";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ExportClient } from "../../src/telemetry/ExportClient.ts";
import { sampled, Telemetry } from "../../src/telemetry/Telemetry.ts";
import { moveTo, sendWorld } from "../sending/sends/SendWorld.ts";
import { localServices } from "../sending/push/LocalProviders.ts";
import { readAll } from "../Listening.ts";
import { pushed } from "../sending/push/PushWorld.ts";
import { eventually } from "../Eventually.ts";
import { TestWaypost, testOperatorKey, testSecretKey } from "../TestWaypost.ts";

/** An OTLP receiver. After `hold` it no longer responds. */
const receiver = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ origin: string; bodies: Array<string>; hold: () => void; close: () => void }>(
        (resolve) => {
          const bodies: Array<string> = [];
          let isHeld = false;
          const server = createServer((request, response) => {
            void readAll(request).then((body) => {
              bodies.push(`${request.url} ${body.toString()}`);
              return isHeld ? null : response.end("{}");
            });
          });
          server.listen(0, "127.0.0.1", () =>
            resolve({
              origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
              bodies,
              hold: () => {
                isHeld = true;
              },
              close: () => {
                server.close();
                server.closeAllConnections();
              },
            }),
          );
        },
      ),
  ),
  ({ close }) => Effect.sync(close),
);

const real = Clock.Clock.defaultValue();
/** The exporters wait in real time, a fiftieth of their intervals. */
const hurried: Clock.Clock = Object.assign(Object.create(real) as Clock.Clock, {
  sleep: (duration: Duration.Duration) => real.sleep(Duration.times(duration, 1 / 50)),
});

const bodies: Array<string> = [];
const telemetry = Layer.unwrap(
  Effect.map(receiver, (found) => {
    found.bodies.push = (...more) => bodies.push(...more);
    return Telemetry.exporters(found.origin, 1);
  }),
).pipe(Layer.provide(Layer.succeed(Clock.Clock, hurried)));

interface SentSpan {
  readonly name: string;
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Every received span. */
const spans = (): ReadonlyArray<SentSpan> =>
  bodies
    .filter((body) => body.startsWith("/v1/traces "))
    .flatMap((body) =>
      JSON.parse(body.slice(body.indexOf(" "))).resourceSpans.flatMap(({ scopeSpans }: any) =>
        scopeSpans.flatMap(({ spans: some }: any) =>
          some.map((span: any) => ({
            ...span,
            attributes: Object.fromEntries(
              span.attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]),
            ),
          })),
        ),
      ),
    );

layer(TestWaypost.layer.pipe(Layer.provide(telemetry)))("traces and metrics", (it) => {
  it.effect("traces cover requests, sends, pushes and jobs, name their workspace, and hold no secret", () =>
    Effect.gen(function* () {
      const service = yield* localServices.fcm;
      const { production, waypost, workspace } = yield* sendWorld();
      const base = `/workspaces/${workspace.id}/production`;
      yield* waypost.operator(`${base}/transports/fcm`, { method: "PUT", body: service.credentials });
      const push = yield* Effect.promise(() => service.address("push-token-of-a-phone"));
      const phone = yield* production.phone("phone", { push });
      const campaign = yield* production.push();
      yield* production.sent(campaign, "12:30");
      yield* moveTo("2026-11-21T12:30:00Z");
      yield* pushed;
      yield* eventually(
        Effect.gen(function* () {
          yield* TestClock.adjust("1 second");
          const names = new Set(spans().map(({ name }) => name));
          return ["POST", "send.start", "send.batch", "push.hand_over", "push.settle", "job.rollups"].every(
            (name) => names.has(name),
          );
        }),
      );
      const [{ id: send }] = (yield* production.sends()) as any;
      const spansOf = (name: string) => spans().filter((span) => span.name === name);
      assert.deepInclude(spansOf("send.start")[0]?.attributes, {
        "waypost.workspace": workspace.id,
        "waypost.environment": "production",
        "waypost.campaign": campaign,
        "waypost.send": send,
      });
      assert.deepInclude(spansOf("push.hand_over")[0]?.attributes, {
        "waypost.transport": "fcm",
        "waypost.environment": "production",
      });
      assert.isTrue(
        spansOf("POST").some(({ attributes }) => typeof attributes["waypost.request_id"] === "string"),
      );
      // A statement that polls for work starts no trace.
      assert.isEmpty(spans().filter((span) => !span.parentSpanId && "db.system.name" in span.attributes));
      yield* eventually(
        Effect.promise(async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return bodies.some(
            (body) => body.startsWith("/v1/metrics ") && body.includes("waypost_http_requests_total"),
          );
        }),
      );
      const all = bodies.join("\n");
      for (const secret of [
        testOperatorKey,
        testSecretKey,
        phone.token,
        production.sdkKey,
        "push-token-of-a-phone",
        "PRIVATE KEY",
        ...service.tokens.map((token) => `Bearer ${token}`),
      ]) {
        assert.isAbove(secret.length, 7);
        assert.isFalse(all.includes(secret), `${secret.slice(0, 12)}… was sent`);
      }
    }),
  );
});

describe("trace sampling", () => {
  const decide = (share: number, chance: number, options: { name?: string; kind?: Tracer.SpanKind } = {}) => {
    let isSampled: boolean | null = null;
    const inner = Tracer.make({
      span: (span) => {
        isSampled = span.sampled;
        return new Tracer.NativeSpan(span);
      },
    });
    const { kind = "server", name = "GET" } = options;
    sampled(inner, share, () => chance).span({
      name,
      kind,
      parent: Option.none(),
      annotations: {} as never,
      links: [],
      startTime: 0n,
      root: true,
      sampled: true,
    });
    return isSampled;
  };

  it("the sampled share of traces follows the setting, and polling for work is never traced", () => {
    assert.isTrue(decide(0.1, 0.09));
    assert.isFalse(decide(0.1, 0.11));
    assert.isFalse(decide(0, 0));
    assert.isTrue(decide(1, 0.999));
    assert.isFalse(decide(1, 0, { name: "waypost", kind: "client" }));
    assert.isFalse(decide(1, 0, { name: "sql.transaction", kind: "internal" }));
  });
});

it.effect("a hanging OTLP receiver holds at most four requests for five seconds; the rest is dropped", () =>
  Effect.gen(function* () {
    const { bodies: received, hold, origin } = yield* receiver;
    hold();
    const client = yield* HttpClient.HttpClient;
    const post = Effect.exit(client.execute(HttpClientRequest.post(`${origin}/v1/traces`)));
    const waiting = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(post));
    yield* eventually(
      Effect.promise(async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return received.length === 4;
      }),
    );
    assert.isTrue(Exit.isFailure(yield* post));
    yield* TestClock.adjust("5 seconds");
    for (const fiber of waiting) assert.isTrue(Exit.isFailure(yield* Fiber.join(fiber)));
    assert.lengthOf(received, 4);
    yield* Clock.currentTimeMillis;
  }).pipe(Effect.scoped, Effect.provide(ExportClient.layer)),
);

import { Clock, Context, Effect, Layer, Redacted, Scope } from "effect";
import { TestClock, TestConsole } from "effect/testing";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import type { TestServer } from "./database/TestServer.ts";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Agent, request } from "undici";
import { inject } from "vitest";
import { abilities, type Ability } from "../src/access/Ability.ts";
import { Tokens } from "../src/access/Tokens.ts";
import { Settings } from "../src/config/Settings.ts";
import { DataDirectory } from "../src/database/DataDirectory.ts";
import { PublicAddresses } from "../src/http/PublicAddresses.ts";
import { scopedFolder } from "./Listening.ts";
import { memoryMediaStore } from "./media/store/MemoryMediaStore.ts";
import { serviceLayer } from "../src/Waypost.ts";
import { ScanMillis } from "../src/webhooks/calls/WebhookDispatcher.ts";
import { ParsedBody } from "../src/wire/ParsedBody.ts";
import type { Environment } from "../src/workspaces/Environment.ts";
import type { PlanPatch } from "../src/workspaces/Plan.ts";
import type { Workspace } from "../src/workspaces/Workspace.ts";
import { Workspaces } from "../src/workspaces/Workspaces.ts";
import { TestDatabase } from "./database/TestDatabase.ts";
import { fakeThumbnails } from "./media/FakeThumbnails.ts";
import { TestRows } from "./TestRows.ts";
import { fakeMediaWorkers } from "./media/worker/FakeMediaWorkers.ts";

/** The time at the start of every test: a Saturday noon in UTC, 13:00 in Amsterdam. */
export const testStart = Date.parse("2026-11-21T12:00:00Z");

export const testOperatorKey = "operator-key-of-the-tests-0123456789";
export const testSecretKey = "secret-key-of-the-tests-0123456789";

/** A response. `body` is the parsed JSON, or the text if it is not JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

export interface Ask {
  readonly method?: string;
  /** Sent as JSON; strings, bytes and forms are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** No rate limits, so that no test hits one by accident. */
export const unlimited: PlanPatch = {
  sandbox_requests_per_minute: null,
  sandbox_writes_per_minute: null,
  sandbox_requests_per_day: null,
  production_requests_per_minute: null,
  production_writes_per_minute: null,
  device_requests_per_minute: null,
  device_events_per_minute: null,
};

/** Webhooks poll only when a test asks for it: no test waits so long. In milliseconds. */
const onRequest = 3_660 * 86_400_000;

/** The media services of most tests: fast, and content with texts instead of media. */
export const fakeMedia = Layer.merge(fakeMediaWorkers, fakeThumbnails);

/** The folder of the test run, which is removed with it. Without PostgreSQL there is none. */
const runFolder = () => {
  const server = inject("testServer") as TestServer | undefined;
  return server === undefined ? tmpdir() : dirname(server.prepared);
};

/** A data directory that is removed with the test file, or at the latest with the run. */
export const testDirectory = Layer.effect(
  DataDirectory,
  Effect.map(
    Effect.suspend(() => scopedFolder("data", runFolder())),
    (path) => ({
      path,
      operatorKey: Redacted.make(testOperatorKey),
      secretKey: Redacted.make(testSecretKey),
    }),
  ),
);

/** Connections of all tests of a worker. A request by them takes half of the CPU of `fetch`. */
const connections = new Agent();

/** How bodies are decoded, by their content coding. */
const unpacked: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
};

/** The bytes of a body, with their content type. */
const encoded = async (body: unknown): Promise<readonly [string, string | Uint8Array]> => {
  if (typeof body === "string" || body instanceof Uint8Array) return ["application/json", body];
  if (!(body instanceof FormData)) return ["application/json", JSON.stringify(body)];
  const form = new Response(body);
  return [form.headers.get("content-type") ?? "", new Uint8Array(await form.arrayBuffer())];
};

/** Sends requests with one credential to paths below one base URL. Follows no redirect, asks for no gzip. */
export const asker =
  (base: string, credential: string | null) =>
  (path: string, ask: Ask = {}): Effect.Effect<Answer> =>
    Effect.promise(async () => {
      const [type, bytes] = ask.body === undefined ? [null, null] : await encoded(ask.body);
      const response = await request(base + path, {
        dispatcher: connections,
        method: ask.method ?? (bytes === null ? "GET" : "POST"),
        headers: {
          ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
          ...(type === null ? {} : { "content-type": type }),
          ...ask.headers,
        },
        body: bytes,
      });
      const headers = new Headers();
      for (const [name, values = []] of Object.entries(response.headers))
        for (const value of [values].flat()) headers.append(name, value);
      const received = Buffer.from(await response.body.arrayBuffer());
      const unpack = received.length > 0 ? unpacked[headers.get("content-encoding") ?? ""] : undefined;
      const text = (unpack === undefined ? received : unpack(received)).toString();
      let body: unknown = text;
      try {
        body = JSON.parse(text);
      } catch {
        // Not every response is JSON.
      }
      return { status: response.statusCode, headers, body };
    });

/** The data of an environment in a path, which the operator has on the platform API (contract W2). */
const environmentData = new RegExp(
  "^/workspaces/([^/?]+)/(sandbox|production)" +
    "(/(?:segments|notifications|campaigns|sends|deliveries|reports|webhooks|activity|usage|locations" +
    "|devices)" +
    "(?:[/?].*)?)$",
);

/**
 * Sends requests of the operator to paths that begin with the workspace: those of the data of an environment
 * to the platform API, with the workspace in the header, and all others to the operator interface.
 */
export const operatorAsker =
  (origin: string, key: string) =>
  (path: string, ask: Ask = {}): Effect.Effect<Answer> => {
    const [, workspace = "", environment, rest = ""] = environmentData.exec(path) ?? [];
    const isOwn =
      rest.startsWith("/devices/import") || (ask.method === "DELETE" && rest.startsWith("/devices/"));
    if (environment === undefined || isOwn) return asker(`${origin}/operator/v1`, key)(path, ask);
    const base = environment === "sandbox" ? "/sandbox/platform/v1" : "/platform/v1";
    const headers = { "waypost-workspace": workspace, ...ask.headers };
    return asker(origin + base, key)(rest, { ...ask, headers });
  };

/**
 * A whole Waypost with its own port and a new database, under `TestClock`. Each test creates its own
 * workspace.
 */
export class TestWaypost extends Context.Service<TestWaypost>()("waypost/test/TestWaypost", {
  make: Effect.gen(function* () {
    const addresses = yield* PublicAddresses;
    const workspaces = yield* Workspaces;
    const tokens = yield* Tokens;
    yield* TestClock.setTime(testStart);
    let made = 0;

    const workspace = (
      options: { readonly timezone?: string; readonly plan?: PlanPatch; readonly enabled?: boolean } = {},
    ) =>
      Effect.gen(function* () {
        const created = yield* workspaces.create(
          ParsedBody.of({
            name: `Workspace ${++made}`,
            timezone: (options.timezone ?? "UTC") as never,
            plan: { ...unlimited, ...options.plan },
          }),
        );
        if (options.enabled === false) return created;
        return yield* workspaces.update(created.id, ParsedBody.of({ platform_api_enabled: true }));
      }).pipe(Effect.orDie);

    /** Issues a token, by default with all abilities. */
    const token = (
      { id }: Workspace,
      environment: Environment,
      granted: ReadonlyArray<Ability> = abilities,
    ) =>
      Effect.gen(function* () {
        const { workspaceId } = yield* workspaces.find(id);
        return yield* tokens.issueToken(
          workspaceId,
          ParsedBody.of({ name: "Test token", environment, abilities: granted }),
        );
      }).pipe(Effect.orDie);

    return {
      origin: addresses.origin,
      workspace,
      token,
      /** Sends requests to the platform API of an environment, with a token or without. */
      platform: (environment: Environment, credential: string | null) =>
        asker(addresses.base[environment], credential),
      operator: operatorAsker(addresses.origin, testOperatorKey),
      device: (credential: string | null) => asker(`${addresses.origin}/device/v1`, credential),
      /** A workspace with a token and a platform API for each environment. */
      tenant: (
        options: Parameters<typeof workspace>[0] & { readonly abilities?: ReadonlyArray<Ability> } = {},
      ) =>
        Effect.gen(function* () {
          const made = yield* workspace(options);
          const sandbox = (yield* token(made, "sandbox", options.abilities)).token;
          const production = (yield* token(made, "production", options.abilities)).token;
          return {
            workspace: made,
            tokens: { sandbox, production },
            sandbox: asker(addresses.base.sandbox, sandbox),
            production: asker(addresses.base.production, production),
          };
        }),
    };
  }),
}) {
  static readonly layerWith = (
    config: Partial<Settings["Service"]> = {},
    database = TestDatabase.layer,
    media: typeof fakeMedia = fakeMedia,
    scanMillis = onRequest,
  ) =>
    Layer.effect(TestWaypost, TestWaypost.make).pipe(
      Layer.provideMerge(Layer.merge(serviceLayer, TestRows.layer)),
      Layer.provideMerge(database),
      Layer.provide(Settings.layerTest({ port: 0, allowPrivateAddresses: true, ...config })),
      Layer.provide(media),
      Layer.provide(Layer.succeed(ScanMillis, scanMillis)),
      Layer.provideMerge(memoryMediaStore),
      Layer.provideMerge(testDirectory),
    );
  static readonly layer = TestWaypost.layerWith();

  /**
   * The one Waypost of a worker, for files in which time stands still, that read only workspaces of their
   * own, and send few unknown credentials.
   */
  static readonly shared = Layer.effectContext(
    Effect.gen(function* () {
      const context = yield* Effect.promise(sharedContext);
      const now = Context.get(context, Clock.Clock).currentTimeMillisUnsafe();
      if (now !== testStart) throw new Error("A file has moved the time of the shared Waypost");
      return context;
    }),
  );
}

type Services = Layer.Success<typeof TestWaypost.layer>;

let started: Promise<Context.Context<Services>> | undefined;

/** Starts the shared Waypost, with a clock of its own. It ends with the worker, whose files share modules. */
const sharedContext = (): Promise<Context.Context<Services>> =>
  (started ??= TestWaypost.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(TestConsole.layer, TestClock.layer())),
    (layer) => Effect.runPromise(Layer.buildWithScope(layer, Scope.makeUnsafe())),
  ));

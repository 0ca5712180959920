import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import type { Page } from "puppeteer-core";
import { documentNames } from "../../src/ApiDocuments.ts";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { asker, TestWaypost, testOperatorKey } from "../TestWaypost.ts";

/** Loads the page of an interface. The address after `#` only scrolls within a loaded page. */
const loadDocs = (page: Page, origin: string, name: string) =>
  page.goto("about:blank").then(() => page.goto(`${origin}/docs#${name}`));

/**
 * Clicks on the first element whose text begins with the given one, once there is one. The page finds and
 * clicks it in one step: it loads its parts as they come into view, and moves or replaces elements meanwhile.
 */
const clickOn = (page: Page, selector: string, text = "") =>
  page.waitForFunction(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].some((element) => {
      const isIt = !element.disabled && element.textContent.trim().startsWith(${JSON.stringify(text)});
      if (isIt) element.click();
      return isIt;
    })`,
  );

/** Opens the dialog that sends the request of an operation, such as `GET/me`, of the loaded interface. */
const openDialog = async (page: Page, name: string, tag: string, operation: string) => {
  await page.keyboard.press("Escape");
  await page.waitForSelector("[role=dialog]", { hidden: true });
  await page.goto(`${new URL(page.url()).origin}/docs#${name}/tag/${tag}/${operation}`);
  await clickOn(page, `[id="${name}/tag/${tag}/${operation}"] .show-api-client-button`);
  await page.waitForSelector("[role=dialog] input[placeholder=Token]");
};

/**
 * Enters the credential, presses Send, and returns the request and its response as the page got them. The
 * page keeps a credential until it is loaded again.
 */
const send = async (page: Page, credential?: string) => {
  if (credential !== undefined) await page.type("[role=dialog] input[placeholder=Token]", credential);
  const [received] = await Promise.all([
    page.waitForResponse((response) => response.url().includes("/v1/")),
    clickOn(page, "[role=dialog] button", "Send"),
  ]);
  return {
    request: `${received.request().method()} ${new URL(received.url()).pathname}`,
    query: new URL(received.url()).search,
    headers: received.request().headers(),
    status: received.status(),
    body: await received.json(),
  };
};

const outsideLinks = (page: Page): Promise<ReadonlyArray<string>> =>
  page.$$eval("a[href]", (links) =>
    links.flatMap(({ baseURI, href }) => (new URL(href).origin === new URL(baseURI).origin ? [] : [href])),
  );

layer(Layer.mergeAll(TestWaypost.shared, TestBrowser.layer))("the documentation page", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser(
    "Send on the documentation page sends the token to the Sandbox, shows the response, and sends requests " +
      "that the server accepts (docs.try)",
    () =>
      Effect.gen(function* () {
        const { origin, tenant } = yield* TestWaypost;
        const { open } = yield* TestBrowser;
        const { tokens, workspace } = yield* tenant();
        const { page, problems } = yield* open(origin);
        const first = yield* Effect.promise(async () => {
          await loadDocs(page, origin, "platform");
          await openDialog(page, "platform", "workspace", "GET/me");
          return send(page, tokens.sandbox);
        });
        assert.strictEqual(first.request, "GET /sandbox/platform/v1/me");
        assert.strictEqual(first.headers["authorization"], `Bearer ${tokens.sandbox}`);
        assert.strictEqual(first.status, 200);
        yield* Effect.promise(() => page.waitForSelector(`[role=dialog] ::-p-text(${workspace.name})`));
        assert.deepStrictEqual(yield* Effect.promise(() => outsideLinks(page)), []);
        for (const [tag, operation, status] of [
          ["locations", "POST/locations/import", 200],
          ["campaigns", "POST/campaigns", 201],
          ["campaigns", "GET/campaigns", 200],
          ["reports", "GET/reports/summary", 200],
        ] as const) {
          const sent = yield* Effect.promise(async () => {
            await openDialog(page, "platform", tag, operation);
            return send(page);
          });
          assert.strictEqual(sent.status, status, JSON.stringify(sent));
          assert.strictEqual(sent.query, "");
          assert.notProperty(sent.headers, "idempotency-key");
        }
        assert.deepStrictEqual(problems, []);
      }),
  );

  inBrowser(
    "the documentation page shows all three interfaces, each with its own credential (docs.try)",
    () =>
      Effect.gen(function* () {
        const { operator, origin, workspace } = yield* TestWaypost;
        const { open } = yield* TestBrowser;
        const { id } = yield* workspace();
        const issued = yield* operator(`/workspaces/${id}/sandbox/sdk-keys`, { body: { name: "App" } });
        const { page, problems } = yield* open(origin);
        const listed = yield* Effect.promise(async () => {
          await loadDocs(page, origin, "operator");
          await openDialog(page, "operator", "workspaces", "GET/workspaces");
          return send(page, testOperatorKey);
        });
        assert.strictEqual(listed.status, 200);
        const registered = yield* Effect.promise(async () => {
          await loadDocs(page, origin, "device");
          await openDialog(page, "device", "devices", "PUT/devices/{installation_id}");
          return send(page, issued.body.data.sdk_key);
        });
        assert.strictEqual(registered.status, 201, JSON.stringify(registered));
        const messages = yield* Effect.promise(async () => {
          await openDialog(page, "device", "messages", "GET/messages");
          return send(page, registered.body.data.device_token);
        });
        assert.strictEqual(messages.status, 200, JSON.stringify(messages));
        assert.deepStrictEqual(problems, []);
      }),
  );

  it.effect("the documentation page is compressed and takes no scripts but its own (docs.page)", () =>
    Effect.gen(function* () {
      const ask = asker((yield* TestWaypost).origin, null);
      const script = yield* ask("/docs/scalar.js");
      assert.strictEqual(script.status, 200);
      assert.isAbove(script.body.length, 1_000_000);
      for (const path of [
        "/docs",
        "/docs/start.js",
        "/docs/scalar.js",
        ...documentNames.flatMap((name) => [`/docs/${name}.json`, `/openapi/${name}.json`]),
      ]) {
        const packed = yield* ask(path, { headers: { "accept-encoding": "gzip" } });
        assert.strictEqual(packed.headers.get("content-encoding"), "gzip", path);
        const plain = yield* ask(path, { headers: { "accept-encoding": "br, gzip;q=0" } });
        assert.isNull(plain.headers.get("content-encoding"));
        assert.deepStrictEqual(plain.body, packed.body);
        const etag = packed.headers.get("etag") ?? "";
        assert.strictEqual((yield* ask(path, { headers: { "if-none-match": etag } })).status, 304);
      }
      const page = yield* ask("/docs");
      const policy = page.headers.get("content-security-policy") ?? "";
      assert.match(policy, /^default-src 'none'; script-src 'self'; connect-src 'self';/);
      assert.notMatch(policy, /unsafe-eval|https?:|\*/);
      assert.notMatch(page.body, /<script>|https?:\/\//);
    }),
  );
});

layer(
  TestWaypost.layerWith({
    productionUrl: "https://api.example.com/platform/v1",
    sandboxUrl: "https://sandbox.example.com/platform/v1",
  }),
)("the documents of an installation with public addresses", (it) => {
  it.effect("the documents name the configured addresses, the Sandbox first (docs.page)", () =>
    Effect.gen(function* () {
      const ask = asker((yield* TestWaypost).origin, null);
      for (const path of ["/openapi/platform.json", "/docs/platform.json"]) {
        assert.deepStrictEqual((yield* ask(path)).body.servers, [
          { url: "https://sandbox.example.com/platform/v1", description: "Sandbox" },
          { url: "https://api.example.com/platform/v1", description: "Production" },
        ]);
      }
      const policy = (yield* ask("/docs")).headers.get("content-security-policy") ?? "";
      assert.include(policy, "connect-src 'self' https://sandbox.example.com https://api.example.com;");
    }),
  );
});

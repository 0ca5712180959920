import { assert } from "@effect/vitest";
import { Effect } from "effect";
import type { Page } from "puppeteer-core";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { localServer } from "../notifications/LocalServer.ts";
import { testStart } from "../TestWaypost.ts";
import { axeFindings } from "./AxeFindings.ts";
import { granted, recorder, workerOf } from "./TestPushes.ts";

/**
 * The clock of a page or worker begins at the start of test time, as that of the server. The headless browser
 * has no notifications: the page gets the permission that it asked for, and the worker notes what it shows.
 */
const clock = `{
  const begun = performance.now();
  Date.now = () => ${testStart} + Math.round(performance.now() - begun);
  Object.defineProperty(Notification, "permission", { get: () => "granted" });
  if ("GeolocationPosition" in self)
    Object.defineProperty(GeolocationPosition.prototype, "timestamp", { get: () => Date.now() });
}`;

const page = (waypost: string): string => `<!doctype html>
<html lang="en"><head><title>Shop</title><meta name="viewport" content="width=device-width">
<script>${clock}</script></head>
<body><main><h1>Shop</h1><waypost-inbox></waypost-inbox></main>
<script type="module">
  import { start } from "${waypost}/sdk/v1/waypost.js";
  import "${waypost}/sdk/v1/inbox.js";
  window.begin = async (sdkKey, options) => {
    window.reported = { message: [], dropped: [] };
    const device = await start({ url: "${waypost}", sdkKey, ...options });
    for (const name of ["message", "dropped"]) device.on(name, (value) => window.reported[name].push(value));
    window.device = device;
    document.querySelector("waypost-inbox").waypost = device;
  };
  window.isReady = true;
</script></body></html>`;

/** A shop of another origin than the server: the page, and the service worker that loads Waypost's. */
export const shopPage = (waypost: string) =>
  Effect.gen(function* () {
    const { port } = yield* localServer((request, response) => {
      const isWorker = request.url === "/waypost-worker.js";
      response.setHeader("content-type", isWorker ? "text/javascript" : "text/html; charset=utf-8");
      const address = JSON.stringify(`${waypost}/sdk/v1/worker.js`);
      const worker = `${clock}${recorder}\nimportScripts(${address});`;
      response.end(isWorker ? worker : page(waypost));
    });
    const origin = `http://127.0.0.1:${port}`;
    const tab = yield* (yield* TestBrowser).open(origin);
    const open = (opened: Page) =>
      Effect.promise(async () => {
        await opened.goto(`${origin}/`);
        await opened.waitForFunction("window.isReady", { timeout: 30_000, polling: 100 });
      });
    yield* granted(tab.page, origin, "notifications", "geolocation");
    yield* open(tab.page);
    const evaluate = <A>(script: string, target: Page = tab.page): Effect.Effect<A> =>
      Effect.promise(() => target.evaluate(script) as Promise<A>);
    return {
      origin,
      page: tab.page,
      evaluate,
      /** Loads the page again, as a person does. */
      reload: open(tab.page),
      /** Another tab of the same browser. */
      secondTab: Effect.gen(function* () {
        const second = yield* Effect.promise(() => tab.page.browserContext().newPage());
        yield* open(second);
        return second;
      }),
      /** Registers this browser. */
      begin: (sdkKey: string, options: object = {}, target: Page = tab.page) =>
        evaluate<void>(`window.begin(${JSON.stringify(sdkKey)}, ${JSON.stringify(options)})`, target),
      /** Waits until an expression of the page is true. */
      until: (expression: string) =>
        Effect.promise(() => tab.page.waitForFunction(expression, { timeout: 30_000, polling: 100 })),
      /** The service worker of the page. */
      worker: workerOf(tab.page),
      /** Accessibility rules that the page breaks, and what else must not be. */
      check: Effect.promise(async () => {
        assert.deepStrictEqual(await axeFindings(tab.page), []);
        const others = tab.problems.filter((problem) => !problem.startsWith(`request: ${waypost}/`));
        assert.deepStrictEqual(others, []);
      }),
    };
  });

import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { eventually } from "../Eventually.ts";
import { axeFindings } from "../sdk/AxeFindings.ts";
import { granted, pushesTo, recorder, subscribingTo, workerOf } from "../sdk/TestPushes.ts";
import { localServices } from "../sending/push/LocalProviders.ts";
import { startDemo } from "./RunningDemo.ts";

/** A test browser has no notifications, and reaches no push service. */
const pushScript = (address: unknown): string =>
  `Object.defineProperty(Notification, "permission", { get: () => "granted" });\n${subscribingTo(address)}`;

const inInbox = "document.querySelector('waypost-inbox').shadowRoot";

layer(TestBrowser.layer, { excludeTestServices: true })("The shop of the demo", (it) => {
  it.effect.skipIf(!isChromiumAvailable)(
    "a person subscribes by keyboard, visits, gets a push, answers, and is counted in the console (running.demo)",
    () =>
      Effect.gen(function* () {
        const service = yield* localServices.webpush;
        const address = yield* Effect.promise(() => service.address("browser"));
        const running = yield* startDemo();
        const consoleAddress = yield* running.consoleAddress;
        const shop = /shop:\s+(\S+)/.exec(running.text())?.[1] ?? running.text();
        const { origin } = new URL(shop);
        const { page, problems } = yield* (yield* TestBrowser).open(origin);
        yield* granted(page, origin, "notifications");
        const until = (expression: string) =>
          Effect.promise(() => page.waitForFunction(expression, { polling: 100 }));
        const press = (...keys: ReadonlyArray<"Tab" | "Enter" | "Space" | "ArrowRight">) =>
          Effect.promise(async () => {
            for (const key of keys) await page.keyboard.press(key);
          });
        yield* Effect.promise(async () => {
          await page.evaluateOnNewDocument(pushScript(address));
          await page.goto(shop);
        });
        yield* until(`${inInbox}?.querySelector("[part=empty]")`);
        yield* press("Tab", "Enter");
        yield* until("document.querySelector('output').value === 'subscribed'");
        yield* press("Tab", "Enter");
        yield* until(`${inInbox}.querySelector("form")`);
        yield* until("document.querySelector('#place').value === 'A message for you: How was the coffee?'");
        assert.deepStrictEqual(yield* Effect.promise(() => axeFindings(page)), []);

        yield* eventually(Effect.sync(() => service.ledger.length === 1));
        assert.isEmpty(service.complaints);
        const worker = yield* workerOf(page);
        yield* Effect.promise(() => worker.evaluate(recorder));
        yield* (yield* pushesTo(page))(service.ledger[0]?.payload);
        const [shown] = (yield* Effect.promise(() => worker.evaluate("self.shownAfter(1)"))) as Array<any>;
        assert.strictEqual(shown.title, "How was the coffee?");
        assert.deepStrictEqual(shown.data.addresses, { "": shop });

        // "Good", and four of five.
        yield* press(
          "Tab",
          "Space",
          "Tab",
          "Space",
          "ArrowRight",
          "ArrowRight",
          "ArrowRight",
          "Tab",
          "Enter",
        );
        yield* until(`${inInbox}.activeElement?.role === "status"`);
        assert.deepStrictEqual(yield* Effect.promise(() => axeFindings(page)), []);
        const others = problems.filter((problem) => !problem.startsWith("request: http://127.0.0.1:"));
        assert.deepStrictEqual(others, []);

        yield* Effect.promise(async () => {
          const results = await page.$eval("a", (link) => (link as { readonly href: string }).href);
          await page.goto(consoleAddress);
          await page.locator('::-p-aria([name="Sign in"][role="button"])').click();
          await page.waitForSelector("nav[aria-label=Pages]");
          await page.goto(results);
          await page.waitForSelector("::-p-text(3 responses)");
        });
      }),
  );
});

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

const inbox = "document.querySelector('waypost-inbox')";
const inInbox = `${inbox}.shadowRoot`;

layer(TestBrowser.layer, { excludeTestServices: true })("The shop of the demo", (it) => {
  it.effect.skipIf(!isChromiumAvailable)(
    "a person subscribes, visits, gets a push, answers by keyboard, and is counted (running.demo)",
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
        // The page's policy forbids what `waitForFunction` would run in it.
        const until = (expression: string) =>
          eventually(Effect.promise(async () => Boolean(await page.evaluate(expression))));
        const press = (...keys: ReadonlyArray<"Tab" | "Enter" | "Space" | "ArrowRight">) =>
          Effect.promise(async () => {
            for (const key of keys) await page.keyboard.press(key);
          });
        yield* Effect.promise(async () => {
          await page.evaluateOnNewDocument(pushScript(address));
          await page.goto(shop);
        });
        yield* until(`${inInbox}?.querySelector("[part=empty]") != null`);
        yield* press("Tab", "Enter");
        yield* until("document.querySelector('output').value === 'subscribed'");
        yield* press("Tab", "Enter");
        yield* until("document.querySelector('#position').value.endsWith('you: How was the coffee?')");

        yield* eventually(Effect.sync(() => service.ledger.length === 1));
        assert.isEmpty(service.complaints);
        // The message is in the inbox once the server has noted that the push was taken.
        yield* until(`${inbox}.refresh().then(() => ${inInbox}.querySelector("form") !== null)`);
        yield* Effect.promise(() => page.evaluate(`${inInbox}.querySelector("form").closest("li").remove()`));
        const worker = yield* workerOf(page);
        yield* Effect.promise(() => worker.evaluate(recorder));
        yield* (yield* pushesTo(page))(service.ledger[0]?.payload);
        const [shown] = (yield* Effect.promise(() => worker.evaluate("self.shownAfter(1)"))) as Array<any>;
        assert.strictEqual(shown.title, "How was the coffee?");
        assert.deepStrictEqual(shown.data.addresses, { "": shop });
        yield* until(`${inInbox}.querySelector("form") !== null`);
        assert.deepStrictEqual(yield* Effect.promise(() => axeFindings(page)), []);

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

        // In a tab of its own: the shop sends the answer after it has said that it has it.
        const reader = yield* Effect.promise(() => page.browserContext().newPage());
        const results = yield* Effect.promise(async () => {
          await reader.goto(consoleAddress);
          await reader.locator('::-p-aria([name="Sign in"][role="button"])').click();
          await reader.waitForSelector("nav[aria-label=Pages]");
          return page.$eval("a", (link) => (link as { readonly href: string }).href);
        });
        yield* eventually(
          Effect.promise(async () => {
            await reader.goto(results);
            await reader.waitForSelector("::-p-text( responses)");
            return (await reader.$("::-p-text(3 responses)")) !== null;
          }),
        );
      }),
  );
});

import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost, testOperatorKey } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";
import { sessionClient } from "./TestSession.ts";

/** The event of a page that the browser has kept, and shows again. */
const shownAgain = `Promise.resolve(dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true})))`;

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("signing in to the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("an installation without a workspace begins with a new one (console.signin, console.page)", () =>
    Effect.gen(function* () {
      const tab = yield* consoleTab;
      yield* Effect.promise(() => tab.open(""));
      yield* Effect.promise(() => tab.see("heading", "Sign in"));
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.signIn();
        await tab.seePage("New workspace");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.fill("Name", "Acme");
        await tab.press("button", "Create workspace");
        await tab.seePage("Overview");
        await tab.seeText("Nothing was sent yet");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser(
    "one signs in at the address asked for, and an unknown key is a problem of its field (console.signin)",
    () =>
      Effect.gen(function* () {
        const { tenant } = yield* TestWaypost;
        const { tokens, workspace } = yield* tenant({ abilities: ["campaigns:read"] });
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open("/campaigns?status=ended");
          const field = await tab.page.waitForSelector("::-p-aria(Access key)");
          await field?.type("wrong");
          await tab.press("button", "Sign in");
          const invalid = await tab.page.waitForSelector('input[aria-invalid="true"]');
          const described = await invalid?.evaluate((input) => input.getAttribute("aria-describedby"));
          const problem = await tab.page.$eval(
            `[id="${described?.split(" ").at(-1)}"]`,
            (each) => each.textContent,
          );
          assert.strictEqual(problem, "This key is not known.");
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.fill("Access key", "");
          await tab.signIn(tokens.sandbox);
          await tab.seePage("Campaigns");
        });
        const address = new URL(yield* Effect.promise(() => tab.address()));
        assert.strictEqual(address.pathname, "/console/campaigns");
        assert.deepStrictEqual(Object.fromEntries(address.searchParams), {
          status: "ended",
          workspace: workspace.id,
          environment: "sandbox",
        });
        // Actions that the token may not do are not offered.
        const links = yield* Effect.promise(() =>
          tab.page.$$eval("nav[aria-label=Pages] a", (each) => each.map((link) => link.textContent)),
        );
        assert.deepStrictEqual(links, ["Campaigns"]);
        assert.isNull(yield* Effect.promise(() => tab.page.$("::-p-aria(New campaign)")));
        yield* checkPage(tab);
      }),
  );

  inBrowser(
    "the button of a one-time address signs in, and opening the address does not (console.code)",
    () =>
      Effect.gen(function* () {
        const { operator, workspace } = yield* TestWaypost;
        yield* workspace();
        const { body } = yield* operator("/console/addresses", { method: "POST" });
        const [opened, pressed] = [yield* consoleTab, yield* consoleTab];
        yield* Effect.promise(async () => {
          await opened.page.goto(body.data.url);
          await opened.see("button", "Sign in");
          await pressed.page.goto(body.data.url);
          await pressed.press("button", "Sign in");
          await pressed.seePage("Overview");
          assert.notInclude(await pressed.address(), "wpo_");
          await opened.press("button", "Sign in");
          await opened.seeText("This address does not sign in any more");
          await opened.press("button", "Sign in with an access key");
          await opened.signIn();
          await opened.seePage("Overview");
        });
        assert.deepStrictEqual([...opened.problems, ...pressed.problems], []);
      }),
  );

  inBrowser("a token of Production without the full API is offered reports alone (console.offered)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant({ enabled: false });
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("");
        await tab.signIn(tokens.production);
        await tab.seePage("Overview");
        await tab.seeText("Your access key may read neither campaigns nor sends.");
        await tab.seeText("your access key sees reports alone");
        const links = await tab.page.$$eval("nav[aria-label=Pages] a", (each) =>
          each.map((link) => link.textContent),
        );
        assert.deepStrictEqual(links, ["Overview", "Reports"]);
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser(
    "a page that is shown again by Back is hidden until it is known who is signed in (console.back)",
    () =>
      Effect.gen(function* () {
        const { origin, tenant } = yield* TestWaypost;
        const { sandbox, tokens } = yield* tenant();
        const body = { name: "Autumn", type: "push", starts_at: "2026-12-01 09:00", timezone: "UTC" };
        yield* sandbox("/campaigns", { body });
        const tab = yield* consoleTab;
        let release: () => void = () => undefined;
        const isReleased = new Promise<void>((resolve) => (release = resolve));
        yield* Effect.promise(async () => {
          await tab.open("/campaigns");
          await tab.signIn(tokens.sandbox);
          await tab.see("link", "Autumn");
          await tab.page.setRequestInterception(true);
          tab.page.on("request", (request) => {
            const isHeld = new URL(request.url()).pathname === "/console/session";
            void (isHeld ? isReleased.then(() => request.continue()) : request.continue());
          });
          // The session has not ended: the same page is back once the server has said so.
          const shown = await tab.page.evaluate(
            `${shownAgain}.then(() => new Promise(requestAnimationFrame))
              .then(() => document.body.textContent)`,
          );
          assert.notInclude(shown, "Autumn");
          release();
          await tab.see("link", "Autumn");
        });
        const [cookie] = yield* Effect.promise(() => tab.page.browserContext().cookies());
        yield* sessionClient(origin, `${cookie?.name}=${cookie?.value}`)("/console/session", {
          method: "DELETE",
        });
        yield* Effect.promise(async () => {
          await tab.page.evaluate(shownAgain);
          await tab.see("heading", "Sign in");
          assert.notInclude(await tab.page.content(), "Autumn");
        });
        assert.deepStrictEqual(tab.problems, []);
      }),
  );

  inBrowser("after signing out, Back shows the page on which one signs in (console.back)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { sandbox, tokens } = yield* tenant();
      const body = { name: "Autumn", type: "push", starts_at: "2026-12-01 09:00", timezone: "UTC" };
      yield* sandbox("/campaigns", { body });
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/campaigns");
        await tab.signIn(tokens.sandbox);
        await tab.see("link", "Autumn");
        await tab.page.goto(`${tab.origin}/docs`);
        await tab.page.goto(`${tab.origin}/console/media`);
        await tab.press("button", "Sign out");
        await tab.see("heading", "Sign in");
        await tab.page.goBack();
        await tab.page.goBack();
        await tab.see("heading", "Sign in");
        assert.include(await tab.address(), "/console/campaigns");
        assert.notInclude(await tab.page.content(), "Autumn");
      });
    }),
  );

  inBrowser("signing in and out works with the keyboard alone (console.page)", () =>
    Effect.gen(function* () {
      const { workspace } = yield* TestWaypost;
      yield* workspace();
      const tab = yield* consoleTab;
      const { keyboard } = tab.page;
      const asked: Array<string> = [];
      tab.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      const focused = () => tab.page.$eval(":focus", (each) => each.textContent);
      yield* Effect.promise(async () => {
        await tab.open("");
        await tab.see("heading", "Sign in");
        await keyboard.press("Tab");
        await keyboard.type(testOperatorKey);
        await keyboard.press("Enter");
        await tab.seePage("Overview");
        // One page of workspaces is read once.
        assert.strictEqual(asked.filter((path) => path === "/operator/v1/workspaces").length, 1);
        await keyboard.press("Tab");
        while ((await focused()) !== "Campaigns") await keyboard.press("Tab");
        await keyboard.press("Enter");
        await tab.seePage("Campaigns");
        // The heading of the new page has the focus.
        await tab.page.waitForFunction("document.activeElement.tagName === 'H1'");
        await (await tab.see("button", "Sign out")).focus();
        await keyboard.press("Enter");
        await tab.see("heading", "Sign in");
        assert.deepStrictEqual(await tab.page.browserContext().cookies(), []);
      });
      assert.deepStrictEqual(tab.problems, []);
    }),
  );
});

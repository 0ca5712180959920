import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { type ConsoleTab, checkPage, consoleTab } from "./ConsoleTab.ts";

const banner = "The server has not answered since";

/** Makes every call of the interfaces fail, as of a server that is away, until it is called. */
const serverAway = async (tab: ConsoleTab): Promise<() => void> => {
  let isAway = true;
  await tab.page.setRequestInterception(true);
  tab.page.on("request", (request) => {
    const isCall = /\/(platform|operator)\/v1\/|\/console\/session/.test(request.url());
    void (isAway && isCall ? request.abort("connectionrefused") : request.continue());
  });
  return () => (isAway = false);
};

const valueOf = async (tab: ConsoleTab, label: string): Promise<string> =>
  (await tab.see("textbox", label)).evaluate((field) => (field as { readonly value?: string }).value ?? "");

/** Ends the session of a tab without "Sign out": its cookie is gone, as after 12 hours. */
const loseSession = async (tab: ConsoleTab): Promise<void> => {
  const context = tab.page.browserContext();
  await context.deleteCookie(...(await context.cookies()));
  await tab.page.reload();
};

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("the console while the server is away", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser(
    "a sentence says that the server is away, and the last data stays until it is back (console.away)",
    () =>
      Effect.gen(function* () {
        const { tenant } = yield* TestWaypost;
        const { sandbox, tokens } = yield* tenant();
        const body = { name: "Autumn", type: "push", starts_at: "2026-12-01 09:00", timezone: "UTC" };
        yield* sandbox("/campaigns", { body });
        const tab = yield* consoleTab;
        const back = yield* Effect.promise(async () => {
          await tab.open("/campaigns");
          await tab.signIn(tokens.sandbox);
          await tab.see("link", "Autumn");
          const returns = await serverAway(tab);
          await tab.seeText(banner);
          await tab.see("link", "Autumn");
          return returns;
        });
        yield* checkPage(tab);
        yield* sandbox("/campaigns", { body: { ...body, name: "Winter" } });
        yield* Effect.promise(async () => {
          back();
          await tab.see("link", "Winter");
          assert.notInclude(await tab.page.content(), banner);
        });
      }),
  );

  inBrowser("a page that did not load is loaded later, and locks no other page (console.reload)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* (yield* TestWaypost).tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/campaigns");
        await tab.signIn(tokens.sandbox);
        await tab.seePage("Campaigns");
        let isAway = true;
        await tab.page.setRequestInterception(true);
        tab.page.on("request", (request) => {
          const isProgram = isAway && request.resourceType() === "script";
          void (isProgram ? request.abort("connectionrefused") : request.continue());
        });
        await tab.press("link", "Segments");
        await tab.seePage("This page could not be loaded");
        await tab.see("button", "Reload");
        await tab.press("link", "Campaigns");
        await tab.seePage("Campaigns");
        await tab.press("link", "Segments");
        await tab.seePage("This page could not be loaded");
        isAway = false;
        await tab.seePage("Segments");
      });
    }),
  );

  inBrowser(
    "after a save without an answer the other button makes no second one, and says what is (console.intent)",
    () =>
      Effect.gen(function* () {
        const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
        const tab = yield* consoleTab;
        const keys: Array<string | undefined> = [];
        let isLost = true;
        yield* Effect.promise(async () => {
          await tab.open("/campaigns/new");
          await tab.signIn(tokens.sandbox);
          await tab.choose("Type", "Push");
          await tab.fill("Name", "Autumn");
          await tab.fill("Headline", "Leaves");
          await tab.fill("Body", "They fall.");
          await tab.press("link", "When");
          await tab.fill("Starts at", "2026-12-01");
          await tab.fill("Send at", "09:30");
          await tab.press("link", "Review");
          await tab.page.setRequestInterception(true);
          tab.page.on("request", (request) => {
            const isSave = request.method() === "POST" && request.url().endsWith("/campaigns");
            if (isSave) keys.push(request.headers()["idempotency-key"]);
            if (!isSave || !isLost) return void request.continue();
            // The server gets it, and its answer is lost.
            isLost = false;
            const { "content-length": _, ...headers } = request.headers();
            const lose = async (): Promise<void> => {
              const body = (await request.fetchPostData()) ?? "";
              await fetch(request.url(), { method: "POST", body, headers: { ...headers, cookie } });
              await request.abort("connectionreset");
            };
            void lose();
          });
          const cookies = await tab.page.browserContext().cookies();
          const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
          await tab.press("button", "Publish");
          await tab.see("dialog", "Publish “Autumn”?");
          await tab.click("dialog .button-primary");
          await tab.seeText("The server does not answer. Nothing is lost: try again.");
          await tab.press("button", "Save paused");
          await tab.seePage("Autumn");
          // Nothing is published before its message is there.
          await tab.seeText("“Autumn” is saved as a draft.");
        });
        assert.strictEqual(new Set(keys).size, 2, keys.join(" "));
        const list = (yield* sandbox("/campaigns")).body.data;
        assert.deepStrictEqual(
          list.map((each: any) => [each.name, each.paused]),
          [["Autumn", true]],
        );
        const messages = (yield* sandbox(`/campaigns/${list[0].id}/notifications`)).body.data;
        assert.deepStrictEqual(
          messages.map((each: any) => [each.name, each.headline]),
          [["Autumn", "Leaves"]],
        );
      }),
  );

  inBrowser("nothing that was typed is lost, and a save that got no answer is made once (console.away)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { sandbox, tokens } = yield* tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/campaigns/new");
        await tab.signIn(tokens.sandbox);
        await tab.choose("Type", "Push");
        await tab.fill("Name", "Autumn");
        const back = await serverAway(tab);
        await tab.press("button", "Save paused");
        await tab.seeText("The server does not answer. Nothing is lost: try again.");
        assert.strictEqual(await valueOf(tab, "Name"), "Autumn");
        back();
        await tab.press("button", "Save paused");
        await tab.seePage("Autumn");
      });
      const list = (yield* sandbox("/campaigns")).body.data;
      assert.deepStrictEqual(
        list.map((each: any) => [each.name, each.status]),
        [["Autumn", "paused"]],
      );
    }),
  );
});

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("drafts of the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("what was typed survives a reload and a session's end, hidden meanwhile (console.drafts)", () =>
    Effect.gen(function* () {
      const { operator, tenant, token } = yield* TestWaypost;
      const { tokens, workspace } = yield* tenant();
      const other = yield* tenant();
      const abilities = ["campaigns:read", "campaigns:write"] as const;
      const issued = yield* token(workspace, "sandbox", abilities);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/campaigns/new");
        await tab.signIn(issued.token);
        await tab.fill("Name", "Secret plan");
        await tab.page.reload();
        await tab.seeText("What you typed earlier is here again. It is not saved yet.");
        assert.strictEqual(await valueOf(tab, "Name"), "Secret plan");
      });
      yield* operator(`/workspaces/${workspace.id}/tokens/${issued.id}`, { method: "DELETE" });
      yield* Effect.promise(async () => {
        await tab.press("button", "Save paused");
        await tab.seeText("What you typed is kept in this browser.");
        assert.notInclude(await tab.page.content(), "Secret plan");
        // Another workspace does not show it.
        await tab.signIn(other.tokens.sandbox);
        await tab.seePage("New campaign");
        assert.strictEqual(await valueOf(tab, "Name"), "");
      });
      yield* Effect.promise(async () => {
        await loseSession(tab);
        await tab.signIn(tokens.sandbox);
        await tab.seePage("New campaign");
        await tab.seeText("What you typed earlier is here again. It is not saved yet.");
        assert.strictEqual(await valueOf(tab, "Name"), "Secret plan");
        await tab.press("button", "Sign out");
        await tab.page.waitForSelector("::-p-aria(Access key)");
        assert.deepStrictEqual(
          await tab.page.evaluate("Object.keys(localStorage).filter((key) => key.includes('draft'))"),
          [],
        );
        await tab.open("/campaigns/new");
        await tab.signIn(tokens.sandbox);
        await tab.seePage("New campaign");
        assert.strictEqual(await valueOf(tab, "Name"), "");
      });
      yield* checkPage(tab);
    }),
  );
});

import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, ConsoleTab, consoleTab } from "./ConsoleTab.ts";

const push = { name: "Autumn", type: "push", timezone: "UTC", starts_at: "2026-12-01 09:00" };

const valueOf = async (tab: ConsoleTab, label: string, role = "textbox"): Promise<string> =>
  (await tab.see(role, label)).evaluate((field) => (field as { readonly value?: string }).value ?? "");

const momentsOf = (tab: ConsoleTab) =>
  tab.page.$$eval(".timeline li", (lines) => lines.map((line) => line.firstChild?.textContent ?? ""));

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("two people in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser(
    "changes of two people are merged by field, and clashes are shown (console.campaign_conflict)",
    () =>
      Effect.gen(function* () {
        const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
        const path = `/campaigns/${(yield* sandbox("/campaigns", { body: push })).body.data.id}`;
        const change = (body: object) => sandbox(path, { method: "PATCH", body: { ...push, ...body } });
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open(`${path}/edit?step=when`);
          await tab.signIn(tokens.sandbox);
          await tab.seePage("Edit Autumn");
          await tab.fill("Starts at", "2026-12-03");
          await tab.page.reload();
          await tab.seeText("What you typed earlier is here again.");
        });
        yield* change({ name: "Winter" });
        yield* Effect.promise(async () => {
          await tab.press("button", "Save paused");
          await tab.seeText("Somebody else changed this campaign meanwhile: Name.");
          assert.strictEqual(await valueOf(tab, "Starts at", "Date"), "2026-12-03");
          await tab.press("link", "Message");
          assert.strictEqual(await valueOf(tab, "Name"), "Winter");
        });
        yield* checkPage(tab);
        yield* Effect.promise(() => tab.fill("Name", "Winter of mine"));
        yield* change({ name: "Spring", starts_at: "2026-12-04" });
        yield* Effect.promise(async () => {
          await tab.press("button", "Save paused");
          await tab.see("button", "Keep mine: Name");
        });
        yield* checkPage(tab);
        yield* Effect.promise(async () => {
          await tab.press("button", "Keep mine: Name");
          await tab.press("button", "Take theirs: Starts at");
          await tab.page.waitForFunction("document.querySelector('.conflict') === null");
          await tab.press("button", "Save paused");
          await tab.seePage("Winter of mine");
        });
        const saved = (yield* sandbox(path)).body.data;
        assert.deepInclude(saved, { name: "Winter of mine", starts_at: "2026-12-04T00:00:00+00:00" });
      }),
  );

  inBrowser("two tabs have two drafts, and a new tab takes over that of a closed one (console.drafts)", () =>
    Effect.gen(function* () {
      const { tokens } = yield* (yield* TestWaypost).tenant();
      const first = yield* consoleTab;
      const open = async (): Promise<ConsoleTab> => {
        const tab = new ConsoleTab(await first.page.browserContext().newPage(), first.origin, []);
        await tab.open("/campaigns/new");
        await tab.seePage("New campaign");
        return tab;
      };
      yield* Effect.promise(async () => {
        await first.open("/campaigns/new");
        await first.signIn(tokens.sandbox);
        await first.fill("Name", "First");
        const second = await open();
        assert.strictEqual(await valueOf(second, "Name"), "");
        await second.fill("Name", "Second");
        for (const [tab, name] of [
          [first, "First"],
          [second, "Second"],
        ] as const) {
          await tab.page.bringToFront();
          await tab.page.reload();
          await tab.seePage("New campaign");
          assert.strictEqual(await valueOf(tab, "Name"), name);
        }
        await second.page.close();
        const third = await open();
        assert.strictEqual(await valueOf(third, "Name"), "Second");
        await third.page.close();
      });
    }),
  );

  inBrowser(
    "the timeline says what happened, and times name their zone (console.timeline, console.words)",
    () =>
      Effect.gen(function* () {
        const { sandbox, tokens } = yield* (yield* TestWaypost).tenant();
        const geo = { ...push, name: "Draft", starts_at: "2026-11-21", timezone: "Europe/Amsterdam" };
        const draft = yield* sandbox("/campaigns", { body: { ...geo, paused: true } });
        const path = `/campaigns/${draft.body.data.id}`;
        const tab = yield* consoleTab;
        yield* Effect.promise(async () => {
          await tab.open(path);
          await tab.signIn(tokens.sandbox);
          await tab.seePage("Draft");
          await tab.page.waitForFunction(
            "document.querySelector('.timeline').textContent.includes('created it')",
          );
          assert.includeMembers([...(await momentsOf(tab))], ["Planned start"]);
          assert.notInclude(await momentsOf(tab), "Started");
          await tab.seeText("21 Nov 2026, 00:00 CET");
        });
        yield* checkPage(tab);
        yield* sandbox(`${path}/publish`, { method: "POST" });
        yield* Effect.promise(async () => {
          await tab.page.reload();
          await tab.page.waitForFunction(
            "document.querySelector('.timeline')?.textContent.includes('published it')",
          );
          // It started as it was published, not at midnight.
          const moments = await momentsOf(tab);
          assert.include(moments, "Started");
          assert.deepStrictEqual(moments.slice(0, 3), [
            "Test token created it",
            "Test token published it",
            "Started",
          ]);
        });
      }),
  );
});

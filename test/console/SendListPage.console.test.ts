import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { moveTo, sendWorld } from "../sending/sends/SendWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("sends in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("due and past sends are listed, and one shows why deliveries failed (console.sends)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* sendWorld();
      const token = yield* waypost.token(workspace, "production");
      yield* production.phone();
      yield* production.phone(randomUUID(), { push: { transport: "fcm", token: "a" } });
      const campaign = yield* production.push({ name: "Opening <b>day</b>" });
      yield* production.sent(campaign, "12:01", { name: "Shop opens" });
      yield* production.sent(campaign, "18:00", { name: "Last call" });
      yield* moveTo("2026-11-21T12:01:00Z");
      const tab = yield* consoleTab;
      const table = (label: string) =>
        tab.page.$$eval(`::-p-aria([name="${label}"][role="table"]) tbody tr`, (rows) =>
          rows.map((row) => [...row.children].map((cell) => cell.textContent)),
        );
      yield* Effect.promise(async () => {
        await tab.open("/sends");
        await tab.signIn(token.token);
        await tab.see("link", "Last call");
        await tab.see("link", "Shop opens");
        assert.deepStrictEqual(await table("Due sends"), [
          ["Last call", "Opening <b>day</b>", "21 Nov 2026, 18:00 UTC"],
        ]);
        assert.deepStrictEqual(await table("Past sends"), [
          ["Shop opens", "Opening <b>day</b>", "21 Nov 2026, 12:01 UTC", "Done", "2", "1", "1"],
        ]);
        assert.isNull(await tab.page.$("[role=progressbar]"));
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("link", "Shop opens");
        await tab.seePage("Shop opens");
        await tab.seeText("No credentials are set for fcm in this environment.");
        assert.deepStrictEqual(await table("Failures by reason"), [
          ["No credentials are set for fcm in this environment.", "1"],
        ]);
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("a running send has a bar that moves (console.sends)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* sendWorld();
      const sql = yield* SqlClient.SqlClient;
      const token = yield* waypost.token(workspace, "production");
      yield* production.crowd(40);
      yield* production.sent(yield* production.push(), "18:00", { name: "Last call" });
      const [{ id }] = yield* production.sends();
      const local = { send_at: "18:00", local: true };
      yield* production.sent(yield* production.push(), "18:00", { trigger_config: local });
      const inParts = (yield* production.sends()).find((send) => send.parts !== null);
      const run = (delivered: number) =>
        Effect.orDie(sql`
          UPDATE send SET status = 'running', started_at = '2026-11-21T18:00Z', content_key = 1,
            content_type = 'message', source_id = coalesce(source_id, nextval('delivery_source_id')),
            targeted = ${delivered}, delivered = ${delivered}
          WHERE id = ${id}`);
      yield* run(10);
      const tab = yield* consoleTab;
      const shows = (value: number) =>
        tab.page.waitForSelector(`[role=progressbar][aria-valuenow="${value}"][aria-valuemax="40"]`);
      yield* Effect.promise(async () => {
        await tab.open("/sends");
        await tab.signIn(token.token);
        await tab.see("progressbar", "Progress of Last call");
        await shows(10);
        await tab.seeText("10 of 40 devices");
      });
      yield* checkPage(tab);
      yield* run(25);
      yield* Effect.promise(async () => {
        await shows(25);
        await tab.open(`/sends/${inParts.id}`);
        await tab.see("table", "Parts");
      });
      yield* checkPage(tab);
    }),
  );

  inBrowser("an environment without sends says what to do first (console.sends)", () =>
    Effect.gen(function* () {
      const { tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant();
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/sends");
        await tab.signIn(tokens.production);
        await tab.seeText("No sends yet");
        await tab.see("link", "Go to the campaigns");
      });
      yield* checkPage(tab);
    }),
  );
});

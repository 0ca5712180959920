import { assert, layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { answering, question } from "../events/AnswerWorld.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

const types = ["OPEN_ENDED", "SINGLE_CHOICE", "RATING", "BOOLEAN", "NUMBER"];

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("survey results in the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("each question of a survey has a chart and a row, which filters by it (console.reports)", () =>
    Effect.gen(function* () {
      const world = yield* answering(types.map((type) => question(type)));
      yield* world.answer({ 0: "Fine", 1: "Cheese", 2: 4, 3: true, 4: 12.5 });
      const { token } = yield* world.waypost.token(world.workspace, "production", ["reports:read"]);
      const tab = yield* consoleTab;
      yield* Effect.promise(async () => {
        await tab.open("/reports?report=surveys");
        await tab.signIn(token);
        await tab.press("link", "Results of Note");
        await tab.see("table", "Questions");
        await tab.seeText("1 response");
        await tab.see("image", "Answers: Bread (0\u00a0%) 0, Cheese (100\u00a0%) 1, Fish (0\u00a0%) 0");
        await tab.see("image", "Answers: Yes 1, No 0");
        const rows = await tab.page.$$eval("main tbody tr", (all) => all.map((row) => row.innerText));
        assert.include(rows.join("\n"), "Cheese: 100\u00a0%");
      });
      yield* checkPage(tab);
      yield* Effect.promise(async () => {
        await tab.press("link", "RATING?");
        await tab.page.waitForFunction("document.querySelectorAll('.question-card').length === 1");
        await tab.seeText("4 of 5");
        await tab.press("link", "All questions");
        await tab.page.waitForFunction("document.querySelectorAll('.question-card').length === 5");
      });
    }),
  );
});

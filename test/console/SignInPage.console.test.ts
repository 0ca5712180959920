import { layer } from "@effect/vitest";
import { Effect, Layer } from "effect";
import { isChromiumAvailable } from "../browser/Chromium.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { checkPage, consoleTab } from "./ConsoleTab.ts";

layer(Layer.mergeAll(TestWaypost.layer, TestBrowser.layer))("signing in to the console", (it) => {
  const inBrowser = it.effect.skipIf(!isChromiumAvailable);

  inBrowser("an installation without a workspace begins with a new one (console.signin)", () =>
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
});

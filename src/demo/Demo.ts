/** The whole story of Waypost, end to end, against an instance that lives as long as it takes to tell. */
import { Console, Effect } from "effect";
import { isSea } from "node:sea";
import { campaignChapter } from "./CampaignChapter.ts";
import { demoClient } from "./DemoClient.ts";
import { DemoFailed } from "./DemoFailed.ts";
import type { DemoStage } from "./DemoContext.ts";
import { devicesChapter, visitsChapter } from "./DevicesChapter.ts";
import { Figures } from "./ExpectedFigures.ts";
import { landingPage } from "./LandingPage.ts";
import { Narrator } from "./Narrator.ts";
import { locationsChapter } from "./LocationsChapter.ts";
import { closing, deletionChapter, reportChapter } from "./ReportChapters.ts";
import { type TemporaryWaypost, temporaryWaypost } from "./TemporaryWaypost.ts";
import { environmentChapter, workspaceChapter } from "./WorkspaceChapters.ts";

/** How this program is started: what comes before `serve`. */
const itself: ReadonlyArray<string> = [process.execPath, ...(isSea() ? [] : process.argv.slice(1, 2))];

/** Fails when the output is closed, as by `| head`: an end like any other, after which nothing may be left behind. */
const nobodyListens: Effect.Effect<never, DemoFailed> = Effect.callback((resume) => {
  const ended = (): void => resume(Effect.fail(new DemoFailed({ message: "Nobody reads on." })));
  process.stdout.once("error", ended);
  return Effect.sync(() => process.stdout.off("error", ended));
});

/**
 * Tells the story on a running Waypost that lets button addresses be private. Fails with the first figure or status
 * that is not what the story makes it.
 */
export const story = (
  { operatorKey, origin }: TemporaryWaypost,
  isRich = false,
): Effect.Effect<void, DemoFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const narrator = new Narrator(isRich);
      const stage: DemoStage = {
        narrator,
        figures: new Figures(),
        ask: demoClient(narrator),
        operator: { name: "OPERATOR", value: `${origin}/operator/v1` },
        sandbox: { name: "SANDBOX", value: `${origin}/sandbox/platform/v1` },
        production: { name: "PRODUCTION", value: `${origin}/platform/v1` },
        device: { name: "DEVICE", value: `${origin}/device/v1` },
        operatorKey: { name: "OPERATOR_KEY", value: operatorKey },
        landingPage: yield* landingPage,
      };
      const { device, operator, production, sandbox } = stage;
      yield* narrator.variables([operator, sandbox, production, device, stage.operatorKey]);
      const credentials = yield* workspaceChapter(stage);
      yield* environmentChapter(stage, credentials);
      const places = yield* locationsChapter(stage, credentials);
      const offer = yield* campaignChapter(stage, credentials, places);
      const devices = yield* devicesChapter(stage, credentials);
      yield* visitsChapter(stage, devices, places, offer);
      const running = yield* reportChapter(stage, credentials, places, offer);
      const afterwards = yield* deletionChapter(stage, credentials, places, offer, devices);
      yield* closing(stage, running, afterwards);
    }),
  );

/** Tells the story on a temporary Waypost, which `command` followed by `serve` starts (by default this same program). */
export const demo = (
  options: { readonly command?: ReadonlyArray<string>; readonly isRich?: boolean } = {},
): Effect.Effect<void, DemoFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* Console.log("Starting a temporary Waypost with a database of its own …");
      const waypost = yield* temporaryWaypost(options.command ?? itself);
      yield* Effect.raceFirst(story(waypost, options.isRich), nobodyListens);
    }),
  );

/** `waypost demo`: shows what Waypost does, end to end, on a temporary server. */
import { Console, Effect } from "effect";
import { isSea } from "node:sea";
import { campaignChapter } from "./CampaignChapter.ts";
import { consoleChapter } from "./ConsoleChapter.ts";
import { type Access, demoClient, silentClient } from "./DemoClient.ts";
import type { DemoContext } from "./DemoContext.ts";
import { type DemoFailed, failed } from "./DemoFailed.ts";
import { devicesChapter, visitsChapter } from "./DevicesChapter.ts";
import { ExpectedFigures } from "./ExpectedFigures.ts";
import { locationsChapter } from "./LocationsChapter.ts";
import { landingPage } from "./LoopbackServer.ts";
import { Narrator } from "./Narrator.ts";
import { closingChapter, deletionChapter, reportChapter } from "./ReportChapters.ts";
import { resultsChapter } from "./ResultsChapter.ts";
import { shopChapter } from "./ShopChapter.ts";
import { type TemporaryWaypost, temporaryWaypost } from "./TemporaryWaypost.ts";
import { environmentChapter, workspaceChapter } from "./WorkspaceChapters.ts";

/** The command line of this program, without parameters. */
const ownCommand: ReadonlyArray<string> = [process.execPath, ...(isSea() ? [] : process.argv.slice(1, 2))];

/** Fails when stdout is closed, as by `| head`, so that the temporary server is removed. */
const outputClosed: Effect.Effect<never, DemoFailed> = Effect.callback((resume) => {
  const onError = (): void => resume(Effect.fail(failed("The output was closed.")));
  process.stdout.once("error", onError);
  return Effect.sync(() => process.stdout.off("error", onError));
});

const operatorOf = ({ operatorKey, origin }: TemporaryWaypost): Access => ({
  base: { name: "OPERATOR", value: `${origin}/operator/v1` },
  credential: { name: "OPERATOR_KEY", value: operatorKey },
});

/**
 * Runs all chapters on a server that allows private addresses for buttons. Fails with the first status or
 * figure that is not the expected one. Returns the address of the shop, which is served until the scope closes.
 */
export const runChapters = (
  server: TemporaryWaypost,
  styleHeading: (text: string) => string = (text) => text,
) =>
  Effect.gen(function* () {
    const { origin } = server;
    const narrator = new Narrator(styleHeading);
    const operator = operatorOf(server);
    const context: DemoContext = {
      narrator,
      figures: new ExpectedFigures(),
      send: demoClient(narrator),
      operator,
      sandbox: { name: "SANDBOX", value: `${origin}/sandbox/platform/v1` },
      production: { name: "PRODUCTION", value: `${origin}/platform/v1` },
      device: { name: "DEVICE", value: `${origin}/device/v1` },
      landingPage: yield* landingPage,
    };
    const { device, production, sandbox } = context;
    yield* narrator.variables([operator.base, sandbox, production, device, operator.credential]);
    const workspace = yield* workspaceChapter(context);
    yield* environmentChapter(context, workspace);
    const locations = yield* locationsChapter(context, workspace);
    const campaign = yield* campaignChapter(context, workspace, locations);
    const devices = yield* devicesChapter(context, workspace);
    yield* visitsChapter(context, devices, locations, campaign);
    const running = yield* reportChapter(context, workspace, locations, campaign);
    const survey = yield* resultsChapter(context, workspace);
    const deleted = yield* deletionChapter(context, workspace, locations, campaign, devices);
    yield* closingChapter(context, running, deleted);
    yield* consoleChapter(context, workspace);
    return yield* shopChapter(context, workspace, survey);
  });

/** Prints the addresses of the shop and the console, and keeps both until the demo is interrupted. */
const stay = (server: TemporaryWaypost, shop: string) =>
  Effect.gen(function* () {
    const address = yield* silentClient(operatorOf(server), "POST /console/addresses", { status: 201 });
    const url = yield* address.text("url");
    yield* Console.log(
      `\nTo be a customer of Acme in your own browser, open its shop:\n\n  ${shop}\n\n` +
        `To see all of it in the console, open this address and press "Sign in":\n\n  ${url}\n\n` +
        "It works once, for 15 minutes. The shop and the server run until you press Ctrl-C.",
    );
    return yield* Effect.never;
  });

/**
 * Runs the demo on a temporary server until it is interrupted. The server is started by `command` followed by
 * `serve`; by default this program.
 */
export const demo = (
  options: {
    readonly command?: ReadonlyArray<string>;
    readonly styleHeading?: (text: string) => string;
  } = {},
): Effect.Effect<void, DemoFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* Console.log("Starting a temporary Waypost with its own database …");
      const server = yield* temporaryWaypost(options.command ?? ownCommand);
      yield* Effect.raceFirst(
        Effect.flatMap(runChapters(server, options.styleHeading), (shop) => stay(server, shop)),
        outputClosed,
      );
    }),
  );

/** The command line `waypost`: its commands, help, errors and exit codes. */
import { Cause, Console, Effect, Exit, Result } from "effect";
import { Argument, CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli";
import { FetchHttpClient } from "effect/http";
import { Settings } from "../config/Settings.ts";
import { bundledText } from "../database/embedded/BundledRuntime.ts";
import { demo } from "../demo/Demo.ts";
import { CliEnvironment } from "./CliEnvironment.ts";
import { BadUsage, refused } from "./CommandRefused.ts";
import { activityCommand } from "./commands/ActivityCommand.ts";
import { backupCommand, restoreCommand } from "./commands/BackupCommands.ts";
import { campaignCommand } from "./commands/CampaignCommand.ts";
import { consoleCommand } from "./commands/ConsoleCommand.ts";
import { sdkKeyCommand, tokenCommand } from "./commands/CredentialCommands.ts";
import { databaseCommand } from "./commands/DatabaseCommand.ts";
import { deviceCommand } from "./commands/DeviceCommand.ts";
import { doctorCommand } from "./commands/DoctorCommand.ts";
import { eventCommand } from "./commands/EventCommand.ts";
import { locationCommand } from "./commands/LocationCommand.ts";
import { notificationCommand } from "./commands/NotificationCommand.ts";
import { personCommand } from "./commands/PersonCommand.ts";
import { reportCommand } from "./commands/ReportCommand.ts";
import { segmentCommand } from "./commands/SegmentCommand.ts";
import { sendCommand } from "./commands/SendCommand.ts";
import { transportCommand } from "./commands/TransportCommand.ts";
import { webhookCommand } from "./commands/WebhookCommand.ts";
import { workspaceCommand } from "./commands/WorkspaceCommand.ts";
import { command } from "./DeclaredCommand.ts";
import { optional } from "./Flags.ts";
import { completionsFlag } from "./ShellCompletions.ts";
import { paint } from "./terminal/Colors.ts";
import { helpPage } from "./terminal/HelpPage.ts";
import { withPrintedText } from "./terminal/PrintedText.ts";
import { usageProblems } from "./UsageError.ts";
import { versionText } from "./Version.ts";

import manifest from "../../package.json" with { type: "json" };

// Loaded on demand: the server is most of the program, and most commands do not need it.
const server = Effect.promise(() => import("../serve/Serve.ts"));
const documents = Effect.promise(() => import("../ApiDocuments.ts"));

const serveCommand = command("serve", {
  description: "Run Waypost until it is stopped",
  examples: ["waypost serve", "waypost serve --config /etc/waypost/waypost.env"],
  flags: {
    config: optional(
      Flag.File("config").pipe(
        Flag.withDescription("Settings file of KEY=VALUE lines, which override the environment"),
      ),
    ),
  },
  *run({ config }) {
    const { environment } = yield* CliEnvironment;
    const fromFile = config === undefined ? {} : yield* Settings.readFile(config);
    const { serve } = yield* server;
    yield* serve({ ...environment, ...fromFile });
  },
});

const demoCommand = command("demo", {
  description: "Show what Waypost does on a temporary server, then keep its console until Ctrl-C",
  examples: ["waypost demo"],
  flags: {},
  *run() {
    const { colors } = yield* CliEnvironment;
    yield* demo({ styleHeading: paint(colors.stdout).bold });
  },
});

const openapiCommand = command("openapi", {
  description: "Print the OpenAPI document of an interface",
  examples: ["waypost openapi device > device.json"],
  flags: {
    name: Argument.Literals("interface", ["platform", "device", "operator"]).pipe(
      Argument.withDescription("platform, device or operator; platform if left out"),
      Argument.withDefault("platform" as const),
    ),
  },
  *run({ name }) {
    const { apiDocument } = yield* documents;
    yield* Console.log(JSON.stringify(apiDocument(name), null, 2));
  },
});

const licensesCommand = command("licenses", {
  description: "Print the licences of everything that the executable bundles",
  examples: ["waypost licenses"],
  flags: {},
  *run() {
    const text = bundledText("licenses.txt");
    if (text === undefined) {
      return yield* refused(
        "Only the executable has this text. In a clone, the licences are in node_modules.",
      );
    }
    yield* Console.log(text.replaceAll("\r\n", "\n"));
  },
});

/** The root command. */
export const waypost = Command.make("waypost").pipe(
  Command.withDescription("Campaign messaging that you host yourself"),
  Command.withSubcommands([
    serveCommand,
    demoCommand,
    consoleCommand,
    workspaceCommand,
    tokenCommand,
    sdkKeyCommand,
    segmentCommand,
    deviceCommand,
    personCommand,
    locationCommand,
    reportCommand,
    campaignCommand,
    notificationCommand,
    eventCommand,
    sendCommand,
    transportCommand,
    webhookCommand,
    activityCommand,
    backupCommand,
    restoreCommand,
    doctorCommand,
    databaseCommand,
    openapiCommand,
    licensesCommand,
  ]),
  Command.withGlobalFlags([completionsFlag]),
  Command.withExamples([
    { command: "waypost serve", description: "Start the server; then, in another terminal:" },
    { command: "waypost workspace create --name Acme" },
    { command: "waypost token issue --workspace Acme --environment sandbox" },
    { command: "waypost location import --help", description: "Flags and examples of a command" },
    { command: "source <(waypost --completions bash)", description: "Complete commands with the Tab key" },
  ]),
);

/** Prints usage errors on stderr, and requested help on stdout. */
const presenter = (
  parameters: ReadonlyArray<string>,
  { colors, columns, terminal }: CliEnvironment["Service"],
): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    switch (event._tag) {
      case "Version":
        return yield* Console.log(versionText(event.name));
      case "Help":
        return event.reason === "Requested"
          ? yield* Console.log(helpPage(event.helpDoc, { columns, paint: paint(colors.stdout) }))
          : yield* Console.error(
              helpPage(event.helpDoc, { columns: terminal?.columns ?? null, paint: paint(colors.stderr) }),
            );
      case "InvalidInvocation": {
        const { red } = paint(colors.stderr);
        for (const line of usageProblems(event.errors, event.helpDoc, event.commandPath, parameters))
          yield* Console.error(red(line));
        yield* Console.error(`See ${event.commandPath.join(" ")} --help`);
      }
    }
  }),
});

const exitCodes = { done: 0, refused: 1, badUsage: 2 };

/** Prints why a command failed and returns the exit code. An unexpected error is printed with its stack. */
const reportFailure = Effect.fnUntraced(function* (
  cause: Cause.Cause<unknown>,
  { colors }: CliEnvironment["Service"],
) {
  const { red } = paint(colors.stderr);
  const failure = Cause.findError(cause);
  if (Result.isFailure(failure)) {
    yield* Console.error(`${red("Internal error in Waypost. Please report it:")}\n${Cause.pretty(cause)}`);
    return exitCodes.refused;
  }
  const error = failure.success;
  if (CliError.isCliError(error)) return exitCodes.badUsage;
  yield* Console.error(red(error instanceof Error ? error.message : String(error)));
  return error instanceof BadUsage ? exitCodes.badUsage : exitCodes.refused;
});

/** Turns `help location import` into `location import --help`. */
const expandHelp = (parameters: ReadonlyArray<string>): ReadonlyArray<string> =>
  parameters[0] === "help" ? [...parameters.slice(1), "--help"] : parameters;

/**
 * Runs a command and returns the exit code: 0 if it was done, 1 if it was refused, 2 if it was written
 * wrongly. Errors are printed on stderr.
 */
export const runCommand = (parameters: ReadonlyArray<string>, cliEnvironment: CliEnvironment["Service"]) =>
  Command.runWith(waypost, { version: manifest.version })(expandHelp(parameters)).pipe(
    Effect.provideService(CliEnvironment, cliEnvironment),
    Effect.provideService(CliOutput.Presenter, presenter(parameters, cliEnvironment)),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
    ),
    Effect.provide(FetchHttpClient.layer),
    Effect.exit,
    Effect.flatMap((exit) => {
      if (Exit.isSuccess(exit)) return Effect.succeed(exitCodes.done);
      return Cause.hasInterruptsOnly(exit.cause)
        ? Effect.interrupt
        : reportFailure(exit.cause, cliEnvironment);
    }),
    withPrintedText,
  );

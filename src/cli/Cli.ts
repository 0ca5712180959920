/** The command line `waypost`: every command, and what becomes of those that fail. */
import { Cause, Console, Effect, Exit, Option, Result } from "effect";
import { Argument, CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli";
import { FetchHttpClient } from "effect/http";
import manifest from "../../package.json" with { type: "json" };
import { Settings } from "../config/Settings.ts";
import { bundledText } from "../database/embedded/BundledRuntime.ts";
import { BadUsage, CommandRefused } from "./CommandRefused.ts";
import { backupCommand, restoreCommand } from "./commands/BackupCommands.ts";
import { doctorCommand } from "./commands/DoctorCommand.ts";
import { deviceCommand } from "./commands/DeviceCommand.ts";
import { helpPage } from "./terminal/HelpPage.ts";
import { locationCommand } from "./commands/LocationCommand.ts";
import { paint } from "./terminal/Colors.ts";
import { reportCommand } from "./commands/ReportCommand.ts";
import { sdkKeyCommand } from "./commands/SdkKeyCommand.ts";
import { segmentCommand } from "./commands/SegmentCommand.ts";
import { sendCommand } from "./commands/SendCommand.ts";
import { completionsFlag } from "./ShellCompletions.ts";
import { CliEnvironment } from "./CliEnvironment.ts";
import { tokenCommand } from "./commands/TokenCommand.ts";
import { usageTrouble } from "./UsageError.ts";
import { workspaceCommand } from "./commands/WorkspaceCommand.ts";
import { demo } from "../demo/Demo.ts";

// The server is most of the program: commands that only ask one do without it.
const server = Effect.promise(() => import("./Serve.ts"));
const documents = Effect.promise(() => import("../ApiDocuments.ts"));

const serveCommand = Command.make(
  "serve",
  {
    config: Flag.File("config").pipe(
      Flag.withDescription("File of KEY=VALUE settings, which go before those of the environment"),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ config }) {
    const { environment } = yield* CliEnvironment;
    const fromFile = Option.isSome(config) ? yield* Settings.readFile(config.value) : {};
    const { serve } = yield* server;
    yield* serve({ ...environment, ...fromFile });
  }),
).pipe(
  Command.withDescription("Run Waypost until it is stopped"),
  Command.withExamples([
    { command: "waypost serve" },
    { command: "waypost serve --config /etc/waypost/waypost.env" },
  ]),
);

const demoCommand = Command.make("demo", {}, () =>
  Effect.flatMap(CliEnvironment, ({ colors }) => demo({ isRich: colors.stdout })),
).pipe(
  Command.withDescription("Tell the whole story, step by step, on a temporary Waypost"),
  Command.withExamples([{ command: "waypost demo" }]),
);

const openapiCommand = Command.make(
  "openapi",
  {
    name: Argument.Literals("interface", ["platform", "device", "operator"]).pipe(
      Argument.withDescription("platform, device or operator; platform if left out"),
      Argument.withDefault("platform" as const),
    ),
  },
  ({ name }) =>
    Effect.flatMap(documents, ({ apiDocument }) => Console.log(JSON.stringify(apiDocument(name), null, 2))),
).pipe(
  Command.withDescription("Print the OpenAPI document of an interface"),
  Command.withExamples([{ command: "waypost openapi device > device.json" }]),
);

const licensesCommand = Command.make("licenses", {}, () => {
  const text = bundledText("licenses.txt");
  return text === undefined
    ? Effect.fail(
        new CommandRefused({
          message:
            "Only the executable carries other people's works: in a clone their licences are in node_modules.",
        }),
      )
    : Console.log(text);
}).pipe(
  Command.withDescription("Print the licences of all that the executable carries"),
  Command.withExamples([{ command: "waypost licenses" }]),
);

/** Every command there is. */
export const waypost = Command.make("waypost").pipe(
  Command.withDescription("Campaign messaging that you host yourself"),
  Command.withSubcommands([
    serveCommand,
    demoCommand,
    workspaceCommand,
    tokenCommand,
    sdkKeyCommand,
    segmentCommand,
    deviceCommand,
    locationCommand,
    reportCommand,
    sendCommand,
    backupCommand,
    restoreCommand,
    doctorCommand,
    openapiCommand,
    licensesCommand,
  ]),
  Command.withGlobalFlags([completionsFlag]),
  Command.withExamples([
    { command: "waypost serve", description: "Run it; then, in another terminal:" },
    { command: "waypost workspace create --name Acme" },
    { command: "waypost token issue --workspace Acme --environment sandbox" },
    { command: "waypost location import --help", description: "What a command takes, with examples" },
    { command: "source <(waypost --completions bash)", description: "Let the Tab key complete commands" },
  ]),
);

/** What was wrong with how a command was written, on stderr; help that was asked for, on stdout. */
const presenter = (
  parameters: ReadonlyArray<string>,
  { colors, columns, terminal }: CliEnvironment["Service"],
): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    switch (event._tag) {
      case "Version":
        return yield* Console.log(`${event.name} v${event.version}`);
      case "Help":
        return event.reason === "Requested"
          ? yield* Console.log(helpPage(event.helpDoc, { columns, paint: paint(colors.stdout) }))
          : yield* Console.error(
              helpPage(event.helpDoc, { columns: terminal?.columns ?? null, paint: paint(colors.stderr) }),
            );
      case "InvalidInvocation": {
        const { red } = paint(colors.stderr);
        for (const line of usageTrouble(event.errors, event.helpDoc, event.commandPath, parameters))
          yield* Console.error(red(line));
        yield* Console.error(`See ${event.commandPath.join(" ")} --help`);
      }
    }
  }),
});

const refused = 1;
const misused = 2;

/** Says on stderr why a command failed, a fault of ours with all that helps to find it, and gives the exit code. */
const report = Effect.fnUntraced(function* (
  cause: Cause.Cause<unknown>,
  { colors }: CliEnvironment["Service"],
) {
  const { red } = paint(colors.stderr);
  const failure = Cause.findError(cause);
  if (Result.isFailure(failure)) {
    yield* Console.error(red("Waypost failed by a fault of its own:") + `\n${Cause.pretty(cause)}`);
    return refused;
  }
  const error = failure.success;
  if (CliError.isCliError(error)) return misused;
  yield* Console.error(red(error instanceof Error ? error.message : String(error)));
  return error instanceof BadUsage ? misused : refused;
});

/** `waypost help location import` is what many try first. */
const asFlag = (parameters: ReadonlyArray<string>): ReadonlyArray<string> =>
  parameters[0] === "help" ? [...parameters.slice(1), "--help"] : parameters;

/**
 * Carries out a command and gives the exit code of the process: 0 when it was done, 1 when it was refused, 2 when it was
 * not written as a command is. Whatever went wrong has been said on stderr.
 */
export const runCommand = (parameters: ReadonlyArray<string>, cliEnvironment: CliEnvironment["Service"]) =>
  Command.runWith(waypost, { version: manifest.version })(asFlag(parameters)).pipe(
    Effect.provideService(CliEnvironment, cliEnvironment),
    Effect.provideService(CliOutput.Presenter, presenter(parameters, cliEnvironment)),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
    ),
    Effect.provide(FetchHttpClient.layer),
    Effect.exit,
    Effect.flatMap((exit) => {
      if (Exit.isSuccess(exit)) return Effect.succeed(0);
      return Cause.hasInterruptsOnly(exit.cause) ? Effect.interrupt : report(exit.cause, cliEnvironment);
    }),
  );

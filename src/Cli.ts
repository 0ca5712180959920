/** The command line `waypost`: every command, and what becomes of those that fail. */
import { Cause, Console, Effect, Exit, Option, Result } from "effect";
import { Argument, CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli";
import { FetchHttpClient } from "effect/http";
import manifest from "../package.json" with { type: "json" };
import { Config } from "./Config.ts";
import { carriedText } from "./database/CarriedRuntime.ts";
import { BadUsage, CommandRefused } from "./operator/commands/CommandRefused.ts";
import { backupCommand, restoreCommand } from "./BackupCommands.ts";
import { doctorCommand } from "./DoctorCommand.ts";
import { deviceCommand } from "./operator/commands/DeviceCommand.ts";
import { locationCommand } from "./operator/commands/LocationCommand.ts";
import { reportCommand } from "./operator/commands/ReportCommand.ts";
import { sdkKeyCommand } from "./operator/commands/SdkKeyCommand.ts";
import { segmentCommand } from "./operator/commands/SegmentCommand.ts";
import { sendCommand } from "./operator/commands/SendCommand.ts";
import { Surroundings } from "./operator/commands/Surroundings.ts";
import { tokenCommand } from "./operator/commands/TokenCommand.ts";
import { workspaceCommand } from "./operator/commands/WorkspaceCommand.ts";
import { demo } from "./operator/demo/Demo.ts";

// The server is most of the program: commands that only ask one do without it.
const server = Effect.promise(() => import("./Serve.ts"));
const documents = Effect.promise(() => import("./ApiDocuments.ts"));

const serveCommand = Command.make(
  "serve",
  {
    config: Flag.File("config").pipe(
      Flag.withDescription("File of KEY=VALUE settings, which go before those of the environment"),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ config }) {
    const { environment } = yield* Surroundings;
    const fromFile = Option.isSome(config) ? yield* Config.readFile(config.value) : {};
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

const demoCommand = Command.make("demo", {}, () => demo()).pipe(
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
  const text = carriedText("licenses.txt");
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
);

/** What was wrong with how a command was written, on stderr; help that was asked for, on stdout. */
const presenter: CliOutput.Presenter = {
  present: Effect.fnUntraced(function* (event) {
    const isAsked = event._tag === "Version" || (event._tag === "Help" && event.reason === "Requested");
    if (isAsked) return yield* CliOutput.defaultPresenter.present(event);
    if (event._tag === "InvalidInvocation") {
      for (const error of event.errors) yield* Console.error(error.message);
      return yield* Console.error(`See ${event.commandPath.join(" ")} --help`);
    }
    const { formatHelpDoc } = CliOutput.defaultFormatter({ colors: false });
    yield* event._tag === "Help" ? Console.error(formatHelpDoc(event.helpDoc)) : Effect.void;
  }),
};

const refused = 1;
const misused = 2;

/** Says on stderr why a command failed, a fault of ours with all that helps to find it, and gives the exit code. */
const report = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const failure = Cause.findError(cause);
  if (Result.isFailure(failure)) {
    yield* Console.error(`Waypost failed by a fault of its own:\n${Cause.pretty(cause)}`);
    return refused;
  }
  const error = failure.success;
  if (CliError.isCliError(error)) return misused;
  yield* Console.error(error instanceof Error ? error.message : String(error));
  return error instanceof BadUsage ? misused : refused;
});

/**
 * Carries out a command and gives the exit code of the process: 0 when it was done, 1 when it was refused, 2 when it was
 * not written as a command is. Whatever went wrong has been said on stderr.
 */
export const runCommand = (parameters: ReadonlyArray<string>, surroundings: Surroundings["Service"]) =>
  Command.runWith(waypost, { version: manifest.version })(parameters).pipe(
    Effect.provideService(Surroundings, surroundings),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
    ),
    Effect.provide(FetchHttpClient.layer),
    Effect.exit,
    Effect.flatMap((exit) => {
      if (Exit.isSuccess(exit)) return Effect.succeed(0);
      return Cause.hasInterruptsOnly(exit.cause) ? Effect.interrupt : report(exit.cause);
    }),
  );

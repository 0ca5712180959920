/** `waypost serve`: runs a server process. */
import { Console, Data, Effect, Layer } from "effect";
import { HttpServer, HttpServerError } from "effect/http";
import { isSea } from "node:sea";
import { Settings, type SettingsRecord, type SettingsService } from "../config/Settings.ts";
import { runtimeFolder } from "../database/embedded/BundledRuntime.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import { StartVariables } from "../doctor/HealthReports.ts";
import { programMigrations } from "../database/migrations/ProgramMigrations.ts";
import { bundledMediaWorker, MediaWorkerProgram } from "../media/worker/MediaWorkerProcess.ts";
import { publishServer } from "../operator/ServerFile.ts";
import { Telemetry } from "../telemetry/Telemetry.ts";
import { waypostLayer } from "../Waypost.ts";
import { notifyReady } from "./SystemdUnit.ts";

/** The process cannot listen on its address. */
export class ListenRefused extends Data.TaggedError("ListenRefused")<{
  readonly host: string;
  readonly port: number;
  readonly code: string;
}> {
  override get message(): string {
    const refused = `Waypost cannot listen on ${this.host}:${this.port}`;
    if (this.code === "EADDRINUSE")
      return `${refused}: the port is in use. Set PORT to a free port, or to 0 for any.`;
    if (this.code === "EACCES")
      return `${refused}: this account may not use the port. Set PORT to 1024 or higher.`;
    return `${refused} (${this.code}). Set WAYPOST_HOST and PORT to an address of this machine.`;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);

/** What a person does next, on a new installation and on any other. */
const nextStep = (address: string): string => {
  const program = isSea() ? "waypost" : "npx waypost";
  return (
    `Next, in another terminal: ${program} console gives an address that opens the console in a browser. ` +
    `The API documentation is at ${address}/docs`
  );
};

/** Announces the listen address: on stdout, in the data directory for the command line, and to systemd. */
const announce = (record: SettingsRecord) =>
  Layer.effectDiscard(
    HttpServer.addressFormattedWith((address) =>
      Effect.gen(function* () {
        const { path } = yield* DataDirectory;
        yield* publishServer(path, address);
        yield* Console.log(`Waypost is listening on ${address}`);
        yield* Effect.logInfo(nextStep(address));
        yield* notifyReady(record);
      }),
    ),
  );

/** The media worker of the executable. A source tree uses the default program. */
const mediaWorker = ({ dataDir }: SettingsService) =>
  isSea() ? Layer.succeed(MediaWorkerProgram, bundledMediaWorker(runtimeFolder(dataDir))) : Layer.empty;

const launch = (settings: SettingsService, record: SettingsRecord) =>
  Layer.launch(announce(record)).pipe(
    Effect.provide(waypostLayer),
    Effect.provide([programMigrations, Telemetry.layer, mediaWorker(settings)]),
    Effect.provideService(Settings, settings),
    Effect.provideService(StartVariables, record),
  );

/**
 * Runs until it is interrupted. Before it listens it may fail with an error whose message says what is wrong:
 * the settings, the data directory, the database or the address. It has no span, because that span would
 * never end.
 */
export const serve = Effect.fnUntraced(function* (record: SettingsRecord) {
  const settings = yield* Settings.fromRecord(record, { isTerminal: process.stderr.isTTY });
  const { host, port } = settings;
  return yield* launch(settings, record).pipe(
    Effect.catchIf(
      (error) => error instanceof HttpServerError.ServeError,
      (error) => Effect.fail(new ListenRefused({ host, port, code: codeOf(error.cause) })),
    ),
  );
});

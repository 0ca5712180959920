/** `waypost serve`: a process from its settings to its last request. */
import { Console, Data, Effect, Layer } from "effect";
import { HttpServer, HttpServerError } from "effect/http";
import { isSea } from "node:sea";
import { Settings, type SettingsRecord } from "../config/Settings.ts";
import { bundledFolder, runtimeFolder } from "../database/embedded/BundledRuntime.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import { MigrationFiles } from "../database/migrations/Migrations.ts";
import { bundledMediaWorker, MediaWorkerProgram } from "../media/worker/MediaWorkerProcess.ts";
import { publishServer } from "../operator/ServerFile.ts";
import { tellReady } from "./SystemdUnit.ts";
import { Telemetry } from "../telemetry/Telemetry.ts";
import { waypostLayer } from "../Waypost.ts";

/** The listen address cannot be had. */
export class ListenRefused extends Data.TaggedError("ListenRefused")<{
  readonly host: string;
  readonly port: number;
  readonly code: string;
}> {
  override get message(): string {
    const where = `${this.host}:${this.port}`;
    if (this.code === "EADDRINUSE") {
      return `Waypost cannot listen on ${where}: something else does already. Set PORT to a free port, or to 0 for any.`;
    }
    if (this.code === "EACCES") {
      return `Waypost cannot listen on ${where}: this account may not. Set PORT to one of 1024 or more.`;
    }
    return `Waypost cannot listen on ${where} (${this.code}). Set WAYPOST_HOST and PORT to an address of this machine.`;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);

/** Says where it listens, on stdout in one line and in the data directory for the command line, and that it does to systemd. */
const announce = (record: SettingsRecord) =>
  Layer.effectDiscard(
    HttpServer.addressFormattedWith((address) =>
      Effect.gen(function* () {
        const { path } = yield* DataDirectory;
        yield* publishServer(path, address);
        yield* Console.log(`Waypost is listening on ${address}`);
        yield* tellReady(record);
      }),
    ),
  );

const migrations = isSea()
  ? MigrationFiles.layerFiles(bundledFolder("schema"))
  : MigrationFiles.layerFolder(new URL("../../schema", import.meta.url));

/** Where this program's children come from when it is the executable. */
const children = ({ dataDir }: Settings["Service"]) =>
  isSea() ? Layer.succeed(MediaWorkerProgram, bundledMediaWorker(runtimeFolder(dataDir))) : Layer.empty;

/**
 * Runs until it is interrupted. Fails, before it listens, with an error whose message tells a person what is in the way: the
 * settings, the data directory, the database or the address. It has no span: that would be above all that the process ever does, one trace
 * that never ends.
 */
export const serve = Effect.fnUntraced(function* (record: SettingsRecord) {
  const config = yield* Settings.fromRecord(record, { isTerminal: process.stderr.isTTY });
  const { host, port } = config;
  return yield* announceOver(config, record).pipe(
    Effect.catchIf(
      (error) => error instanceof HttpServerError.ServeError,
      (error) => Effect.fail(new ListenRefused({ host, port, code: codeOf(error.cause) })),
    ),
  );
});

const announceOver = (config: Settings["Service"], record: SettingsRecord) =>
  Layer.launch(announce(record)).pipe(
    Effect.provide(waypostLayer),
    Effect.provide([migrations, Telemetry.layer, children(config)]),
    Effect.provideService(Settings, config),
  );

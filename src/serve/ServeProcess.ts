/** One process that serves: the whole Waypost, or a part of it under a supervisor. */
import { Data, Effect, Layer, type Scope } from "effect";
import { HttpServer, HttpServerError } from "effect/http";
import { isSea } from "node:sea";
import { Settings, type SettingsRecord, type SettingsService } from "../config/Settings.ts";
import { runtimeFolder } from "../database/embedded/BundledRuntime.ts";
import type { DataDirectory } from "../database/DataDirectory.ts";
import { PostgresUnusable } from "../database/Postgres.ts";
import { programMigrations } from "../database/migrations/ProgramMigrations.ts";
import { StartVariables } from "../doctor/HealthReports.ts";
import { bundledMediaWorker, MediaWorkerProgram } from "../media/worker/MediaWorkerProcess.ts";
import { type Member, ProcessMember, ProcessName } from "../processes/ProcessMember.ts";
import {
  connectToSupervisor,
  type SupervisorConnection,
  SupervisorChannel,
} from "../processes/SupervisorChannel.ts";
import { Telemetry } from "../telemetry/Telemetry.ts";
import { waypostLayer } from "../Waypost.ts";
import { announce } from "./Announcement.ts";
import { keepMemorySmall } from "./QuietMemory.ts";

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

/** The media worker of the executable. A source tree uses the default program. */
const mediaWorker = ({ dataDir }: SettingsService) =>
  isSea() ? Layer.succeed(MediaWorkerProgram, bundledMediaWorker(runtimeFolder(dataDir))) : Layer.empty;

/** Runs all services until it is interrupted. `onListening` runs when they work. */
const launch = <E>(
  settings: SettingsService,
  record: SettingsRecord,
  onListening: Effect.Effect<void, E, HttpServer.HttpServer | DataDirectory | Scope.Scope>,
) =>
  Layer.launch(Layer.effectDiscard(onListening)).pipe(
    Effect.provide(waypostLayer),
    Effect.provide([programMigrations, Telemetry.layer, mediaWorker(settings)]),
    Effect.provideService(Settings, settings),
    Effect.provideService(StartVariables, record),
    Effect.catchIf(
      (error) => error instanceof HttpServerError.ServeError,
      (error) => {
        const { host, port } = settings;
        return Effect.fail(new ListenRefused({ host, port, code: codeOf(error.cause) }));
      },
    ),
  );

/** Runs the whole Waypost in this process. */
export const serveAlone = (settings: SettingsService, record: SettingsRecord) =>
  launch(
    settings,
    record,
    HttpServer.addressFormattedWith((address) =>
      Effect.andThen(announce(record, address), keepMemorySmall()),
    ),
  );

/** Whether a process would fail again in the same way. A database may be available again. */
const isFinal = (error: unknown): boolean => !(error instanceof PostgresUnusable);

const serveAsMember = (
  settings: SettingsService,
  record: SettingsRecord,
  member: Member,
  supervisor: SupervisorConnection,
) =>
  launch(
    settings,
    record,
    HttpServer.addressFormattedWith((address) =>
      Effect.andThen(supervisor.ready(address), keepMemorySmall()),
    ),
  ).pipe(
    Effect.catch((error) => supervisor.refuse(error.message, isFinal(error))),
    Effect.provideService(ProcessMember, member),
    Effect.provideService(ProcessName, member.name),
    Effect.provideService(SupervisorChannel, supervisor),
  );

/** Runs the part of a process under a supervisor, which prints why it cannot start. */
export const serveMember = (record: SettingsRecord, member: Member) =>
  Effect.suspend(() => {
    const supervisor = connectToSupervisor();
    return Settings.fromRecord(record, { isTerminal: process.stderr.isTTY }).pipe(
      Effect.catch((error) => supervisor.refuse(error.message, true)),
      Effect.flatMap((settings) => serveAsMember(settings, record, member, supervisor)),
    );
  });

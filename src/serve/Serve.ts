/** `waypost serve`: runs one process, or several under a supervisor. */
import { Effect, Redacted } from "effect";
import process from "node:process";
import { Settings, type SettingsRecord, type SettingsService } from "../config/Settings.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import { programMigrations } from "../database/migrations/ProgramMigrations.ts";
import { autoProcesses, thisMachine } from "./ProcessCount.ts";
import { memberOf, ProcessName, supervisorName } from "../processes/ProcessMember.ts";
import { Telemetry } from "../telemetry/Telemetry.ts";

// Loaded on demand: a supervisor needs little of the program.
const oneProcess = Effect.promise(() => import("./ServeProcess.ts"));
const supervisor = Effect.promise(() => import("./Supervisor.ts"));

/** Whether PostgreSQL runs on this machine: it is embedded, or reached by loopback or a socket. */
const hasDatabase = ({ databaseUrl }: SettingsService): boolean => {
  if (databaseUrl === undefined) return true;
  const { hostname, searchParams } = new URL(Redacted.value(databaseUrl));
  const host = searchParams.get("host") ?? hostname;
  return /^(?:|localhost|127\..*|\[?::1\]?|\/.*|%2f.*)$/i.test(host);
};

/** The number of request processes. Without the role `api` there are none, so one process does the rest. */
const requestProcesses = (settings: SettingsService): number => {
  if (!settings.roles.has("api")) return 1;
  return settings.processes === "auto"
    ? autoProcesses(thisMachine(hasDatabase(settings)))
    : settings.processes;
};

const superviseAll = (settings: SettingsService, record: SettingsRecord, wanted: number) =>
  Effect.flatMap(supervisor, ({ supervise }) => supervise(record, wanted)).pipe(
    Effect.provide(DataDirectory.layer),
    Effect.provide(Telemetry.layer),
    Effect.provide(programMigrations),
    Effect.provideService(ProcessName, supervisorName),
    Effect.provideService(Settings, settings),
  );

/**
 * Runs until it is interrupted. Before it listens it may fail with an error whose message says what is wrong:
 * the settings, the data directory, the database or the address. It has no span, because that span would
 * never end.
 */
export const serve = Effect.fnUntraced(function* (variables: SettingsRecord) {
  const { member, settings: record } = yield* memberOf(variables, process.send !== undefined);
  if (member !== null) return yield* (yield* oneProcess).serveMember(record, member);
  const settings = yield* Settings.fromRecord(record, { isTerminal: process.stderr.isTTY });
  const wanted = requestProcesses(settings);
  if (wanted > 1) return yield* superviseAll(settings, record, wanted);
  return yield* (yield* oneProcess).serveAlone(settings, record);
});

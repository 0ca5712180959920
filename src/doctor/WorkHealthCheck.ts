import { Effect } from "effect";
import type { SettingsService } from "../config/Settings.ts";
import { type NamedSession, namedSessions, processesOf } from "../database/ConnectedProcesses.ts";
import { databaseClock } from "../database/DatabaseClock.ts";
import { counted } from "../wire/Text.ts";
import {
  factOutcomes,
  formatSpan,
  type Outcome,
  outcomesOr,
  problem,
  runCheck,
  warning,
} from "./HealthCheck.ts";
import { sampleRatio } from "../experiments/ExperimentFigures.ts";
import {
  type AwaitedEvent,
  type ExpiringToken,
  type QueuedPushes,
  type RunningExperiment,
  workFactsSql,
} from "./WorkFactsSql.ts";

/** A worker queries the database several times a second. */
const maxSilenceMillis = 30_000;
const maxNamedWorkers = 5;

/** Whether there are workers, and whether they are active. */
export const workerOutcomes = (
  sessions: ReadonlyArray<NamedSession>,
  now: number,
): ReadonlyArray<Outcome> => {
  const processes = processesOf(sessions);
  if (processes.length === 0) {
    return [
      warning(
        "No Waypost process is connected to the database: nothing is sent.",
        "Start one: waypost serve.",
      ),
    ];
  }
  const workers = processes.filter(({ roles }) => roles.has("worker"));
  if (workers.length === 0) {
    return [
      problem(
        `${counted(processes.length, "Waypost process", "Waypost processes")} without the role worker: ` +
          "nothing is sent, and rollups are not updated.",
        "Start a process with worker in WAYPOST_ROLES.",
      ),
    ];
  }
  const names = workers.slice(0, maxNamedWorkers).map(({ host, pid }) => `${host} (process ${pid})`);
  const more = workers.length > maxNamedWorkers ? ", …" : "";
  return outcomesOr(
    `${counted(workers.length, "active worker")}: ${names.join(", ")}${more}.`,
    workers.map(
      ({ host, lastStatementAt, pid }) =>
        lastStatementAt !== null &&
        now - lastStatementAt > maxSilenceMillis &&
        problem(
          `The worker on ${host} (process ${pid}) has sent the database no statement ` +
            `for ${formatSpan(now - lastStatementAt)}.`,
          "It hangs, or its machine lost the connection: read its log, and restart it.",
        ),
    ),
  );
};

/** Pushes that have been in a queue for too long. */
export const pushOutcomes = (queued: ReadonlyArray<QueuedPushes>): ReadonlyArray<Outcome> => {
  const total = queued.reduce((sum, { count }) => sum + count, 0);
  return outcomesOr(
    total === 0 ? "No push is queued." : `${counted(total, "push", "pushes")} queued or in flight.`,
    queued.map(
      ({ count, late, transport }) =>
        late > 0 &&
        problem(
          `${counted(late, "push", "pushes")} of ${count.toLocaleString("en-US")} in the queue of ` +
            `${transport} should have been sent five minutes ago.`,
          "Make sure that a worker runs, and that the push service can be reached with its credentials.",
        ),
    ),
  );
};

/** Experiments whose arms do not have the people that their weights say (contract U6). */
export const experimentOutcomes = (experiments: ReadonlyArray<RunningExperiment>): ReadonlyArray<Outcome> =>
  outcomesOr(
    experiments.length === 0
      ? "No experiment has enrolled anybody."
      : `The arms of ${counted(experiments.length, "experiment")} have the people that they should have.`,
    experiments.map(({ campaign, enrolled, environment, holdout, notifications, workspace }) => {
      const ratio = sampleRatio({ holdout, notifications }, (id, key) => enrolled[`${id ?? 0} ${key}`] ?? 0);
      return (
        !ratio.ok &&
        warning(
          `The arms of the experiment of "${campaign}" of ${workspace} (${environment}) do not have the ` +
            `people that their weights say (p ${ratio.p_value?.toPrecision(1)}).`,
          "Its figures may mislead: find out what treats the arms differently before you use them.",
        )
      );
    }),
  );

/** Events of campaigns that have not come (contract V4). */
export const unheardOutcomes = (unheard: ReadonlyArray<Omit<AwaitedEvent, "workspaceId">>) =>
  unheard.map(({ campaign, environment, event, workspace }) =>
    warning(
      `The campaign "${campaign}" of ${workspace} (${environment}) waits for the event "${event}", which ` +
        "has not come.",
      "Compare the name with those of waypost event names, and with what the app reports.",
    ),
  );

const tokenOutcomes = (tokens: ReadonlyArray<ExpiringToken>, now: number): ReadonlyArray<Outcome> =>
  outcomesOr(
    "No token expires within two weeks.",
    tokens.map(({ environment, expires, name, workspace }) =>
      warning(
        `The token "${name}" of ${workspace} (${environment}) expires in ${formatSpan(expires - now)}.`,
        "Issue another one with waypost token issue, and replace it wherever it is used.",
      ),
    ),
  );

/** Checks workers, sends, pushes, background jobs and expiring tokens. */
export const workHealthCheck = Effect.fnUntraced(function* ({ customEventRetentionDays }: SettingsService) {
  const work = yield* workFactsSql;
  // Workers go by the database's clock.
  const now = yield* databaseClock;
  const behind = work.behind(now, customEventRetentionDays);
  const sends = Effect.map(behind, ({ facts, sends: rows }) =>
    factOutcomes("No send is stuck, and none of the last seven days was missed.", rows, facts),
  );
  const jobs = Effect.map(behind, ({ facts, jobs: rows }) =>
    factOutcomes("Thumbnails, rollups and clean-up are up to date.", rows, facts),
  );
  const unheard = Effect.flatMap(
    work.awaitedEvents(now),
    Effect.filter((event) => Effect.map(work.hasCome(event), (isHeard) => !isHeard)),
  );
  const events = Effect.zipWith(behind, unheard, ({ events: rows, facts }, awaited) =>
    factOutcomes(
      "No delayed event is overdue, and every live campaign has heard of its event.",
      rows,
      facts,
      unheardOutcomes(awaited),
    ),
  );
  const findings = yield* Effect.all([
    runCheck(
      "work",
      "workers",
      Effect.map(namedSessions, (sessions) => workerOutcomes(sessions, now)),
    ),
    runCheck("work", "sends", sends),
    runCheck("work", "pushes", Effect.map(work.queuedPushes(now), pushOutcomes)),
    runCheck("work", "jobs", jobs),
    runCheck("work", "events", events),
    runCheck("work", "experiments", Effect.map(work.experiments, experimentOutcomes)),
    runCheck(
      "work",
      "tokens",
      Effect.map(work.expiringTokens(now), (rows) => tokenOutcomes(rows, now)),
    ),
  ]);
  return findings.flat();
});

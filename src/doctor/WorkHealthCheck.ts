import { Effect } from "effect";
import type { SettingsService } from "../config/Settings.ts";
import { type NamedSession, namedSessions, processesOf } from "../database/ConnectedProcesses.ts";
import { databaseClock } from "../database/DatabaseClock.ts";
import { counted } from "../wire/Text.ts";
import { formatSpan, type Outcome, outcomesOr, problem, runCheck, warning } from "./HealthCheck.ts";
import { sampleRatio } from "../experiments/ExperimentFigures.ts";
import {
  type AwaitedEvent,
  type ExpiringToken,
  type QueuedPushes,
  type RunningExperiment,
  type WorkFacts,
  workFactsSql,
} from "./WorkFactsSql.ts";

/** A worker queries the database several times a second. */
const maxSilenceMillis = 30_000;
const maxNamedWorkers = 5;
const maxPendingDeltas = 10_000;

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

const workerAdvice = "Make sure that a process with the role worker runs; its log says what stops it.";

const countedIsAre = (count: number, noun: string, plural?: string) =>
  `${counted(count, noun, plural)} ${count === 1 ? "is" : "are"}`;

/** Sends that are stuck or were missed. */
export const sendOutcomes = (facts: WorkFacts): ReadonlyArray<Outcome> =>
  outcomesOr("No send is stuck, and none of the last seven days was missed.", [
    facts.overdue > 0 &&
      problem(`${countedIsAre(facts.overdue, "send")} overdue by more than two minutes.`, workerAdvice),
    facts.unplanned > 0 &&
      problem(
        `The next date of ${counted(facts.unplanned, "recurring campaign")} has not been planned.`,
        workerAdvice,
      ),
    facts.abandoned > 0 &&
      problem(
        `${countedIsAre(facts.abandoned, "send")} running, but no worker has processed it for a minute.`,
        "Make sure that a process with the role worker runs: it resumes where the last one stopped.",
      ),
    facts.unfinished > 0 &&
      problem(
        `${countedIsAre(facts.unfinished, "send")} not marked as done, although no work is left.`,
        "Its figures may still be right. Please report this with the log of that time.",
      ),
    facts.missed > 0 &&
      warning(
        `${counted(facts.missed, "send")} of the last seven days ` +
          `${facts.missed === 1 ? "was" : "were"} missed: no worker ran on that day.`,
        "waypost send list --status missed shows which.",
      ),
  ]);

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

/** Background jobs that are behind. */
export const jobOutcomes = (facts: WorkFacts): ReadonlyArray<Outcome> =>
  outcomesOr("Thumbnails, rollups and clean-up are up to date.", [
    facts.thumbnails_failed > 0 &&
      warning(
        `${counted(facts.thumbnails_failed, "picture")} will get no thumbnail: devices show a built-in one.`,
        "If they matter, upload them again in another format; the log of that time says why they failed.",
      ),
    facts.thumbnails_late > 0 &&
      problem(
        `${counted(facts.thumbnails_late, "thumbnail")} should have been created ten minutes ago.`,
        workerAdvice,
      ),
    facts.garbage_late > 0 &&
      warning(
        `${counted(facts.garbage_late, "deleted file")} still in the media store after an hour.`,
        `${workerAdvice} The media store may be unavailable.`,
      ),
    facts.keys_late &&
      warning("Responses of idempotency keys are kept for longer than 24 hours.", workerAdvice),
    facts.pending_deltas > maxPendingDeltas &&
      warning(
        "More than 10,000 deltas wait to be added to the rollups: reports are exact but slow.",
        `${workerAdvice} If it persists, add workers.`,
      ),
    facts.incomplete_rollups > 0 &&
      warning(
        `The rollups of ${counted(facts.incomplete_rollups, "environment")} are being rebuilt: ` +
          "until then, reports are exact but slow.",
        "Wait: the rebuild continues while a worker runs.",
      ),
  ]);

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

/** Custom events and visits that are behind, and events of campaigns that have not come (contract V4). */
export const eventOutcomes = (
  { events_late, undecided }: Pick<WorkFacts, "events_late" | "undecided">,
  unheard: ReadonlyArray<Omit<AwaitedEvent, "workspaceId">>,
): ReadonlyArray<Outcome> =>
  outcomesOr("No delayed event is overdue, and every live campaign has heard of its event.", [
    undecided > 0 &&
      problem(
        `${countedIsAre(undecided, "delayed event or visit", "delayed events or visits")} overdue by more ` +
          "than two minutes: after 15 minutes nothing is sent.",
        workerAdvice,
      ),
    events_late &&
      warning("Custom events are kept for over a day longer than their retention.", workerAdvice),
    ...unheard.map(({ campaign, environment, event, workspace }) =>
      warning(
        `The campaign "${campaign}" of ${workspace} (${environment}) waits for the event "${event}", which ` +
          "has not come.",
        "Compare the name with those of waypost event names, and with what the app reports.",
      ),
    ),
  ]);

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
  const facts = work.facts(now, customEventRetentionDays);
  const workers = Effect.map(namedSessions, (sessions) => workerOutcomes(sessions, now));
  const unheard = Effect.flatMap(
    work.awaitedEvents(now),
    Effect.filter((event) => Effect.map(work.hasCome(event), (isHeard) => !isHeard)),
  );
  const tokens = Effect.map(work.expiringTokens(now), (rows) => tokenOutcomes(rows, now));
  const findings = yield* Effect.all([
    runCheck("work", "workers", workers),
    runCheck("work", "sends", Effect.map(facts, sendOutcomes)),
    runCheck("work", "pushes", Effect.map(work.queuedPushes(now), pushOutcomes)),
    runCheck("work", "jobs", Effect.map(facts, jobOutcomes)),
    runCheck("work", "events", Effect.zipWith(facts, unheard, eventOutcomes)),
    runCheck("work", "experiments", Effect.map(work.experiments, experimentOutcomes)),
    runCheck("work", "tokens", tokens),
  ]);
  return findings.flat();
});

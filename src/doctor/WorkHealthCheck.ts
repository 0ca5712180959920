import { Clock, Effect } from "effect";
import { processOf } from "../database/SessionName.ts";
import { runCheck, fine, type Observation, problem, spanOf, warning } from "./HealthCheck.ts";
import { databaseClock } from "../database/DatabaseClock.ts";
import { DatabaseFactsSql, type NamedSession } from "./DatabaseFactsSql.ts";
import { type WaitingPushes, type WorkFacts, WorkFactsSql } from "./WorkerFactsSql.ts";
import { counted } from "../wire/Text.ts";

/** A worker asks the database several times a second. */
const silence = 30_000;

/** Processes that are connected to the database. */
export const processesOf = (sessions: ReadonlyArray<NamedSession>) =>
  sessions.flatMap(({ last_heard, name }) => {
    const named = processOf(name);
    return named === null ? [] : [{ ...named, lastHeard: last_heard }];
  });

/** Whether workers are there and at work. `now` is the database's. */
export const checkWorkers = (
  sessions: ReadonlyArray<NamedSession>,
  now: number,
): ReadonlyArray<Observation> => {
  const processes = processesOf(sessions);
  if (processes.length === 0) {
    return [
      warning(
        "No process of Waypost is connected to the database: nothing is sent.",
        "Start one: waypost serve.",
      ),
    ];
  }
  const workers = processes.filter(({ roles }) => roles.has("worker"));
  if (workers.length === 0) {
    return [
      problem(
        `${counted(processes.length, "process", "processes")} of Waypost work on the database, none with the role worker: ` +
          "nothing is sent, and no report added up.",
        "Start one with worker in WAYPOST_ROLES.",
      ),
    ];
  }
  const silent = workers.flatMap(({ host, lastHeard, pid }) =>
    lastHeard !== null && now - lastHeard > silence
      ? [
          problem(
            `The worker on ${host} (process ${pid}) has not asked the database anything for ${spanOf(now - lastHeard)}.`,
            "It hangs, or its machine is cut off: look at its log, and start it anew.",
          ),
        ]
      : [],
  );
  if (silent.length > 0) return silent;
  const places = workers.map(({ host, pid }) => `${host} (process ${pid})`);
  return [
    fine(
      `${counted(workers.length, "worker")} at work: ${places.slice(0, 5).join(", ")}${places.length > 5 ? ", …" : ""}.`,
    ),
  ];
};

const isAre = (count: number, what: string) => `${counted(count, what)} ${count === 1 ? "is" : "are"}`;

/** Fixed sends that did not happen as they should. */
export const checkSends = (facts: WorkFacts): ReadonlyArray<Observation> => {
  const found: Array<Observation> = [];
  if (facts.overdue > 0) {
    found.push(
      problem(
        `${isAre(facts.overdue, "send")} due for more than two minutes, and not started.`,
        "See that a process with the role worker runs; its log says what keeps it.",
      ),
    );
  }
  if (facts.abandoned > 0) {
    found.push(
      problem(
        `${isAre(facts.abandoned, "send")} running, and nobody has worked on it for a minute.`,
        "See that a process with the role worker runs: it goes on where the last one stopped.",
      ),
    );
  }
  if (facts.unfinished > 0) {
    found.push(
      problem(
        `${isAre(facts.unfinished, "send")} not done, though nothing of it is left to do.`,
        "Its figures may be right all the same. Please report this with the log of the time.",
      ),
    );
  }
  if (facts.missed > 0) {
    found.push(
      warning(
        `${counted(facts.missed, "send")} of the last seven days ${facts.missed === 1 ? "was" : "were"} missed: no worker ran on the day.`,
        "waypost send list --status missed shows which.",
      ),
    );
  }
  return found.length > 0 ? found : [fine("No send is stuck, none of the last seven days was missed.")];
};

/** Pushes that no push service has decided on. */
export const checkPushes = (waiting: ReadonlyArray<WaitingPushes>): ReadonlyArray<Observation> => {
  const late = waiting.filter((each) => each.late > 0);
  const all = waiting.reduce((sum, { count }) => sum + count, 0);
  if (late.length === 0)
    return [fine(all === 0 ? "No push waits." : `${counted(all, "push", "pushes")} under way.`)];
  return late.map(({ count, late, transport }) =>
    problem(
      `${counted(late, "push", "pushes")} of ${count.toLocaleString("en-US")} in the queue of ${transport} should have been handed over five minutes ago.`,
      "See that a worker runs, that the push service can be reached and that its credentials are good.",
    ),
  );
};

/** Chores that are behind. */
export const checkJobs = (facts: WorkFacts): ReadonlyArray<Observation> => {
  const found: Array<Observation> = [];
  const worker = "See that a process with the role worker runs; its log says what keeps it.";
  if (facts.thumbnails_failed > 0) {
    found.push(
      warning(
        `${counted(facts.thumbnails_failed, "picture")} got no thumbnail for good: readers see a built-in one.`,
        "Upload them again in another format if they matter; the log of the time says why.",
      ),
    );
  }
  if (facts.thumbnails_late > 0)
    found.push(
      problem(
        `${counted(facts.thumbnails_late, "thumbnail")} should have been made ten minutes ago.`,
        worker,
      ),
    );
  if (facts.garbage_late > 0) {
    found.push(
      warning(
        `${counted(facts.garbage_late, "deleted file")} still in the media store an hour later.`,
        `${worker} The media store may be away.`,
      ),
    );
  }
  if (facts.keys_late)
    found.push(warning("Answers under idempotency keys are kept past their 24 hours.", worker));
  if (facts.feed > 10_000) {
    found.push(
      warning(
        "More than 10,000 additions wait to be added up: reports are right, and slow.",
        `${worker} Where it stays so, add workers.`,
      ),
    );
  }
  if (facts.incomplete > 0) {
    found.push(
      warning(
        `The rollups of ${counted(facts.incomplete, "environment")} are being made anew: reports are right, and slow until then.`,
        "Wait; it goes on by itself while a worker runs.",
      ),
    );
  }
  return found.length > 0 ? found : [fine("Thumbnails, rollups and clean-up are up to date.")];
};

/** What there is to do, and who does it. */
export const workerHealthCheck = Effect.gen(function* () {
  const work = yield* WorkFactsSql;
  const database = yield* DatabaseFactsSql;
  const now = yield* Clock.currentTimeMillis;
  const facts = Effect.flatMap(work.facts(now), ([found]) =>
    found === undefined ? Effect.die(new Error("The database said nothing")) : Effect.succeed(found),
  );
  const findings = yield* Effect.all([
    runCheck(
      "work",
      "workers",
      Effect.map(Effect.all([database.sessions, databaseClock]), ([sessions, then]) =>
        checkWorkers(sessions, then),
      ),
    ),
    runCheck("work", "sends", Effect.map(facts, checkSends)),
    runCheck("work", "pushes", Effect.map(work.waitingPushes(now), checkPushes)),
    runCheck("work", "jobs", Effect.map(facts, checkJobs)),
    runCheck(
      "work",
      "tokens",
      Effect.map(work.endingTokens(now), (tokens) =>
        tokens.length === 0
          ? fine("No token ends within two weeks.")
          : tokens.map(({ environment, expires, name, workspace }) =>
              warning(
                `The token "${name}" of ${workspace} (${environment}) ends in ${spanOf(expires - now)}.`,
                "Issue another one with waypost token issue, and give it to who uses this one.",
              ),
            ),
      ),
    ),
  ]);
  return findings.flat();
}).pipe(Effect.provide([WorkFactsSql.layer, DatabaseFactsSql.layer]));

import type { SqlClient, Statement } from "effect/sql";
import { instant } from "../database/Rows.ts";
import { counted } from "../wire/Text.ts";
import { type FactRows, problem, warning } from "./HealthCheck.ts";

/** A minute, in milliseconds. */
export const minute = 60_000;
const hour = 60 * minute;
/** A day, in milliseconds. */
export const day = 24 * hour;

const workerAdvice = "Make sure that a process with the role worker runs; its log says what stops it.";

const countedIsAre = (count: number, noun: string, plural?: string) =>
  `${counted(count, noun, plural)} ${count === 1 ? "is" : "are"}`;

type Rows = FactRows<Statement.Fragment, number>;

/** The checks of work that may be behind: each fact is a count that should be 0. `now` is in milliseconds. */
export const workRows = (sql: SqlClient.SqlClient, now: number, keptEventDays: number) => {
  // Bound: 1 row; none for sends and pushes, once in 5 seconds.
  const batches = sql`SELECT 1 FROM send_batch b WHERE b.workspace_id = s.workspace_id
      AND b.environment = s.environment AND b.source_id = s.source_id`;
  const queued = sql`SELECT 1 FROM queued q WHERE q.workspace_id = s.workspace_id
      AND q.environment = s.environment AND q.source_id = s.source_id`;
  const sends: Rows = {
    overdue: [
      sql`SELECT count(*)::int FROM send
        WHERE status = 'scheduled' AND local_at IS NULL AND due_at < ${instant(now - 2 * minute)}`,
      problem,
      (count) => `${countedIsAre(count, "send")} overdue by more than two minutes.`,
      workerAdvice,
    ],
    unplanned: [
      sql`SELECT count(*)::int FROM campaign WHERE plan_at < ${instant(now - 10 * minute)}`,
      problem,
      (count) => `The next date of ${counted(count, "recurring campaign")} has not been planned.`,
      workerAdvice,
    ],
    abandoned: [
      sql`SELECT count(*)::int FROM send s
        WHERE status = 'running' AND started_at < ${instant(now - minute)} AND EXISTS (${batches})
          AND NOT EXISTS (${batches} AND b.leased_until > ${instant(now - minute)})`,
      problem,
      (count) => `${countedIsAre(count, "send")} running, but no worker has processed it for a minute.`,
      "Make sure that a process with the role worker runs: it resumes where the last one stopped.",
    ],
    unfinished: [
      sql`SELECT count(*)::int FROM send s
        WHERE status = 'running' AND local_at IS NULL AND started_at < ${instant(now - 10 * minute)}
          AND NOT EXISTS (${batches}) AND NOT EXISTS (${queued})`,
      problem,
      (count) => `${countedIsAre(count, "send")} not marked as done, although no work is left.`,
      "Its figures may still be right. Please report this with the log of that time.",
    ],
    missed: [
      sql`SELECT count(*)::int FROM send
        WHERE status = 'missed' AND local_at IS NULL AND due_at > ${instant(now - 7 * day)}`,
      warning,
      (count) =>
        `${counted(count, "send")} of the last seven days ` +
        `${count === 1 ? "was" : "were"} missed: no worker ran on that day.`,
      "waypost send list --status missed shows which.",
    ],
  };
  const jobs: Rows = {
    thumbnails_failed: [
      sql`SELECT count(*)::int FROM media_file WHERE thumbnail = 'failed'`,
      warning,
      (count) => `${counted(count, "picture")} will get no thumbnail: devices show a built-in one.`,
      "If they matter, upload them again in another format; the log of that time says why they failed.",
    ],
    thumbnails_late: [
      sql`SELECT count(*)::int FROM media_file
        WHERE thumbnail = 'pending' AND thumbnail_due_at < ${instant(now - 10 * minute)}`,
      problem,
      (count) => `${counted(count, "thumbnail")} should have been created ten minutes ago.`,
      workerAdvice,
    ],
    garbage_late: [
      sql`SELECT count(*)::int FROM (SELECT 1 FROM media_garbage
        WHERE due_at < ${instant(now - hour)} AND NOT arriving LIMIT 10000) AS late`,
      warning,
      (count) => `${counted(count, "deleted file")} still in the media store after an hour.`,
      `${workerAdvice} The media store may be unavailable.`,
    ],
    keys_late: [
      sql`SELECT EXISTS (
        SELECT 1 FROM idempotent_response WHERE created_at < ${instant(now - day - 2 * hour)})::int`,
      warning,
      () => "Responses of idempotency keys are kept for longer than 24 hours.",
      workerAdvice,
    ],
    many_deltas: [
      sql`SELECT (count(*) > 10000)::int FROM ((SELECT 1 FROM delivery_delta LIMIT 10001)
        UNION ALL (SELECT 1 FROM event_delta LIMIT 10001)
        UNION ALL (SELECT 1 FROM interaction_delta LIMIT 10001)
        UNION ALL (SELECT 1 FROM answer_delta LIMIT 10001)) AS deltas`,
      warning,
      () => "More than 10,000 deltas wait to be added to the rollups: reports are exact but slow.",
      `${workerAdvice} If it persists, add workers.`,
    ],
    incomplete_rollups: [
      sql`SELECT count(*)::int
        FROM (SELECT workspace_id, rolled_up_from, timezone FROM rollup_state OFFSET 0) AS r
        JOIN workspace w ON w.id = r.workspace_id
        WHERE r.rolled_up_from > '-infinity' OR r.timezone <> w.timezone`,
      warning,
      (count) =>
        `The rollups of ${counted(count, "environment")} are being rebuilt: ` +
        "until then, reports are exact but slow.",
      "Wait: the rebuild continues while a worker runs.",
    ],
  };
  const events: Rows = {
    undecided: [
      sql`SELECT count(*)::int FROM (SELECT FROM dwell
        WHERE decided_at IS NULL AND due_at < ${instant(now - 2 * minute)} LIMIT 10000) AS late`,
      problem,
      (count) =>
        `${countedIsAre(count, "delayed event or visit", "delayed events or visits")} overdue by more ` +
        "than two minutes: after 15 minutes nothing is sent.",
      workerAdvice,
    ],
    events_late: [
      sql`SELECT EXISTS (SELECT 1 FROM custom_event
        WHERE occurred_at < ${instant(now - (keptEventDays + 1) * day)})::int`,
      warning,
      () => "Custom events are kept for over a day longer than their retention.",
      workerAdvice,
    ],
  };
  return { sends, jobs, events };
};

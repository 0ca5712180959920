/**
 * The figures of three reports by plain SQL over the source rows: the baseline of `reports.ts`, and a second
 * count.
 */
import { Effect } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { arrayOf, instant } from "../../src/database/Rows.ts";
import type { ReportRange } from "../../src/reports/ReportRange.ts";

/** The reports that the baseline counts, by their last path segment. */
export type BaselineReport = "summary" | "campaigns" | "locations" | "interactions";

type Row = Readonly<Record<string, unknown>>;

const mine = "workspace_id = 1 AND environment = 'production'";
const registered = `(SELECT count(*) FROM device WHERE ${mine} AND unregistered_at IS NULL)`;
const share = (devices: string) => `round(coalesce(${devices}, 0) * 100::numeric / ${registered}, 1)::float8`;

const query = (
  sql: SqlClient.SqlClient,
  report: BaselineReport,
  { dates, dayStarts, fromMs, toMs }: ReportRange,
): Statement.Fragment => {
  const owned = sql.literal(mine);
  const within = (column: string) =>
    sql`${sql(column)} >= ${instant(fromMs)} AND ${sql(column)} < ${instant(toMs)}`;
  const days = arrayOf("timestamptz", dayStarts);
  switch (report) {
    case "summary":
      return sql`
        SELECT (${arrayOf("text", dates)})[day] AS id, coalesce(delivered, 0)::int AS delivered,
          coalesce(reached, 0)::int AS reached, coalesce(entries, 0)::int AS entries,
          coalesce(exits, 0)::int AS exits
        FROM (
          SELECT coalesce(day, 0) AS day, count(*) AS delivered, count(DISTINCT device_key) AS reached
          FROM (
            SELECT device_key, width_bucket(settled_at, ${days}) AS day FROM delivery
            WHERE ${owned} AND status = 'delivered' AND ${within("settled_at")}) AS d
          GROUP BY GROUPING SETS ((day), ())) AS delivered
        FULL JOIN (
          SELECT coalesce(day, 0) AS day, count(*) FILTER (WHERE type = 'enter') AS entries,
            count(*) FILTER (WHERE type = 'exit') AS exits
          FROM (
            SELECT type, width_bucket(occurred_at, ${days}) AS day FROM geofence_event
            WHERE ${owned} AND ${within("occurred_at")}) AS e
          GROUP BY GROUPING SETS ((day), ())) AS entered USING (day)`;
    case "campaigns":
      return sql`
        SELECT id, coalesce(delivered, 0)::int AS delivered, ${sql.literal(share("reached"))} AS engagement
        FROM campaign LEFT JOIN (
          SELECT campaign_key AS key, count(*) AS delivered, count(DISTINCT device_key) AS reached
          FROM delivery WHERE ${owned} AND status = 'delivered' AND ${within("settled_at")}
          GROUP BY 1) AS counted USING (key)
        WHERE ${owned}`;
    case "locations":
      return sql`
        SELECT id, coalesce(entries, 0)::int AS entries, coalesce(exits, 0)::int AS exits,
          ${sql.literal(share("entered"))} AS engagement,
          round(seconds / nullif(visits, 0) / 60, 1)::float8 AS dwell_minutes
        FROM location LEFT JOIN (
          SELECT location_key AS key, count(*) FILTER (WHERE type = 'enter') AS entries,
            count(*) FILTER (WHERE type = 'exit') AS exits,
            count(DISTINCT device_key) FILTER (WHERE type = 'enter') AS entered,
            count(next_exit) FILTER (WHERE type = 'enter') AS visits,
            sum(extract(epoch FROM next_exit - occurred_at)) FILTER (WHERE type = 'enter') AS seconds
          FROM (
            SELECT device_key, location_key, type, occurred_at,
              min(occurred_at) FILTER (WHERE type = 'exit') OVER (
                PARTITION BY location_key, device_key
                ORDER BY occurred_at DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS next_exit
            FROM geofence_event WHERE ${owned} AND occurred_at >= ${instant(fromMs)}) AS visit
          WHERE occurred_at < ${instant(toMs)} GROUP BY 1) AS counted USING (key)
        WHERE ${owned}`;
    case "interactions": {
      const count = (column: string, more: string) => sql`
        SELECT notification_key AS key, count(*) AS ${sql(column)} FROM delivery
        WHERE ${owned} AND ${within(`${column === "delivered" ? "settled" : column}_at`)} ${sql.literal(more)}
        GROUP BY 1`;
      return sql`
        SELECT id, coalesce(delivered, 0)::int AS delivered, coalesce(opened, 0)::int AS opened,
          coalesce(clicked, 0)::int AS clicked
        FROM notification LEFT JOIN (${count("delivered", "AND status = 'delivered'")}) AS d USING (key)
          LEFT JOIN (${count("opened", "")}) AS o USING (key)
          LEFT JOIN (${count("clicked", "")}) AS c USING (key)
        WHERE ${owned}`;
    }
  }
};

/** The figures of the results of a survey by plain SQL: answered, mean and median of each question. */
export const baselineResults = Effect.fnUntraced(function* (key: number, { fromMs, toMs }: ReportRange) {
  const sql = yield* SqlClient.SqlClient;
  return yield* sql<{ readonly id: string; readonly answered: number; readonly median: number | null }>`
    WITH given AS MATERIALIZED (
      SELECT answer ->> 'question_id' AS id, answer -> 'value' AS value
      FROM survey_response, jsonb_array_elements(answers) AS answer
      WHERE ${sql.literal(mine)} AND notification_key = ${key} AND campaign_key = ${key}
        AND first_answered_at >= ${instant(fromMs)} AND first_answered_at < ${instant(toMs)})
    SELECT id, count(*)::int AS answered,
      round(percentile_cont(0.5) WITHIN GROUP (
        ORDER BY CASE WHEN jsonb_typeof(value) = 'number' THEN value::float8 END)::numeric,
        2)::float8 AS median
    FROM given GROUP BY id ORDER BY id`;
});

/** Figures by id as lines of text in one order, so that two reports agree where their texts are equal. */
const lines = (rows: ReadonlyArray<ReadonlyArray<unknown>>): string =>
  rows
    .map(([id, ...figures]) => [id ?? "total", ...figures].join(" "))
    .toSorted()
    .join("\n");

/**
 * Counts the figures of a report of a range. Each column needs its own name, because rows are read by name.
 * Without filters; days without activity have no line.
 */
export const baselineFigures = Effect.fnUntraced(function* (report: BaselineReport, range: ReportRange) {
  const sql = yield* SqlClient.SqlClient;
  const rows = yield* sql`${query(sql, report, range)}`.values;
  return lines(rows);
});

/** The figures of a row, in the order of the baseline's columns. */
const fields = ["id", "delivered", "opened", "clicked", "entries", "exits", "engagement", "dwell_minutes"];
const isGiven = (figure: unknown) => figure !== undefined;

interface Answer {
  readonly data: ReadonlyArray<Row> | { readonly totals: Row; readonly daily: ReadonlyArray<Row> };
}

/** The same figures of the report's own answer. */
export const answerFigures = (json: string): string => {
  const { data } = JSON.parse(json) as Answer;
  if (!("totals" in data)) return lines(data.map((row) => fields.map((field) => row[field]).filter(isGiven)));
  const figures = (id: unknown, row: Row) => [
    id,
    row["delivered"],
    row["devices_reached"],
    row["geofence_entries"],
    row["geofence_exits"],
  ];
  const days = data.daily.map((row) => figures(row["date"], row));
  const active = days.filter(([, ...counts]) => counts.some((count) => count !== 0));
  return lines([figures(null, data.totals), ...active]);
};

/** The reports as questions to DuckDB: their figures, without the names and statuses that no figure depends on. */
import type { SentParameters } from "../../../src/reports/ReportQuery.ts";

/** The reports by their last path segment. */
export type ReportName = "summary" | "campaigns" | "locations" | "notifications" | "surveys";

const targeted = `(
  SELECT campaign_id, location_id FROM campaign_location
  UNION SELECT campaign_id, location_id FROM campaign_location_group JOIN location_group_member USING (group_id))`;

/** What the parameters leave to count, over the bare columns of base rows. */
const counts = (search: SentParameters) => {
  const { activation, campaign, content_type: type, location, location_group: group } = search;
  const during = (column: string) =>
    `${column} >= DATE '${String(search.start)}'::TIMESTAMPTZ AND ${column} < (DATE '${String(search.end)}' + 1)::TIMESTAMPTZ`;
  const given = (value: SentParameters["start"], condition: (value: string) => string) =>
    value === undefined ? [] : [condition(String(value))];
  const campaigns = (condition: string) => `campaign_key IN (SELECT key FROM campaign WHERE ${condition})`;
  const locations = (condition: string) => `location_key IN (SELECT key FROM location WHERE ${condition})`;
  const outcomes = [
    during("settled_at"),
    ...given(campaign, (id) => campaigns(`id = '${id}'`)),
    ...given(location, (id) =>
      campaigns(`id IN (SELECT campaign_id FROM ${targeted} WHERE location_id = '${id}')`),
    ),
    ...given(group, (id) =>
      campaigns(`id IN (SELECT campaign_id FROM campaign_location_group WHERE group_id = '${id}')`),
    ),
    ...given(type, (each) => `content_type = '${each}'`),
    ...given(activation, (each) => `trigger_type = '${each}'`),
  ];
  const events = [
    during("occurred_at"),
    ...given(campaign, (id) =>
      locations(`id IN (SELECT location_id FROM ${targeted} WHERE campaign_id = '${id}')`),
    ),
    ...given(location, (id) => locations(`id = '${id}'`)),
    ...given(group, (id) =>
      locations(`id IN (SELECT location_id FROM location_group_member WHERE group_id = '${id}')`),
    ),
    ...given(activation, (each) => `type = '${each === "on_enter" ? "enter" : "exit"}'`),
  ];
  return {
    outcomes: outcomes.join(" AND "),
    deliveries: [...outcomes, "status = 'delivered'"].join(" AND "),
    events: events.join(" AND "),
    responses: during("first_answered_at"),
  };
};

const quarter = (column: string) => `epoch_us(${column}) // 900000000`;

/**
 * Makes the table of the local day of each quarter of an hour; to be asked once. To ask the time zone for the day of each row takes longer than all the rest of
 * the summary.
 */
export const duckDays = `
  CREATE OR REPLACE TEMP TABLE local_day AS
  SELECT quarter, to_timestamp(quarter * 900)::DATE AS day
  FROM range(
    (SELECT least((SELECT min(${quarter("settled_at")}) FROM delivery), (SELECT min(${quarter("occurred_at")}) FROM geofence_event))),
    (SELECT greatest((SELECT max(${quarter("settled_at")}) FROM delivery), (SELECT max(${quarter("occurred_at")}) FROM geofence_event))) + 1)
    AS made (quarter)`;

/** One decimal, half away from zero, by whole numbers: `part` times `times` of `whole`. */
const oneDecimal = (part: string, times: number, whole: string) =>
  `(${part} * ${20 * times} + ${whole}) // (2 * ${whole}) / 10`;

const ofDevices = `${oneDecimal("coalesce(reached, 0)", 100, "(SELECT count(*) FROM device)")} AS share`;

/** The question whose answer is the figures of the report, a row for each day, campaign and so on, by its id. */
export const duckQuestion = (report: ReportName, search: SentParameters): string => {
  const { deliveries, events, outcomes, responses } = counts(search);
  switch (report) {
    case "summary":
      return `
        SELECT id, coalesce(delivered, 0) AS delivered, coalesce(reached, 0) AS reached,
          coalesce(entries, 0) AS entries, coalesce(exits, 0) AS exits
        FROM (
          SELECT coalesce(day::VARCHAR, '') AS id, count(*) AS delivered, count(DISTINCT device_key) AS reached
          FROM (SELECT day, device_key FROM delivery JOIN local_day ON quarter = ${quarter("settled_at")} WHERE ${deliveries}) GROUP BY GROUPING SETS ((day), ()))
        FULL JOIN (
          SELECT coalesce(day::VARCHAR, '') AS id, count(*) FILTER (WHERE type = 'enter') AS entries, count(*) FILTER (WHERE type = 'exit') AS exits
          FROM (SELECT day, type FROM geofence_event JOIN local_day ON quarter = ${quarter("occurred_at")} WHERE ${events}) GROUP BY GROUPING SETS ((day), ()))
        USING (id)`;
    case "campaigns":
      return `
        SELECT id, coalesce(delivered, 0) AS delivered, ${ofDevices}
        FROM campaign LEFT JOIN (
          SELECT campaign_key AS key, count(*) AS delivered, count(DISTINCT device_key) AS reached
          FROM delivery WHERE ${deliveries} GROUP BY 1) USING (key)`;
    case "notifications":
      return `
        SELECT id, coalesce(sent, 0) AS sent, coalesce(delivered, 0) AS delivered, ${ofDevices}
        FROM notification LEFT JOIN (
          SELECT notification_key AS key, count(*) AS sent, count(*) FILTER (WHERE status = 'delivered') AS delivered,
            count(DISTINCT device_key) FILTER (WHERE status = 'delivered') AS reached
          FROM delivery WHERE ${outcomes} GROUP BY 1) USING (key)`;
    case "locations":
      return `
        SELECT id, coalesce(entries, 0) AS entries, coalesce(exits, 0) AS exits, ${ofDevices},
          CASE WHEN stays > 0 THEN ${oneDecimal("stayed", 1, "(stays * 60000000)")} END AS dwell
        FROM location LEFT JOIN (
          SELECT entry.location_key AS key, count(*) AS entries, count(DISTINCT entry.device_key) AS reached, count(left_at) AS stays,
            sum(epoch_us(left_at) - epoch_us(occurred_at)) AS stayed
          FROM (SELECT * FROM geofence_event WHERE type = 'enter' AND ${events}) AS entry
          ASOF LEFT JOIN (SELECT device_key, location_key, occurred_at AS left_at FROM geofence_event WHERE type = 'exit') AS after
            ON entry.device_key = after.device_key AND entry.location_key = after.location_key AND after.left_at > entry.occurred_at
          GROUP BY 1) USING (key)
        LEFT JOIN (
          SELECT location_key AS key, count(*) AS exits FROM geofence_event WHERE type = 'exit' AND ${events} GROUP BY 1) USING (key)`;
    case "surveys":
      return `
        SELECT campaign_notification.id, coalesce(responses, 0) AS responses
        FROM campaign_notification
        JOIN campaign ON campaign.id = campaign_id JOIN notification ON notification.id = notification_id AND type = 'survey'
        LEFT JOIN (
          SELECT campaign_key, notification_key, count(*) AS responses FROM survey_response WHERE ${responses} GROUP BY 1, 2) AS answered
        ON campaign_key = campaign.key AND notification_key = notification.key`;
  }
};

type Row = Readonly<Record<string, unknown>>;
interface Answer {
  readonly data: ReadonlyArray<Row> | { readonly totals: Row; readonly daily: ReadonlyArray<Row> };
}

/** Figures of a report as lines of text in one order, so that two are the same where their lines are. */
const lines = (rows: ReadonlyArray<ReadonlyArray<unknown>>): string =>
  rows
    .map(
      ([id, ...figures]) =>
        `${String(id)}: ${figures.map((each) => (each === null ? "none" : Number(each))).join(" ")}`,
    )
    .toSorted()
    .join("\n");

/** The figures of DuckDB's answer, in the columns of its question. Days without any are not there. */
export const duckFigures = (rows: ReadonlyArray<Row>): string => lines(rows.map((row) => Object.values(row)));

/** The same figures of the answer of Waypost, from its JSON. */
export const reportFigures = (report: ReportName, json: string): string => {
  const { data } = JSON.parse(json) as Answer;
  if ("totals" in data) {
    const figures = (id: unknown, row: Row) => [
      id,
      row["delivered"],
      row["devices_reached"],
      row["geofence_entries"],
      row["geofence_exits"],
    ];
    const days = data.daily.map((row) => figures(row["date"], row));
    return lines([
      figures("", data.totals),
      ...days.filter(([, ...counted]) => counted.some((each) => each !== 0)),
    ]);
  }
  return lines(data.map((row) => ["id", ...fields[report]].map((name) => row[name])));
};

const fields: Record<ReportName, ReadonlyArray<string>> = {
  summary: [],
  campaigns: ["delivered", "engagement"],
  locations: ["entries", "exits", "engagement", "dwell_minutes"],
  notifications: ["sent", "delivered", "reach"],
  surveys: ["responses"],
};

import { Effect } from "effect";
import { SqlClient } from "effect/sql";

/** The size of a history: `rows` deliveries and, if not given, as many events, and what they belong to. */
export interface ReportYear {
  readonly rows: number;
  readonly events?: number;
  readonly devices: number;
  readonly campaigns: number;
  readonly locations: number;
  readonly timezone: string;
}

/** A history of so many rows of each kind. */
export const yearOf = (rows: number, devices = Math.max(1000, rows / 20)): ReportYear => ({
  rows,
  devices,
  campaigns: 200,
  locations: 2000,
  timezone: "Europe/Amsterdam",
});

/** The id of the item with a number, as SQL. */
export const uuidOf = (name: string, key: string) => `md5('${name}' || ${key})::uuid`;

const own = "1 AS workspace_id, 'production' AS environment";
const start = "'2025-01-01Z'";

const maxResponses = 1_000_000;

/**
 * The key of the campaign and of the notification of a survey with as many responses as rows, up to a
 * million.
 */
export const largeSurvey = 5;

const questionId = (number: number) => `01980a6c-4c1d-7f10-9a41-3f1f5d7a200${number}`;
const choiceId = (number: number) => `01980a6c-4c1d-7f10-9a41-3f1f5d7a210${number}`;
const choices = [1, 2, 3, 4].map((number) => ({ id: choiceId(number), text: `Choice ${number}` }));

/** A question of each type that has figures, as SQL. */
const questions = `'${JSON.stringify(
  ["SINGLE_CHOICE", "MULTIPLE_CHOICE", "RATING", "SLIDER", "NUMBER"].map((type, index) => ({
    id: questionId(index + 1),
    question_text: `${type}?`,
    type,
    required: false,
    choices: index < 2 ? choices : [],
  })),
)}'::jsonb`;

/** Answers to these questions, as SQL: of the number any amount of cents up to 100. */
const anyChoice = `'${choiceId(0).slice(0, -1)}' || (1 + floor(random() * 4)::int)`;
const answers = `jsonb_build_array(
  jsonb_build_object('question_id', '${questionId(1)}', 'value', ${anyChoice}),
  jsonb_build_object('question_id', '${questionId(2)}', 'value', CASE WHEN random() < 0.5
    THEN jsonb_build_array('${choiceId(1)}', '${choiceId(3)}') ELSE jsonb_build_array(${anyChoice}) END),
  jsonb_build_object('question_id', '${questionId(3)}', 'value', 1 + floor(random() * 5)::int),
  jsonb_build_object('question_id', '${questionId(4)}', 'value', floor(random() * 101)::int),
  jsonb_build_object('question_id', '${questionId(5)}', 'value', round((random() * 100)::numeric, 2)))`;

/** Tables that are filled without indexes and triggers, with the indexes to create afterwards. */
const large = {
  delivery: [
    "ADD CONSTRAINT delivery_pkey PRIMARY KEY (workspace_id, environment, source_id, device_key)",
    "delivery_settled ON delivery (workspace_id, environment, settled_at)",
    "delivery_opened ON delivery (workspace_id, environment, opened_at) WHERE opened_at IS NOT NULL",
    "delivery_clicked ON delivery (workspace_id, environment, clicked_at) WHERE clicked_at IS NOT NULL",
    "delivery_of_device ON delivery (workspace_id, environment, device_key, created_at DESC)",
  ],
  geofence_event: [
    "ADD CONSTRAINT geofence_event_pkey PRIMARY KEY (workspace_id, environment, device_key, id)",
    "geofence_event_at ON geofence_event (workspace_id, environment, occurred_at)",
  ],
} as const;

/** Everything but deliveries and events. */
const itemsOf = ({ campaigns, devices, locations, timezone }: ReportYear): ReadonlyArray<string> => [
  `INSERT INTO workspace (public_id, name, timezone, created_at, updated_at)
    VALUES (gen_random_uuid(), 'Bench', '${timezone}', ${start}, ${start})`,
  "INSERT INTO tenant SELECT 1, e, 0 FROM unnest(ARRAY['sandbox', 'production']) e ON CONFLICT DO NOTHING",
  `INSERT INTO device (workspace_id, environment, key, id, installation_id, platform, transport,
      token_digest, registered_at, last_seen_at)
    SELECT ${own}, n, gen_random_uuid(), 'i' || n, 'ios', 'inbox', decode(repeat('00', 32), 'hex'), ${start},
      ${start}
    FROM generate_series(1, ${devices}) n`,
  `INSERT INTO location (workspace_id, environment, id, name, type, latitude, longitude, radius_meters,
      created_at, updated_at)
    SELECT ${own}, ${uuidOf("location", "n")}, 'Location ' || n, 'circle', 52, 5, 100, ${start}, ${start}
    FROM generate_series(1, ${locations}) n`,
  `INSERT INTO location_group (workspace_id, environment, id, name, created_at, updated_at)
    SELECT ${own}, ${uuidOf("group", "n")}, 'Group ' || n, ${start}, ${start} FROM generate_series(1, 20) n`,
  `INSERT INTO location_group_member (workspace_id, environment, group_id, location_id)
    SELECT ${own}, ${uuidOf("group", "1 + n % 20")}, ${uuidOf("location", "n")}
    FROM generate_series(1, ${locations}) n`,
  `INSERT INTO campaign (workspace_id, environment, id, name, type, timezone, starts_at, created_at,
      updated_at)
    SELECT ${own}, ${uuidOf("campaign", "n")}, 'Campaign ' || n, 'geo', 'UTC', ${start}, ${start}, ${start}
    FROM generate_series(1, ${campaigns}) n`,
  `INSERT INTO campaign_location (workspace_id, environment, campaign_id, location_id, position)
    SELECT ${own}, ${uuidOf("campaign", "n")}, ${uuidOf("location", "n * 10 + p")}, p
    FROM generate_series(1, ${campaigns}) n, generate_series(0, 4) p WHERE n * 10 + p <= ${locations}`,
  `INSERT INTO campaign_location_group (workspace_id, environment, campaign_id, group_id, position)
    SELECT ${own}, ${uuidOf("campaign", "n")}, ${uuidOf("group", "1 + n % 20")}, 0
    FROM generate_series(1, ${campaigns}) n`,
  `WITH created AS (
      INSERT INTO content (workspace_id, environment, notification_id, type, headline, body, questions,
        created_at)
      SELECT ${own}, ${uuidOf("notification", "n")}, CASE WHEN n % 5 = 0 THEN 'survey' ELSE 'message' END,
        'Hello', 'Welcome', CASE WHEN n % 5 = 0 THEN ${questions} END, ${start}
        FROM generate_series(1, ${campaigns}) n
      RETURNING key, notification_id, type)
    INSERT INTO notification (workspace_id, environment, id, name, type, content_key, created_at, updated_at)
    SELECT ${own}, notification_id, 'Notification ' || key, type, key, ${start}, ${start} FROM created
    ORDER BY key`,
  `INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id,
      trigger_type, attached_at, updated_at)
    SELECT ${own}, ${uuidOf("campaign", "n")}, ${uuidOf("notification", "n")}, ${uuidOf("pair", "n")},
      CASE WHEN n % 2 = 0 THEN 'on_enter' ELSE 'on_exit' END, ${start}, ${start}
    FROM generate_series(1, ${campaigns}) n`,
];

/**
 * Writes a year that ends now into the tables, without deltas, so that all of it has to be rolled up. Rows
 * come about in the order of time. Few locations and campaigns have most of the activity; devices are
 * uniform, which is the worst case for sets of them; a tenth of the entries has no exit.
 */
export const buildReportYear = Effect.fnUntraced(function* (year: ReportYear) {
  const sql = yield* SqlClient.SqlClient;
  // The client gives up a statement of over half a minute, unless its transaction has no limit.
  const run = (text: string) =>
    sql.withTransaction(
      Effect.andThen(sql`SET LOCAL statement_timeout = 0`.unprepared, sql`${sql.literal(text)}`.unprepared),
    );
  yield* run("SET synchronous_commit = off");
  yield* run("SET maintenance_work_mem = '1GB'");
  yield* run("SET max_parallel_workers_per_gather = 0");
  yield* run("SELECT setseed(0.25)");
  for (const statement of itemsOf(year)) yield* run(statement);
  for (const [table, [key, ...indexes]] of Object.entries(large)) {
    yield* run(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey`);
    for (const index of indexes) yield* run(`DROP INDEX ${index.split(" ", 1)[0]}`);
    if (table === "delivery") yield* run(deliveries(year));
    else yield* run(events(year));
    yield* run(`ALTER TABLE ${table} ${key}`);
    for (const index of indexes) yield* run(`CREATE INDEX ${index}`);
  }
  const responses = Math.min(year.rows, maxResponses);
  const responseColumns = `workspace_id, environment, notification_key, campaign_key, device_key, content_key,
    answers, first_answered_at, answered_at`;
  yield* run(`INSERT INTO survey_response (${responseColumns})
    SELECT workspace_id, environment, notification_key, campaign_key, device_key, content_key, ${answers},
      settled_at, settled_at
    FROM delivery WHERE content_type = 'survey' AND status = 'delivered' AND source_id % 2 = 0
      AND campaign_key <> ${largeSurvey}
    ON CONFLICT DO NOTHING`);
  yield* run(`INSERT INTO survey_response (${responseColumns})
    SELECT ${own}, ${largeSurvey}, ${largeSurvey}, n + 1, ${largeSurvey}, ${answers}, at, at
    FROM (
      SELECT n, ${at("n", responses)} AS at FROM generate_series(0, ${responses - 1}) n) AS answered`);
  yield* run(
    `INSERT INTO rollup_state (workspace_id, environment, timezone) VALUES (1, 'production', '')
      ON CONFLICT DO NOTHING`,
  );
  for (const table of [...Object.keys(large), "survey_response", "device"])
    yield* sql`VACUUM ${sql(table)}`.unprepared;
  yield* run("ANALYZE");
  yield* run("CHECKPOINT");
});

const at = (n: string, rows: number) =>
  `date_trunc('milliseconds', statement_timestamp()
    - (1 - (${n} + random() * 1000) / (${rows} + 1000)::float8) * interval '365 days')`;

const deliveries = ({ campaigns, devices, rows }: ReportYear) => `
  INSERT INTO delivery (workspace_id, environment, source_id, device_key, campaign_key, notification_key,
    content_key, content_type, trigger_type, location_key, transport, status, created_at, settled_at,
    opened_at, clicked_at)
  SELECT ${own}, n, 1 + floor(random() * ${devices})::int, c, c, c,
    CASE WHEN c % 5 = 0 THEN 'survey' ELSE 'message' END,
    CASE WHEN c % 2 = 0 THEN 'on_enter' ELSE 'on_exit' END, 1, 'inbox',
    CASE WHEN n % 20 = 0 THEN 'failed' ELSE 'delivered' END, at, at,
    CASE WHEN n % 5 = 1 THEN at + length END, CASE WHEN n % 20 = 1 THEN at + length END
  FROM (
    SELECT n, 1 + floor(random() * random() * ${campaigns})::int AS c, ${at("n", rows)} AS at,
      date_trunc('milliseconds', (1 - ln(1 - random())) * interval '90 minutes') AS length
    FROM generate_series(0, ${rows - 1}) n) AS created`;

const events = ({ devices, locations, rows, events: count = rows }: ReportYear) => `
  INSERT INTO geofence_event (workspace_id, environment, device_key, id, type, location_key, occurred_at,
    received_at)
  SELECT ${own}, device_key, gen_random_uuid(), CASE WHEN leaves AND n % 10 > 0 THEN 'exit' ELSE 'enter' END,
    location_key, CASE WHEN leaves THEN at + length ELSE at END, at
  FROM (
    SELECT n, 1 + floor(random() * ${devices})::int AS device_key,
      1 + floor(random() * random() * ${locations})::int AS location_key, ${at("n", count / 2)} AS at,
      date_trunc('milliseconds', (1 - ln(1 - random())) * interval '25 minutes') AS length
    FROM generate_series(0, ${count / 2 - 1}) n) AS visit, (VALUES (false), (true)) AS side (leaves)`;

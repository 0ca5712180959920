import { Effect } from "effect";
import type { Statement } from "effect/sql";
import { drainPages } from "../database/Pruning.ts";
import { arrayOf } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { firstRow, rowCount } from "../database/Statements.ts";
import { inTenant, sameTenant, tenantIs } from "../database/TenantColumns.ts";
import { answerDeltasSql } from "../deltas/DeltasSql.ts";
import type { DeviceKey } from "../wire/Ids.ts";
import type { TenantKey } from "../workspaces/Environment.ts";

/** The rows that one statement of an erasure reads or changes. */
const pageSize = 1_000;

/** The keys of rows in their environment. */
const keys = {
  custom_event: "unit, id",
  device_location: "device_key, location_key",
  dwell: "device_key, event_id, attachment_id",
  test_response: "source_id, device_key",
} as const;

/** The last message of a page. Its group is that of a device, or of a person and a campaign. */
interface LastMessage {
  readonly group: number;
  /** Null before all messages of the groups after `group`. */
  readonly at: string | null;
  readonly sourceId: bigint;
  readonly deviceKey: number;
}

/**
 * Erases the rows of persons and devices page by page. Outside a transaction each page commits: run again
 * after a failure, an erasure continues. Bound: 200 devices, and 1,000 rows of them (a page).
 */
export class ErasedRowsSql extends SqlService<ErasedRowsSql>("waypost/people/ErasedRowsSql")((sql) => {
  const isOf = (deviceKeys: ReadonlyArray<DeviceKey>) =>
    sql`device_key = ANY (${arrayOf("int4", deviceKeys)})`;
  const keyOf = (tenant: TenantKey, userId: string) => sql`(
    SELECT u.key FROM device_user u WHERE ${tenantIs("u", tenant)} AND u.user_id = ${userId})`;

  /** Runs a statement that gives a row for each that it changes, until its page is not full. */
  const inPages = (statement: Parameters<typeof rowCount>[0]) => drainPages(pageSize, rowCount(statement));

  /** Runs a page from where the last one ended, until one gives null. Rows that stay are read once. */
  const walk = Effect.fnUntraced(function* <P>(first: P, page: (from: P) => Effect.Effect<P | null>) {
    for (let from: P | null = first; from !== null; from = yield* page(from));
  });

  /** Deletes rows of a page by their key, because distributed tables have no `ctid`. */
  const someOf = (table: keyof typeof keys, tenant: TenantKey, condition: Statement.Fragment) => sql`
    DELETE FROM ${sql(table)} WHERE ${inTenant(tenant)} AND (${sql.literal(keys[table])}) IN (
      SELECT ${sql.literal(keys[table])} FROM ${sql(table)}
      WHERE ${inTenant(tenant)} AND ${condition} LIMIT ${pageSize})
    RETURNING 1`;

  /** Replaces what messages were rendered from, and errors that quote a text. */
  const eraseMessages = (
    tenant: TenantKey,
    isOwn: Statement.Fragment,
    by: "device_key" | "campaign_key",
    recipient: "{}" | null,
    texts: ReadonlyArray<string>,
  ) => {
    const group = sql.literal(`d.${by}`);
    const isQuoting = sql`EXISTS (
      SELECT FROM unnest(${arrayOf("text", texts)}) AS n (text) WHERE strpos(d.last_error, n.text) > 0)`;
    const isAfter = ({ at, deviceKey, group: last, sourceId }: LastMessage) =>
      at === null
        ? sql`${group} > ${last}::int`
        : sql`${group} = ${last}::int AND (d.created_at, d.source_id, d.device_key)
          < (${at}::text::timestamptz, ${sourceId}::bigint, ${deviceKey}::int)`;
    const first: LastMessage = { group: -1, at: null, sourceId: 0n, deviceKey: 0 };
    return walk(first, (from) =>
      Effect.map(
        firstRow(sql<LastMessage>`
          WITH page AS MATERIALIZED (
            SELECT ${group} AS unit, d.created_at, d.source_id, d.device_key FROM delivery d
            WHERE ${tenantIs("d", tenant)} AND d.${isOwn} AND ${isAfter(from)}
            ORDER BY ${group}, d.created_at DESC, d.source_id DESC, d.device_key DESC LIMIT ${pageSize}
          ), erased AS (
            UPDATE delivery d SET recipient = ${recipient}::text::jsonb, last_error =
              CASE WHEN ${isQuoting} THEN 'The reason was erased with the device.' ELSE d.last_error END
            FROM page p
            WHERE ${tenantIs("d", tenant)} AND d.source_id = p.source_id AND d.device_key = p.device_key
              AND (d.recipient IS NOT NULL OR ${isQuoting})
          )
          SELECT unit AS group, created_at::text AS at, source_id AS "sourceId", device_key AS "deviceKey"
          FROM page WHERE (SELECT count(*) FROM page) = ${pageSize}
          ORDER BY unit DESC, created_at, source_id, device_key LIMIT 1`),
        (last) => last ?? (from.at === null ? null : { ...from, at: null }),
      ),
    );
  };

  /** Deletes stored responses that meet a condition. */
  const eraseResponses = (tenant: TenantKey, condition: Statement.Fragment) =>
    walk({ path: "", key: "" }, (from) =>
      firstRow(sql<typeof from>`
        WITH page AS MATERIALIZED (
          SELECT i.tid, i.path, i.key, ${condition} AS is_erased FROM (
            SELECT i.ctid AS tid, i.* FROM idempotent_response i
            WHERE ${tenantIs("i", tenant)} AND (i.path, i.key) > (${from.path}, ${from.key})
            ORDER BY i.path, i.key LIMIT ${pageSize}
          ) AS i
        ), gone AS (
          DELETE FROM idempotent_response WHERE ctid = ANY (ARRAY (SELECT tid FROM page WHERE is_erased))
        )
        SELECT path, key FROM page WHERE (SELECT count(*) FROM page) = ${pageSize}
        ORDER BY path DESC, key DESC LIMIT 1`),
    );

  return {
    /** Forgets the words of messages to devices (contract T7), and errors that quote one of these texts. */
    eraseWords: (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>, texts: ReadonlyArray<string>) =>
      eraseMessages(tenant, isOf(deviceKeys), "device_key", null, texts),

    /** Forgets the person in the words of their messages on devices that are others' now (contract X31). */
    eraseUserWords: (tenant: TenantKey, userId: string) =>
      eraseMessages(tenant, sql`user_key = ${keyOf(tenant, userId)}`, "campaign_key", "{}", []),

    /** Erases custom events of a person, and those that wait. */
    eraseUserEvents: (tenant: TenantKey, userId: string) => {
      const isOwn = sql`unit = -${keyOf(tenant, userId)}`;
      return inPages(
        sql`
          WITH waiting AS (${someOf("dwell", tenant, isOwn)}),
          events AS (${someOf("custom_event", tenant, isOwn)})
          SELECT 1 FROM waiting UNION ALL SELECT 1 FROM events`,
      );
    },

    /**
     * Forgets where devices were and are, visits that wait, and their custom events. Enters and exits stay,
     * without a name. An event of a person that waits goes to another device of theirs (contract Z34). Where
     * a person is erased, `eraseUserEvents` erases their events, and those that devices sent for others stay
     * (Z27).
     */
    erasePositions: (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>, isPerson: boolean) => {
      const isOwn = isOf(deviceKeys);
      const isErased = isPerson ? sql`${isOwn} AND unit > 0` : isOwn;
      return inPages(
        sql`
          WITH positions AS (DELETE FROM device_position WHERE ${inTenant(tenant)} AND ${isOwn}),
          visits AS (${someOf("dwell", tenant, sql`${isOwn} AND user_key IS NULL`)}),
          events AS (${someOf("custom_event", tenant, isErased)}),
          locations AS (${someOf("device_location", tenant, isOwn)})
          SELECT 1 FROM visits UNION ALL SELECT 1 FROM events UNION ALL SELECT 1 FROM locations`,
      );
    },

    /**
     * Replaces open texts of answers by null, which still counts as an answer. A text whose question is not
     * known could be one. Answers to test sends count nowhere, and are deleted.
     */
    eraseTexts: (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>) =>
      Effect.andThen(
        inPages(someOf("test_response", tenant, isOf(deviceKeys))),
        walk({ notification: -1, campaign: 0, device: 0 }, (from) =>
          firstRow(sql<typeof from>`
            WITH given AS MATERIALIZED (
              SELECT r.* FROM survey_response r
              WHERE ${tenantIs("r", tenant)} AND r.${isOf(deviceKeys)}
                AND (r.notification_key, r.campaign_key, r.device_key)
                  > (${from.notification}::int, ${from.campaign}::int, ${from.device}::int)
              ORDER BY r.notification_key, r.campaign_key, r.device_key LIMIT ${pageSize} FOR UPDATE
            ), open AS MATERIALIZED (
              SELECT r.*, (
                SELECT jsonb_agg(CASE WHEN jsonb_typeof(a.answer -> 'value') = 'string' AND NOT EXISTS (
                    SELECT FROM jsonb_array_elements(c.questions) AS q
                    WHERE q ->> 'id' = a.answer ->> 'question_id' AND q ->> 'type' <> 'OPEN_ENDED')
                  THEN jsonb_set(a.answer, '{value}', 'null') ELSE a.answer END ORDER BY a.ord)
                FROM jsonb_array_elements(r.answers) WITH ORDINALITY AS a (answer, ord)) AS erased
              FROM given r
              LEFT JOIN content c ON ${sameTenant("c", "r")} AND c.key = r.content_key
            ), changed AS (
              UPDATE survey_response r SET answers = o.erased FROM open o
              WHERE ${tenantIs("r", tenant)} AND r.notification_key = o.notification_key
                AND r.campaign_key = o.campaign_key AND r.device_key = o.device_key
                AND r.answers IS DISTINCT FROM o.erased
              RETURNING r.*, o.answers AS replaced
            ), ${answerDeltasSql(sql, sql`SELECT * FROM changed`)}
            SELECT notification_key AS notification, campaign_key AS campaign, device_key AS device
            FROM given WHERE (SELECT count(*) FROM given) = ${pageSize}
            ORDER BY notification_key DESC, campaign_key DESC, device_key DESC LIMIT 1`),
        ),
      ),

    /** Takes devices out of the activity by name. Their new ids stay. */
    eraseActivity: (tenant: TenantKey, deviceIds: ReadonlyArray<string>) =>
      inPages(
        sql`
          UPDATE activity SET resource_id = NULL, resource_name = NULL
          WHERE ${inTenant(tenant)} AND id = ANY (ARRAY (
            SELECT a.id FROM activity a
            WHERE ${tenantIs("a", tenant)} AND a.resource_type = 'device'
              AND a.resource_id = ANY (${arrayOf("text", deviceIds)}) LIMIT ${pageSize}))
          RETURNING 1`,
      ),

    /** Deletes stored responses of requests about devices, or that have one of these texts. */
    eraseResponses: (tenant: TenantKey, texts: ReadonlyArray<string>) =>
      eraseResponses(
        tenant,
        sql`EXISTS (SELECT FROM unnest(${arrayOf("text", texts)}) AS n (text)
          WHERE strpos(i.path, n.text) > 0 OR position(convert_to(n.text, 'UTF8') IN i.body) > 0)`,
      ),

    /** Deletes stored responses with a rule of a segment that names a person. */
    eraseRuleResponses: (tenant: TenantKey, userId: string) =>
      eraseResponses(
        tenant,
        sql`position(convert_to('"attribute":"user_id"', 'UTF8') IN i.body) > 0
          AND position(convert_to(${JSON.stringify(userId)}, 'UTF8') IN i.body) > 0`,
      ),
  };
}) {}

import { Effect } from "effect";
import { arrayOf, instant, unnested } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { anyRow, columnValues, run } from "../database/Statements.ts";
import { inTenant, sameTenant, tenantColumns, tenantIs } from "../database/TenantColumns.ts";
import { answerDeltasSql, deviceDeltasSql } from "../deltas/DeltasSql.ts";
import type { Environment, TenantKey } from "../workspaces/Environment.ts";
import type { DeviceKey } from "../wire/Ids.ts";

/** A device to erase, with what names its person. */
export interface NamedDevice {
  readonly key: DeviceKey;
  readonly id: string;
  readonly user_id: string | null;
  readonly registered: boolean;
  /** Texts of its registration: the installation id, and those of its address. */
  readonly texts: ReadonlyArray<string>;
}

/** A device to erase, with the id and the token's digest that replace those it has. */
export interface RenamedDevice extends NamedDevice {
  readonly newId: string;
  readonly digest: Uint8Array;
}

/** An erasure that is not complete. */
export interface OpenErasure extends TenantKey {
  readonly environment: Environment;
  readonly deviceKey: DeviceKey;
  readonly deviceId: string;
  /** Whether a person is erased; `userId` is null if they have come back since. */
  readonly isPerson: boolean;
  readonly userId: string | null;
}

/** Which devices to erase: those of a person, or one. */
export type ErasedOwner = { readonly userId: string } | { readonly device: string };

/** Statements that erase people. Bound: 200 devices (a page); none for their rows. */
export class ErasuresSql extends SqlService<ErasuresSql>("waypost/people/ErasuresSql")((sql) => {
  const keysOf = (deviceKeys: ReadonlyArray<DeviceKey>) => arrayOf("int4", deviceKeys);
  return {
    /** Up to `limit` devices that are not erased, in the order of their keys; locked if so asked. */
    find: (tenant: TenantKey, owner: ErasedOwner, limit: number, isLocked: boolean) =>
      Effect.orDie(sql<NamedDevice>`
        SELECT d.key, d.id, d.user_id, d.unregistered_at IS NULL AS registered, ARRAY (
          SELECT d.installation_id UNION ALL
          SELECT t #>> '{}' FROM jsonb_path_query(d.address, 'strict $.**') AS t
          WHERE jsonb_typeof(t) = 'string') AS texts
        FROM device d
        WHERE ${tenantIs("d", tenant)} AND d.erased_at IS NULL
          AND ${"userId" in owner ? sql`d.user_id = ${owner.userId}` : sql`d.id = ${owner.device}`}
        ORDER BY d.key LIMIT ${limit} ${isLocked ? sql`FOR UPDATE` : sql``}`),

    /** Erases the registrations of locked devices, and leaves their keys under new ids. */
    eraseDevices: (tenant: TenantKey, devices: ReadonlyArray<RenamedDevice>, now: number) => {
      const registered = devices.filter((device) => device.registered).length;
      return run(sql`
        WITH ${deviceDeltasSql(
          sql,
          sql`SELECT ${tenant.workspaceId}::int AS workspace_id, ${tenant.environment}::text AS environment,
            ${-registered}::int AS change`,
        )}
        UPDATE device d SET id = e.id, installation_id = 'erased-' || e.id, platform = 'other',
          transport = 'inbox', address = NULL, address_gone_at = NULL,
          address_version = d.address_version + 1, approved = false, attributes = '{}', locale = NULL,
          timezone = NULL, app_version = NULL, user_id = NULL, user_key = NULL, subscribed = false,
          token_digest = e.digest,
          unregistered_at = COALESCE(d.unregistered_at, ${instant(now)}), erased_at = ${instant(now)}
        FROM ${unnested("e", devices, {
          key: ["int4", ({ key }) => key],
          id: ["uuid", ({ newId }) => newId],
          digest: ["bytea", ({ digest }) => digest],
        })}
        WHERE ${tenantIs("d", tenant)} AND d.key = e.key`);
    },

    /** Records that what is left of devices is to be erased. */
    begin: (tenant: TenantKey, devices: ReadonlyArray<NamedDevice>, userId: string | null, now: number) =>
      run(sql`
        INSERT INTO erasure (workspace_id, environment, device_key, device_id, user_id, erased_at)
        SELECT ${tenant.workspaceId}, ${tenant.environment}, e.key, e.id, ${userId}::text, ${instant(now)}
        FROM ${unnested("e", devices, {
          key: ["int4", ({ key }) => key],
          id: ["uuid", ({ id }) => id],
        })}`),

    /**
     * Forgets where devices were and are, visits that wait, and their custom events. Enters and exits stay,
     * without a name. An event of a person that waits goes to another device of theirs (contract Z34). Where
     * a person is erased, `eraseUser` erases their events, and those that devices sent for others stay (Z27).
     */
    erasePositions: (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>, isPerson: boolean) =>
      run(sql`
        WITH positions AS (
          DELETE FROM device_position
          WHERE ${inTenant(tenant)} AND device_key = ANY (${keysOf(deviceKeys)})
        ), visits AS (
          DELETE FROM dwell
          WHERE ${inTenant(tenant)} AND device_key = ANY (${keysOf(deviceKeys)}) AND user_key IS NULL
        ), events AS (
          DELETE FROM custom_event
          WHERE ${inTenant(tenant)} AND device_key = ANY (${keysOf(deviceKeys)})
            ${isPerson ? sql`AND unit > 0` : sql``}
        )
        DELETE FROM device_location
        WHERE ${inTenant(tenant)} AND device_key = ANY (${keysOf(deviceKeys)})`),

    /**
     * Replaces open texts of answers by null, which still counts as an answer. A text whose question is not
     * known could be one. Answers to test sends count nowhere, and are deleted.
     */
    eraseTexts: (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>) =>
      run(sql`
        WITH tests AS (
          DELETE FROM test_response
          WHERE ${inTenant(tenant)} AND device_key = ANY (${keysOf(deviceKeys)})
        ), given AS MATERIALIZED (
          SELECT r.* FROM survey_response r
          WHERE ${tenantIs("r", tenant)} AND r.device_key = ANY (${keysOf(deviceKeys)}) FOR UPDATE
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
        SELECT 1`),

    /** Replaces errors of deliveries that quote one of these texts. */
    eraseErrors: (tenant: TenantKey, devices: ReadonlyArray<NamedDevice>) =>
      run(sql`
        UPDATE delivery d SET last_error = 'The reason was erased with the device.'
        WHERE ${tenantIs("d", tenant)} AND d.device_key = ANY (${keysOf(devices.map(({ key }) => key))})
          AND EXISTS (
            SELECT FROM unnest(${arrayOf(
              "text",
              devices.flatMap(({ texts, user_id }) => (user_id === null ? texts : [...texts, user_id])),
            )}) AS n (text) WHERE strpos(d.last_error, n.text) > 0)`),

    /** Forgets what the words of messages were rendered from (contract T7). */
    eraseWords: (tenant: TenantKey, deviceKeys: ReadonlyArray<DeviceKey>) =>
      run(sql`
          UPDATE delivery d SET recipient = NULL
          WHERE ${tenantIs("d", tenant)} AND d.device_key = ANY (${keysOf(deviceKeys)})
            AND d.recipient IS NOT NULL`),

    /** Forgets the person in the words of their messages on devices that are others' now (contract X31). */
    eraseUserWords: (tenant: TenantKey, userId: string) =>
      run(sql`
        UPDATE delivery d SET recipient = '{}'
        FROM device_user u
        WHERE ${tenantIs("u", tenant)} AND u.user_id = ${userId}
          AND ${tenantIs("d", tenant)} AND d.user_key = u.key AND d.recipient IS NOT NULL`),

    /**
     * Forgets a person by name, their custom events and those that wait; deliveries keep the key. False for a
     * person without a name.
     */
    eraseUser: (tenant: TenantKey, userId: string) =>
      Effect.andThen(
        run(sql`
          WITH unit AS MATERIALIZED (
            SELECT -u.key AS unit FROM device_user u WHERE ${tenantIs("u", tenant)} AND u.user_id = ${userId}
          ), waiting AS (
            DELETE FROM dwell w USING unit WHERE ${tenantIs("w", tenant)} AND w.unit = unit.unit
          )
          DELETE FROM custom_event c USING unit WHERE ${tenantIs("c", tenant)} AND c.unit = unit.unit`),
        anyRow(sql`DELETE FROM device_user WHERE ${inTenant(tenant)} AND user_id = ${userId} RETURNING key`),
      ),

    /** Takes devices out of the activity by name. Their new ids stay. */
    eraseActivity: (tenant: TenantKey, devices: ReadonlyArray<{ readonly id: string }>) =>
      run(sql`
        UPDATE activity a SET resource_id = NULL, resource_name = NULL
        WHERE ${tenantIs("a", tenant)} AND a.resource_type = 'device'
          AND a.resource_id = ANY (${arrayOf(
            "text",
            devices.map(({ id }) => id),
          )})`),

    /** Deletes stored responses of requests about devices, or that have one of these texts. */
    eraseResponses: (tenant: TenantKey, texts: ReadonlyArray<string>) =>
      run(sql`
        DELETE FROM idempotent_response i
        WHERE ${tenantIs("i", tenant)} AND EXISTS (
          SELECT FROM unnest(${arrayOf("text", texts)}) AS n (text)
          WHERE strpos(i.path, n.text) > 0 OR position(convert_to(n.text, 'UTF8') IN i.body) > 0)`),

    /** Deletes stored responses with a rule of a segment that names a person. */
    eraseRuleResponses: (tenant: TenantKey, userId: string) =>
      run(sql`
        DELETE FROM idempotent_response i
        WHERE ${tenantIs("i", tenant)}
          AND position(convert_to('"attribute":"user_id"', 'UTF8') IN i.body) > 0
          AND position(convert_to(${JSON.stringify(userId)}, 'UTF8') IN i.body) > 0`),

    /** The workspaces with erasures that began at `before` or earlier. */
    openWorkspaces: (before: number) =>
      columnValues(sql<{ readonly id: number }>`
        SELECT e.workspace_id AS id FROM erasure e WHERE e.erased_at <= ${instant(before)}
        GROUP BY 1 ORDER BY min(e.erased_at)`),

    /** Up to `limit` erasures that began at `before` or earlier; without a person who has come back. */
    open: (workspaceId: number, before: number, limit: number) =>
      Effect.orDie(sql<OpenErasure>`
        SELECT e.workspace_id AS "workspaceId", e.environment, e.device_key AS "deviceKey",
          e.device_id AS "deviceId", e.user_id IS NOT NULL AS "isPerson",
          CASE WHEN u.key IS NULL THEN e.user_id END AS "userId"
        FROM erasure e LEFT JOIN device_user u ON ${sameTenant("u", "e")} AND u.user_id = e.user_id
        WHERE e.workspace_id = ${workspaceId} AND e.erased_at <= ${instant(before)}
        ORDER BY e.erased_at LIMIT ${limit}`),

    /** Ends erasures. */
    end: (erasures: ReadonlyArray<OpenErasure>) =>
      run(sql`
        DELETE FROM erasure e USING ${unnested("k", erasures, {
          ...tenantColumns,
          device_key: ["int4", ({ deviceKey }) => deviceKey],
        })}
        WHERE ${sameTenant("e", "k")} AND e.device_key = k.device_key`),
  };
}) {}

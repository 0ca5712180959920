import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { distributedTables } from "../../src/database/citus/DistributedTables.ts";
import { isOnCitus } from "./OnCitus.ts";
import { TestDatabase } from "./TestDatabase.ts";

/**
 * Tables without `workspace_id` in their key, and why each machine can have a full copy (docs/scaling.md).
 */
const referenceTables: Readonly<Record<string, string>> = {
  workspace: "one row a workspace, read with every request; its own id is the distribution key of the rest",
  installation: "a handful of rows that all processes share",
  schema_migration: "one row a migration",
  failed_attempt: "guessed tokens belong to no workspace",
  api_token: "looked up by its digest, before any workspace is known",
  sdk_key: "looked up by its digest, before any workspace is known",
  media_garbage: "bytes outlive their workspace",
  two_phase: "one row that never changes; Citus manages it on the coordinator",
  console_session: "looked up by its digest; the operator's belong to no workspace",
  console_code: "one-time addresses of the operator, who belongs to no workspace",
};

/**
 * Unique keys of distributed tables without `workspace_id`, and what replaces each when tables are
 * distributed.
 */
const uniqueWithoutTenant: Readonly<Record<string, string>> = {
  media_file_key_key: "192 random bits never collide: the constraint becomes one over (key, workspace_id)",
};

interface Key {
  readonly table: string;
  readonly name: string;
  readonly columns: ReadonlyArray<string>;
}

interface Reference extends Key {
  readonly target: string;
  readonly targetColumns: ReadonlyArray<string>;
}

const isDistributed = (table: string): boolean => referenceTables[table] === undefined;

layer(TestDatabase.layer)("Distribution of the schema by workspace", (it) => {
  it.effect("every table but the reference tables has a non-null workspace_id (running.distribution)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const tables = yield* sql<{ readonly name: string; readonly isKeyed: boolean }>`
        SELECT c.relname AS name, EXISTS (SELECT FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attname = 'workspace_id' AND a.attnotnull
            AND a.atttypid = 'integer'::regtype) AS "isKeyed"
        FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1`;
      assert.isAbove(tables.length, 25);
      const unkeyed = tables.filter(({ isKeyed }) => !isKeyed).map(({ name }) => name);
      assert.deepStrictEqual(unkeyed.filter(isDistributed), []);
      const names = new Set(tables.map(({ name }) => name));
      assert.deepStrictEqual(
        Object.keys(referenceTables).filter((name) => !names.has(name)),
        [],
      );
    }),
  );

  it.effect("every unique key of a distributed table has workspace_id (running.distribution)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const keys = yield* sql<Key>`
        SELECT t.relname AS table, i.relname AS name, array_agg(a.attname::text) AS columns
        FROM pg_index x
        JOIN pg_class t ON t.oid = x.indrelid AND t.relnamespace = 'public'::regnamespace
        JOIN pg_class i ON i.oid = x.indexrelid
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (x.indkey::int2[])
        WHERE x.indisunique GROUP BY 1, 2 ORDER BY 1, 2`;
      const distributed = keys.filter(({ table }) => isDistributed(table));
      assert.isAbove(distributed.length, 30);
      const without = distributed.filter(({ columns }) => !columns.includes("workspace_id"));
      assert.deepStrictEqual(
        without.map(({ name }) => name),
        Object.keys(uniqueWithoutTenant),
      );
    }),
  );

  it.effect("foreign keys stay in a workspace or refer to a reference table (running.distribution)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const references = yield* sql<Reference>`
        SELECT t.relname AS table, c.conname AS name, f.relname AS target,
          array_agg(a.attname::text ORDER BY k.ord) AS columns,
          array_agg(b.attname::text ORDER BY k.ord) AS "targetColumns"
        FROM pg_constraint c
        JOIN pg_class t ON t.oid = c.conrelid
        JOIN pg_class f ON f.oid = c.confrelid
        CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k (one, other, ord)
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.one
        JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.other
        WHERE c.contype = 'f' AND t.relnamespace = 'public'::regnamespace GROUP BY 1, 2, 3 ORDER BY 1, 2`;
      assert.isAbove(references.length, 15);
      const wrong = references.filter(({ columns, table, target, targetColumns }) => {
        // Every machine has the reference tables, so any table may refer to them; they refer only to each
        // other.
        if (!isDistributed(target)) return false;
        const index = columns.indexOf("workspace_id");
        return !isDistributed(table) || index < 0 || targetColumns[index] !== "workspace_id";
      });
      assert.deepStrictEqual(
        wrong.map(({ name, table }) => `${table}: ${name}`),
        [],
      );
    }),
  );

  it.effect("triggers write only rows of the same workspace (running.distribution)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const triggers = yield* sql<{ readonly table: string; readonly name: string }>`
        SELECT t.relname AS table, g.tgname AS name FROM pg_trigger g
        JOIN pg_class t ON t.oid = g.tgrelid
        WHERE NOT g.tgisinternal AND t.relnamespace = 'public'::regnamespace ORDER BY 1, 2`;
      // A new trigger needs a decision: docs/scaling.md has that of each.
      assert.deepStrictEqual(
        triggers.map(({ name, table }) => `${table}: ${name}`),
        [
          "campaign: campaign_published",
          "campaign_notification: campaign_notification_variants",
          "delivery: delivery_changed_after_settling",
          "geofence_event: geofence_event_changed",
          "media_file: media_file_deleted",
          "notification: notification_variants",
          "survey_response: survey_response_moved",
        ].filter((name) => !isOnCitus() || !distributedTables.some((table) => name.startsWith(`${table}:`))),
      );
    }),
  );
});

import { Context, Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { randomBytes } from "node:crypto";
import { MemoryStore, memoryTable } from "./memory/MemoryStore.ts";
import { arrayOf, instant, onlyRow } from "../src/database/Rows.ts";
import type { ContentMedia } from "../src/media/MediaAddress.ts";
import { idAt } from "../src/wire/Ids.ts";
import type { MediaKind } from "../src/workspaces/Plan.ts";
import type { TenantKey } from "../src/workspaces/Environment.ts";
import { suiteStart as now } from "./TestTenants.ts";

type Row = { readonly [column: string]: unknown };

/** Inserts and reads rows that the repository under test reads but does not write. */
export class TestRows extends Context.Service<
  TestRows,
  {
    /** Inserts a location or a location group; gives its id. */
    readonly insertTarget: (
      table: "location" | "location_group",
      tenant: TenantKey,
      name: string,
    ) => Effect.Effect<string>;
    readonly deleteTarget: (table: "location" | "location_group", id: string) => Effect.Effect<void>;
    readonly insertMediaFile: (tenant: TenantKey, kind: MediaKind) => Effect.Effect<ContentMedia>;
    /** Inserts an answer of a device to a survey. */
    readonly insertAnswer: (tenant: TenantKey, notificationId: string) => Effect.Effect<void>;
    /** The ids of the notifications of a workspace, in order. */
    readonly notificationIds: (workspaceId: TenantKey["workspaceId"]) => Effect.Effect<ReadonlyArray<string>>;
    /** Starts a scheduled send with one open batch; gives its source id. */
    readonly startSend: (tenant: TenantKey, sendId: string) => Effect.Effect<bigint>;
    /** Returns the source ids that have an open batch. */
    readonly openBatches: (sourceIds: ReadonlyArray<bigint>) => Effect.Effect<ReadonlyArray<bigint>>;
  }
>()("waypost/test/TestRows") {
  /** In memory. */
  static readonly layerMemory = Layer.effect(
    TestRows,
    Effect.map(MemoryStore, (store) => {
      const insert = (table: string, key: string, { environment, workspaceId }: TenantKey, row: Row) =>
        Effect.asVoid(
          store.write((tables) =>
            tables.put(memoryTable<Row>(table), key, { workspaceId, environment, ...row }),
          ),
        );
      const read = (table: string, key: string): Effect.Effect<Row> =>
        store.read((tables) => tables.rows(memoryTable<Row>(table)).get(key) ?? {});
      return TestRows.of({
        insertTarget: Effect.fnUntraced(function* (table, tenant, name) {
          const id = idAt(now);
          yield* insert(table, id, tenant, { id, name });
          return id;
        }),
        deleteTarget: (table, id) =>
          Effect.asVoid(store.write((tables) => tables.delete(memoryTable(table), id))),
        insertMediaFile: Effect.fnUntraced(function* (tenant, kind) {
          const file = { id: idAt(now), key: randomBytes(24).toString("base64url") };
          const record = { ...file, kind, name: "File", mimeType: "image/png", bytes: 1, createdAt: now };
          const unknown = { width: null, height: null, durationSeconds: null, due: null };
          yield* insert("media_file", file.id, tenant, {
            ...record,
            ...unknown,
            thumbnail: "none",
            attempts: 0,
          });
          return { ...file, type: kind };
        }),
        insertAnswer: Effect.fnUntraced(function* (tenant, notificationId) {
          const { key } = yield* read("notification", notificationId);
          yield* insert("survey_response", idAt(now), tenant, { notificationKey: key });
        }),
        notificationIds: (workspaceId) =>
          store.read((tables) =>
            [...tables.rows(memoryTable<TenantKey & { readonly id: string }>("notification")).values()]
              .filter((row) => row.workspaceId === workspaceId)
              .map(({ id }) => id)
              .toSorted(),
          ),
        startSend: Effect.fnUntraced(function* (tenant, sendId) {
          const sourceId = BigInt(store.nextKey("delivery_source_id"));
          const send = yield* read("send", sendId);
          yield* insert("send", sendId, tenant, { ...send, status: "running", sourceId });
          yield* insert("send_batch", String(sourceId), tenant, { sourceId });
          return sourceId;
        }),
        openBatches: (sourceIds) =>
          store.read((tables) =>
            [...tables.rows(memoryTable<{ readonly sourceId: bigint }>("send_batch")).values()]
              .map(({ sourceId }) => sourceId)
              .filter((sourceId) => sourceIds.includes(sourceId)),
          ),
      });
    }),
  );

  /** On PostgreSQL. */
  static readonly layerSql = Layer.effect(
    TestRows,
    Effect.map(SqlClient.SqlClient, (sql) =>
      TestRows.of({
        insertTarget: Effect.fnUntraced(function* (table, { environment, workspaceId }, name) {
          const id = idAt(now);
          const instants = { created_at: new Date(now), updated_at: new Date(now) };
          const common = { workspace_id: workspaceId, environment, id, name, ...instants };
          const circle = { type: "circle", latitude: 0, longitude: 0, radius_meters: 100 };
          const row = table === "location" ? { ...common, ...circle } : common;
          yield* sql`INSERT INTO ${sql(table)} ${sql.insert(row)}`;
          return id;
        }, Effect.orDie),
        deleteTarget: (table, id) =>
          Effect.orDie(Effect.asVoid(sql`DELETE FROM ${sql(table)} WHERE id = ${id}`)),
        insertMediaFile: Effect.fnUntraced(function* ({ environment, workspaceId }, kind) {
          const file = { id: idAt(now), key: randomBytes(24).toString("base64url") };
          const isImage = kind === "image";
          yield* sql`
            INSERT INTO media_file (workspace_id, environment, id, key, name, kind, mime_type, size_bytes,
              thumbnail, thumbnail_due_at, created_at, updated_at)
            VALUES (${workspaceId}, ${environment}, ${file.id}, ${file.key}, 'File', ${kind}, 'image/png', 1,
              ${isImage ? "pending" : "none"}, ${instant(isImage ? now : null)}, ${instant(now)},
              ${instant(now)})`;
          return { ...file, type: kind };
        }, Effect.orDie),
        insertAnswer: ({ environment, workspaceId }, notificationId) =>
          Effect.orDie(
            Effect.asVoid(sql`
              INSERT INTO survey_response (workspace_id, environment, notification_key, campaign_key,
                device_key, content_key, answers, first_answered_at, answered_at)
              SELECT ${workspaceId}, ${environment}, key, 1, 1, 1, '[]', ${instant(now)}, ${instant(now)}
              FROM notification WHERE id = ${notificationId}`),
          ),
        notificationIds: (workspaceId) =>
          Effect.orDie(
            Effect.map(
              sql<{ readonly id: string }>`
                SELECT id FROM notification WHERE workspace_id = ${workspaceId} ORDER BY id`,
              (rows) => rows.map(({ id }) => id),
            ),
          ),
        startSend: Effect.fnUntraced(function* ({ environment, workspaceId }, sendId) {
          const { sourceId } = yield* onlyRow(sql<{ readonly sourceId: bigint }>`
            UPDATE send SET status = 'running', started_at = ${instant(now)}, content_key = 1,
              content_type = 'message', source_id = nextval('delivery_source_id')
            WHERE id = ${sendId} RETURNING source_id AS "sourceId"`);
          yield* sql`
            INSERT INTO send_batch (workspace_id, environment, source_id, batch, campaign_key, capped,
              first_key, last_key)
            VALUES (${workspaceId}, ${environment}, ${sourceId}, 1, 1, false, 1, 1)`;
          return sourceId;
        }, Effect.orDie),
        openBatches: (sourceIds) =>
          Effect.orDie(
            Effect.map(
              sql<{ readonly sourceId: bigint }>`
                SELECT source_id AS "sourceId" FROM send_batch
                WHERE source_id = ANY (${arrayOf("int8", sourceIds)}) ORDER BY source_id`,
              (rows) => rows.map(({ sourceId }) => sourceId),
            ),
          ),
      }),
    ),
  );
}

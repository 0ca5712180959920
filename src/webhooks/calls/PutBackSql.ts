import type { SqlClient } from "effect/sql";
import { unnested } from "../../database/Rows.ts";
import { run } from "../../database/Statements.ts";
import { sameTenant, tenantColumns } from "../../database/TenantColumns.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";

/** A recording of a webhook, and the index of the first event to take again. */
interface PutBack extends TenantKey {
  readonly webhookId: string;
  readonly recording: bigint;
  readonly first: number;
}

/** Puts recordings back: their events from an index on are taken again. Bound: 5,000 events of a take. */
export const putBackSql = (sql: SqlClient.SqlClient) => (recordings: ReadonlyArray<PutBack>) =>
  run(sql`
    UPDATE webhook_event e SET called = r.first
    FROM ${unnested("r", recordings, {
      ...tenantColumns,
      webhook_id: ["uuid", ({ webhookId }: PutBack) => webhookId],
      recording: ["int8", ({ recording }) => recording],
      first: ["int4", ({ first }) => first],
    })}
    WHERE ${sameTenant("e", "r")} AND e.webhook_id = r.webhook_id AND e.recording = r.recording`);

/** The SQL that keeps the facts of the devices of sends, as `keptFacts` does for one recipient. */
import type { SqlClient, Statement } from "effect/sql";
import { unnested } from "../../database/Rows.ts";
import { sourceColumns } from "../sends/batches/BatchLeasesSql.ts";
import type { StartedSend } from "../sends/Send.ts";
import type { KeptFacts, ReadFacts } from "./KeptFacts.ts";

/** The facts that the texts of a send read. */
export interface SendFacts extends StartedSend, Omit<ReadFacts, "campaign" | "location" | "event"> {
  /** Facts that all its devices share. */
  readonly fixed: KeptFacts;
}

/** The parts of a statement that inserts the deliveries of sends `s` to devices `d`. */
export interface KeptFactsSql {
  /** Columns of a device, with a comma before. */
  readonly device: Statement.Fragment;
  /** `JOIN`: the facts `f` that a send reads. */
  readonly join: Statement.Fragment;
  /** The value of the column `recipient`. */
  readonly recipient: Statement.Fragment;
}

/** The parts, for sends that are not all the same for every device; else they cost nothing. */
export const keptFactsSql = (sql: SqlClient.SqlClient, facts: ReadonlyArray<SendFacts>): KeptFactsSql => {
  if (facts.length === 0) return { device: sql``, join: sql``, recipient: sql`NULL::jsonb` };
  return {
    device: sql`, d.attributes, d.locale, d.platform`,
    join: sql`LEFT JOIN ${unnested("f", facts, {
      ...sourceColumns,
      attributes: ["jsonb", ({ attributes }) => attributes],
      platform: ["bool", ({ platform }) => platform],
      locale: ["bool", ({ locale }) => locale],
      timezone: ["bool", ({ timezone }) => timezone],
      fixed: ["jsonb", ({ fixed }) => fixed],
    })} ON f.workspace_id = s.workspace_id AND f.environment = s.environment AND f.source_id = s.source_id`,
    recipient: sql`f.fixed || jsonb_strip_nulls(jsonb_build_object(
      'attributes', CASE WHEN f.attributes IS NULL THEN NULLIF(d.attributes, '{}') ELSE (
        SELECT jsonb_object_agg(a.name, d.attributes -> a.name)
        FROM jsonb_array_elements_text(f.attributes) AS a (name) WHERE d.attributes ? a.name) END,
      'platform', CASE WHEN f.platform THEN d.platform END,
      'locale', CASE WHEN f.locale THEN d.locale END,
      'timezone', CASE WHEN f.timezone THEN d.timezone END))`,
  };
};

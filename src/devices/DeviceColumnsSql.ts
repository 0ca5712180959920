import type { SqlClient, Statement } from "effect/sql";
import { utc } from "../database/Rows.ts";
import { isApprovedSql } from "./ObstacleSql.ts";

/** The columns of a `Device`. */
export const deviceColumns = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  id, installation_id, platform, transport, address_gone_at IS NOT NULL AS address_gone,
  ${isApprovedSql(sql)} AS approved, attributes, locale, timezone, app_version, user_id, subscribed,
  ${utc("registered_at")} AS registered_at,
  ${utc("last_seen_at")} AS last_seen_at`;

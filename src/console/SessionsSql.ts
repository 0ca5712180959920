import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { epochMillis, instant } from "../database/Rows.ts";
import { anyRow, firstRow, run } from "../database/Statements.ts";
import { type CountedSession, SessionsRepository } from "./SessionsRepository.ts";

/** Every statement on sessions of the console. */
export const sessionsSql = Layer.effect(
  SessionsRepository,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const pruned = (table: "console_session" | "console_code", now: number) => sql`
      pruned AS (
        DELETE FROM ${sql(table)} WHERE digest = ANY (ARRAY (
          SELECT digest FROM ${sql(table)} WHERE expires_at <= ${instant(now)}
          ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED)))`;
    return SessionsRepository.of({
      open: (session) =>
        run(sql`
          WITH ${pruned("console_session", session.createdAt)}
          INSERT INTO console_session (digest, id, token_id, operator_key, name, created_at, expires_at)
          VALUES (${session.digest}, ${session.id}, ${session.tokenId}, ${session.operatorKey},
            ${session.name}, ${instant(session.createdAt)}, ${instant(session.expiresAt)})`),

      // The commit does not wait for the disk: a crash of the database may lose the last counts.
      take: (digest, limit, now) =>
        firstRow(sql<CountedSession>`
          WITH relaxed AS (SELECT set_config('synchronous_commit', 'off', true) AS setting),
          held AS (
            SELECT s.digest, s.minute_opened <= ${instant(now - 60_000)}
              OR s.minute_opened > ${instant(now + 60_000)} AS is_over
            FROM relaxed, console_session s
            WHERE relaxed.setting IS NOT NULL AND s.digest = ${digest} AND s.expires_at > ${instant(now)}
            FOR UPDATE OF s
          )
          UPDATE console_session s SET
            minute_opened = CASE WHEN h.is_over THEN ${instant(now)} ELSE s.minute_opened END,
            minute_used = CASE WHEN h.is_over THEN 1 ELSE LEAST(s.minute_used, ${limit}) + 1 END
          FROM held h WHERE s.digest = h.digest
          RETURNING s.id, s.token_id AS "tokenId", s.operator_key AS "operatorKey", s.name,
            ${epochMillis("s.created_at")} AS "createdAt", ${epochMillis("s.expires_at")} AS "expiresAt",
            ${epochMillis("s.minute_opened")} AS "minuteOpened", s.minute_used AS "minuteUsed"`),

      end: (digest) => anyRow(sql`DELETE FROM console_session WHERE digest = ${digest} RETURNING id`),

      issueCode: (digest, expiresAt, now) =>
        run(sql`
          WITH ${pruned("console_code", now)}
          INSERT INTO console_code (digest, expires_at) VALUES (${digest}, ${instant(expiresAt)})`),

      spendCode: (digest, now) =>
        anyRow(sql`
          DELETE FROM console_code WHERE digest = ${digest} AND expires_at > ${instant(now)}
          RETURNING digest`),
    });
  }),
);

import { Effect, Layer } from "effect";
import { SqlClient } from "effect/sql";
import { epochMillis, instant, onlyRow, utc } from "../database/Rows.ts";
import { anyRow, firstRow, run } from "../database/Statements.ts";
import { type CountedSession, type SessionRow, SessionsRepository } from "./SessionsRepository.ts";

/** How long an expired session is kept, so that a jump of the clock ends none for good. */
const keptMillis = 7 * 86_400_000;

/** Every statement on sessions of the console. Bound: 1 session or a page of 101; 1,000 to end. */
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
          WITH ${pruned("console_session", session.createdAt - keptMillis)}
          INSERT INTO console_session
            (digest, id, token_id, operator_key, name, address, user_agent, created_at, expires_at)
          VALUES (${session.digest}, ${session.id}, ${session.tokenId}, ${session.operatorKey},
            ${session.name}, ${session.address}, ${session.userAgent}, ${instant(session.createdAt)},
            ${instant(session.expiresAt)})`),

      // The commit does not wait for the disk: a crash of the database may lose the last counts.
      take: (digest, { address, limit, now, operatorKey }) =>
        firstRow(sql<CountedSession>`
          WITH relaxed AS (SELECT set_config('synchronous_commit', 'off', true) AS setting),
          held AS (
            SELECT s.digest, s.minute_opened <= ${instant(now - 60_000)}
              OR s.minute_opened > ${instant(now + 60_000)} AS is_over
            FROM relaxed, console_session s
            WHERE relaxed.setting IS NOT NULL AND s.digest = ${digest} AND s.expires_at > ${instant(now)}
              AND (s.token_id IS NOT NULL OR s.operator_key = ${operatorKey})
            FOR UPDATE OF s
          )
          UPDATE console_session s SET
            minute_opened = CASE WHEN h.is_over THEN ${instant(now)} ELSE s.minute_opened END,
            minute_used = CASE WHEN h.is_over THEN 1 ELSE LEAST(s.minute_used, ${limit}) + 1 END,
            last_used_at = ${instant(now)}, last_address = ${address}
          FROM held h WHERE s.digest = h.digest
          RETURNING s.id, s.token_id AS "tokenId", s.name, ${epochMillis("s.expires_at")} AS "expiresAt",
            ${epochMillis("s.minute_opened")} AS "minuteOpened", s.minute_used AS "minuteUsed"`),

      page: (operatorKey, now, { before, limit }) =>
        Effect.orDie(sql<SessionRow>`
          SELECT s.id, CASE WHEN t.id IS NULL THEN 'operator' ELSE 'token' END AS kind, s.name,
            CASE WHEN t.id IS NOT NULL THEN jsonb_build_object('id', t.id, 'name', t.name) END AS token,
            CASE WHEN t.id IS NOT NULL THEN jsonb_build_object('id', w.public_id, 'name', w.name) END
              AS workspace,
            t.environment, ${utc("s.created_at")} AS created_at, ${utc("s.last_used_at")} AS last_used_at,
            ${utc("s.expires_at")} AS expires_at, s.address, s.last_address, s.user_agent
          FROM console_session s
            LEFT JOIN api_token t ON t.id = s.token_id LEFT JOIN workspace w ON w.id = t.workspace_id
          WHERE s.expires_at > ${instant(now)} AND (${before}::uuid IS NULL OR s.id < ${before})
            AND (s.operator_key = ${operatorKey} OR t.revoked_at IS NULL AND t.id IS NOT NULL
              AND (t.expires_at IS NULL OR t.expires_at > ${instant(now)}))
          ORDER BY s.id DESC LIMIT ${limit}`),

      end: (digest) => anyRow(sql`DELETE FROM console_session WHERE digest = ${digest} RETURNING id`),

      endById: (id) => anyRow(sql`DELETE FROM console_session WHERE id = ${id} RETURNING id`),

      endOthers: (keptId, now) =>
        Effect.gen(function* () {
          let open = 0;
          while (true) {
            const page = yield* onlyRow(sql<{ readonly found: boolean; readonly open: number }>`
              WITH page AS MATERIALIZED (
                SELECT digest FROM console_session WHERE id IS DISTINCT FROM ${keptId}::uuid LIMIT 1000
              ), ended AS (
                DELETE FROM console_session s USING page p WHERE s.digest = p.digest RETURNING s.expires_at
              )
              SELECT EXISTS (SELECT FROM page) AS found,
                (SELECT count(*)::int FROM ended WHERE expires_at > ${instant(now)}) AS open`);
            if (!page.found) return open;
            open += page.open;
          }
        }),

      issueCode: (digest, operatorKey, expiresAt, now) =>
        run(sql`
          WITH ${pruned("console_code", now)}
          INSERT INTO console_code (digest, operator_key, expires_at)
          VALUES (${digest}, ${operatorKey}, ${instant(expiresAt)})`),

      spendCode: (digest, operatorKey, now) =>
        anyRow(sql`
          DELETE FROM console_code
          WHERE digest = ${digest} AND operator_key = ${operatorKey} AND expires_at > ${instant(now)}
          RETURNING digest`),
    });
  }),
);

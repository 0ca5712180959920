import { Effect } from "effect";
import { epochMillis, instant, onlyRow, utc } from "../database/Rows.ts";
import { SqlService } from "../database/SqlService.ts";
import { anyRow, firstRow, run } from "../database/Statements.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { ListedSession } from "./ListedSession.ts";

/** A session as it is opened. Instants are epoch milliseconds. */
export interface NewSession {
  /** SHA-256 of the cookie. */
  readonly digest: Uint8Array;
  readonly id: string;
  /** The token that the session was opened with; null for the operator. */
  readonly tokenId: string | null;
  /** The fingerprint of the operator key; null for a token. */
  readonly operatorKey: Uint8Array | null;
  /** The person; null if they gave no name. */
  readonly name: string | null;
  /** The address of the client that signed in. */
  readonly address: string;
  /** The browser that signed in; null if it sent no name. */
  readonly userAgent: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A session whose request was counted. */
export interface CountedSession extends Pick<NewSession, "id" | "tokenId" | "name" | "expiresAt"> {
  /** When the current minute began. */
  readonly minuteOpened: number;
  /** Requests in the current minute with this one, at most one more than the limit. */
  readonly minuteUsed: number;
}

/** A request of a session. */
export interface SessionUse {
  /** The fingerprint of the operator key, without which a session of the operator is not found. */
  readonly operatorKey: Uint8Array;
  readonly address: string;
  /** Requests in a minute. */
  readonly limit: number;
  readonly now: number;
}

/** A session in the list, without a mark for the current one. */
export type SessionRow = Omit<ListedSession, "is_current">;

/** How long an expired session is kept, so that a jump of the clock ends none for good. */
const keptMillis = 7 * 86_400_000;

/** Every statement on sessions of the console. Bound: 1 session or a page of 101; 1,000 to end. */
export class SessionsSql extends SqlService<SessionsSql>("waypost/console/SessionsSql")((sql) => {
  const pruned = (table: "console_session" | "console_code", now: number) => sql`
    pruned AS (
      DELETE FROM ${sql(table)} WHERE digest = ANY (ARRAY (
        SELECT digest FROM ${sql(table)} WHERE expires_at <= ${instant(now)}
        ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED)))`;
  return {
    /** Stores a session, and deletes at most 100 sessions that have expired. */
    open: (session: NewSession) =>
      run(sql`
        WITH ${pruned("console_session", session.createdAt - keptMillis)}
        INSERT INTO console_session
          (digest, id, token_id, operator_key, name, address, user_agent, created_at, expires_at)
        VALUES (${session.digest}, ${session.id}, ${session.tokenId}, ${session.operatorKey},
          ${session.name}, ${session.address}, ${session.userAgent}, ${instant(session.createdAt)},
          ${instant(session.expiresAt)})`),

    /**
     * The session of a cookie, after counting one request in its minute, up to one more than the limit; null
     * for an unknown or expired one, and for one of another operator key.
     */
    // The commit does not wait for the disk: a crash of the database may lose the last counts.
    take: (digest: Uint8Array, { address, limit, now, operatorKey }: SessionUse) =>
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

    /** Open sessions, newest first: of this operator key, and of tokens that are valid. */
    page: (operatorKey: Uint8Array, now: number, { before, limit }: PagePosition) =>
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

    /** Ends the session of a cookie; false for an unknown one. */
    end: (digest: Uint8Array) =>
      anyRow(sql`DELETE FROM console_session WHERE digest = ${digest} RETURNING id`),

    /** Ends a session by its id; false for an unknown one. */
    endById: (id: string) => anyRow(sql`DELETE FROM console_session WHERE id = ${id} RETURNING id`),

    /** Ends all sessions but one, or all for null; gives how many had not expired. */
    endOthers: (keptId: string | null, now: number) =>
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

    /** Stores a code of an operator key, and deletes at most 100 codes that have expired. */
    issueCode: (digest: Uint8Array, operatorKey: Uint8Array, expiresAt: number, now: number) =>
      run(sql`
        WITH ${pruned("console_code", now)}
        INSERT INTO console_code (digest, operator_key, expires_at)
        VALUES (${digest}, ${operatorKey}, ${instant(expiresAt)})`),

    /** Spends a code; false for one that is unknown, expired, spent, or of another operator key. */
    spendCode: (digest: Uint8Array, operatorKey: Uint8Array, now: number) =>
      anyRow(sql`
        DELETE FROM console_code
        WHERE digest = ${digest} AND operator_key = ${operatorKey} AND expires_at > ${instant(now)}
        RETURNING digest`),
  };
}) {}

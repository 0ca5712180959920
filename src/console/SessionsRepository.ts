import { Context, type Effect } from "effect";
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

/** Stores sessions of the console and the codes of one-time addresses. */
export class SessionsRepository extends Context.Service<
  SessionsRepository,
  {
    /** Stores a session, and deletes at most 100 sessions that have expired. */
    readonly open: (session: NewSession) => Effect.Effect<void>;
    /**
     * The session of a cookie, after counting one request in its minute, up to one more than the limit; null
     * for an unknown or expired one, and for one of another operator key.
     */
    readonly take: (digest: Uint8Array, use: SessionUse) => Effect.Effect<CountedSession | null>;
    /** Open sessions, newest first: of this operator key, and of tokens that are valid. */
    readonly page: (
      operatorKey: Uint8Array,
      now: number,
      position: PagePosition,
    ) => Effect.Effect<ReadonlyArray<SessionRow>>;
    /** Ends the session of a cookie; false for an unknown one. */
    readonly end: (digest: Uint8Array) => Effect.Effect<boolean>;
    /** Ends a session by its id; false for an unknown one. */
    readonly endById: (id: string) => Effect.Effect<boolean>;
    /** Ends all sessions but one, or all for null; gives how many had not expired. */
    readonly endOthers: (keptId: string | null, now: number) => Effect.Effect<number>;
    /** Stores a code of an operator key, and deletes at most 100 codes that have expired. */
    readonly issueCode: (
      digest: Uint8Array,
      operatorKey: Uint8Array,
      expiresAt: number,
      now: number,
    ) => Effect.Effect<void>;
    /** Spends a code; false for one that is unknown, expired, spent, or of another operator key. */
    readonly spendCode: (digest: Uint8Array, operatorKey: Uint8Array, now: number) => Effect.Effect<boolean>;
  }
>()("waypost/console/SessionsRepository") {}

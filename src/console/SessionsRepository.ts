import { Context, type Effect } from "effect";

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
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A session whose request was counted. */
export interface CountedSession extends Omit<NewSession, "digest"> {
  /** When the current minute began. */
  readonly minuteOpened: number;
  /** Requests in the current minute with this one, at most one more than the limit. */
  readonly minuteUsed: number;
}

/** Stores sessions of the console and the codes of one-time addresses. */
export class SessionsRepository extends Context.Service<
  SessionsRepository,
  {
    /** Stores a session, and deletes at most 100 sessions that have expired. */
    readonly open: (session: NewSession) => Effect.Effect<void>;
    /**
     * The session of a cookie, after counting one request in its minute, up to one more than `limit`; null
     * for an unknown or expired one.
     */
    readonly take: (digest: Uint8Array, limit: number, now: number) => Effect.Effect<CountedSession | null>;
    /** Ends the session of a cookie; false for an unknown one. */
    readonly end: (digest: Uint8Array) => Effect.Effect<boolean>;
    /** Stores a code, and deletes at most 100 codes that have expired. */
    readonly issueCode: (digest: Uint8Array, expiresAt: number, now: number) => Effect.Effect<void>;
    /** Spends a code; false for one that is unknown, expired or already spent. */
    readonly spendCode: (digest: Uint8Array, now: number) => Effect.Effect<boolean>;
  }
>()("waypost/console/SessionsRepository") {}

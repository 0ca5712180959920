import { Effect, type Scope } from "effect";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type Settings } from "node:http2";
import type { NotReached } from "../../../outgoing/HttpExchange.ts";
import { type HostAddress, pinned } from "../../../outgoing/PublicHosts.ts";
import { type Cancel, nothingToCancel } from "./PushTransport.ts";
import { NotProcessed, readStream, type StreamResponse, type StreamResult } from "./StreamExchange.ts";

/** Limits on the connections of a channel, and on the streams of each whatever the server allows. */
const maxSessions = 4;
const maxStreams = 1_000;
const idleMillis = 5 * 60_000;
/** So many canceled streams in a row without a response mean that the connection is dead. */
const maxUnanswered = 3;

/** Header names and values, alternating. */
type Headers = ReadonlyArray<string>;

/** Streams to one server. */
export interface Http2Streams {
  /** Sends a request if a connection has room; otherwise returns null. */
  readonly begin: (headers: Headers, body: string, done: (result: StreamResult) => void) => Cancel | null;
  /** Sends a request as soon as a connection has room. Opens connections up to the limit. */
  readonly exchange: (
    headers: Headers,
    body: string,
  ) => Effect.Effect<StreamResponse, NotReached | NotProcessed>;
}

interface Session {
  readonly http2: ClientHttp2Session;
  streams: number;
  /** How many concurrent streams the server allows; one until its settings have arrived. */
  limit: number;
  isReady: boolean;
  /** Takes no new streams: it is closing, or the server sent GOAWAY. */
  isClosing: boolean;
  /** Canceled streams since the last response. */
  unanswered: number;
}

/** The connections to one server, and the requests that wait for room on one. */
class SessionPool {
  readonly #origin: URL;
  readonly #sessions = new Set<Session>();
  readonly #waiting = new Set<() => void>();

  constructor(origin: URL) {
    this.#origin = origin;
  }

  /** A connection with room for one more stream. */
  free(): Session | undefined {
    for (const session of this.#sessions)
      if (!session.isClosing && session.streams < session.limit) return session;
    return undefined;
  }

  /** Opens the next connection only once the others know their limits. */
  canOpen(): boolean {
    return this.#sessions.size < maxSessions && [...this.#sessions].every(({ isReady }) => isReady);
  }

  open(addresses: ReadonlyArray<HostAddress>): Session {
    const http2 = connect(this.#origin.origin, {
      lookup: pinned(() => addresses),
      settings: { enablePush: false },
    });
    const session: Session = {
      http2,
      streams: 0,
      limit: 1,
      isReady: false,
      isClosing: false,
      unanswered: 0,
    };
    this.#sessions.add(session);
    http2.on("remoteSettings", ({ maxConcurrentStreams = maxStreams }: Settings) => {
      session.limit = Math.max(1, Math.min(maxConcurrentStreams, maxStreams));
      session.isReady = true;
      this.wake(this.#waiting.size);
    });
    // Open streams continue as far as the server lets them; new requests use other connections.
    for (const event of ["goaway", "error", "close"] as const) http2.on(event, () => this.#remove(session));
    http2.setTimeout(idleMillis, () => http2.close());
    http2.unref();
    return session;
  }

  /** Lets so many waiting requests try again. */
  wake(count: number): void {
    let left = count;
    for (const resume of this.#waiting) {
      if (left-- <= 0) return;
      this.#waiting.delete(resume);
      resume();
    }
  }

  /** Waits until a connection may have room. */
  readonly wait = Effect.callback<void>((resume) => {
    const retry = (): void => resume(Effect.void);
    this.#waiting.add(retry);
    return Effect.sync(() => this.#waiting.delete(retry));
  });

  request(session: Session, headers: Headers, body: string, done: (result: StreamResult) => void): Cancel {
    let stream: ClientHttp2Stream;
    try {
      stream = session.http2.request(headers);
    } catch {
      // The session has ended since it was found.
      this.#remove(session);
      done(new NotProcessed());
      return nothingToCancel;
    }
    session.streams += 1;
    const release = (): void => {
      session.streams -= 1;
      this.wake(1);
    };
    const cancel = readStream(stream, this.#origin.host, {
      responded: () => {
        session.unanswered = 0;
      },
      ended: (result) => {
        release();
        done(result);
      },
      canceled: () => {
        release();
        session.unanswered += 1;
      },
    });
    stream.end(body);
    return () => {
      cancel();
      if (session.unanswered < maxUnanswered) return;
      this.#remove(session);
      session.http2.destroy();
    };
  }

  destroy(): void {
    for (const { http2 } of this.#sessions) http2.destroy();
  }

  #remove(session: Session): void {
    session.isClosing = true;
    if (this.#sessions.delete(session)) this.wake(this.#waiting.size);
  }
}

/**
 * HTTP/2 streams to one server, on connections that are opened as needed and kept. Requests beyond the
 * server's limit wait. Plain `http` means HTTP/2 with prior knowledge.
 */
export const http2Streams = (
  origin: URL,
  addressesOf: (url: URL) => Effect.Effect<ReadonlyArray<HostAddress>, NotReached>,
): Effect.Effect<Http2Streams, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pool = new SessionPool(origin);
    yield* Effect.addFinalizer(() => Effect.sync(() => pool.destroy()));

    /** Waits for a connection with room for one more stream. */
    const available: Effect.Effect<Session, NotReached> = Effect.gen(function* () {
      while (true) {
        const session = pool.free();
        if (session !== undefined) return session;
        if (!pool.canOpen()) {
          yield* pool.wait;
          continue;
        }
        const addresses = yield* addressesOf(origin);
        if (pool.free() === undefined && pool.canOpen()) return pool.open(addresses);
      }
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => pool.wake(1))));

    return {
      begin: (headers, body, done) => {
        const session = pool.free();
        return session === undefined ? null : pool.request(session, headers, body, done);
      },
      exchange: (headers, body) =>
        Effect.flatMap(available, (session) =>
          Effect.callback<StreamResponse, NotReached | NotProcessed>((resume) =>
            Effect.sync(
              pool.request(session, headers, body, (result) =>
                resume("headers" in result ? Effect.succeed(result) : Effect.fail(result)),
              ),
            ),
          ),
        ),
    };
  });

import { Data, Effect, type Scope } from "effect";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type Settings,
} from "node:http2";
import type { HostAddress } from "../../../notifications/PublicHosts.ts";
import { NotReached, pinned } from "./PushConnections.ts";
import { type GiveUp, nothingToGiveUp } from "./PushTransport.ts";

/** What came back on one stream. */
export interface StreamAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The server has not looked at the request, so it can be sent again without doubt (RFC 9113, section 8.7). */
export class NotProcessed extends Data.TaggedError("NotProcessed") {}

/** Connections that one channel keeps at most, and streams on each, whatever the server allows. */
const mostSessions = 4;
const mostStreams = 1_000;
const idleMillis = 5 * 60_000;
/** So many streams in a row that were given up without an answer, and the connection counts as dead. */
const mostSilent = 3;

/** What came of one request. */
export type StreamResult = StreamAnswer | NotReached | NotProcessed;

/** Streams to one server. */
export interface Http2Streams {
  /** Sends a request at once where a connection has room, and tells what came of it; null where none has. `headers`: name, value, name, value… */
  readonly begin: (
    headers: ReadonlyArray<string>,
    body: string,
    done: (result: StreamResult) => void,
  ) => GiveUp | null;
  /** Sends a request as soon as a connection has room, and opens one where there may be more. */
  readonly exchange: (
    headers: ReadonlyArray<string>,
    body: string,
  ) => Effect.Effect<StreamAnswer, NotReached | NotProcessed>;
}

interface Session {
  readonly http2: ClientHttp2Session;
  streams: number;
  /** What the server allows at once; one until it has said so. */
  limit: number;
  isReady: boolean;
  /** Takes no new streams: it is closing, or the server asked to leave. */
  isLeaving: boolean;
  silent: number;
}

/**
 * Streams to one server over HTTP/2, on connections that are opened as they are needed and kept. More requests than the server allows at
 * once wait their turn. Plain `http` is HTTP/2 with prior knowledge.
 */
export const http2Streams = (
  origin: URL,
  addressesOf: (url: URL) => Effect.Effect<ReadonlyArray<HostAddress>, NotReached>,
): Effect.Effect<Http2Streams, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sessions = new Set<Session>();
    const waiting = new Set<() => void>();

    const free = (): Session | undefined => {
      for (const session of sessions)
        if (!session.isLeaving && session.streams < session.limit) return session;
      return undefined;
    };
    const mayOpen = (): boolean =>
      sessions.size < mostSessions && [...sessions].every(({ isReady }) => isReady);
    /** Lets so many of those who wait look again. */
    const next = (count: number): void => {
      let left = count;
      for (const turn of waiting) {
        if (left-- <= 0) return;
        waiting.delete(turn);
        turn();
      }
    };
    const forget = (session: Session): void => {
      session.isLeaving = true;
      if (sessions.delete(session)) next(waiting.size);
    };

    const open = (addresses: ReadonlyArray<HostAddress>): Session => {
      const http2 = connect(origin.origin, { lookup: pinned(addresses), settings: { enablePush: false } });
      const session: Session = { http2, streams: 0, limit: 1, isReady: false, isLeaving: false, silent: 0 };
      sessions.add(session);
      http2.on("remoteSettings", ({ maxConcurrentStreams: most = mostStreams }: Settings) => {
        session.limit = Math.max(1, Math.min(most, mostStreams));
        session.isReady = true;
        next(waiting.size);
      });
      // What runs goes on where the server lets it; nothing new begins here.
      http2.on("goaway", () => forget(session));
      http2.on("error", () => forget(session));
      http2.on("close", () => forget(session));
      http2.setTimeout(idleMillis, () => http2.close());
      http2.unref();
      return session;
    };

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const { http2 } of sessions) http2.destroy();
      }),
    );

    const turn = Effect.callback<void>((resume) => {
      const go = (): void => resume(Effect.void);
      waiting.add(go);
      return Effect.sync(() => waiting.delete(go));
    });

    /** Waits for a connection with room for one more stream. */
    const room: Effect.Effect<Session, NotReached> = Effect.gen(function* () {
      while (true) {
        const session = free();
        if (session !== undefined) return session;
        if (!mayOpen()) {
          yield* turn;
          continue;
        }
        const addresses = yield* addressesOf(origin);
        if (free() === undefined && mayOpen()) return open(addresses);
      }
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => next(1))));

    const request = (
      session: Session,
      headers: ReadonlyArray<string>,
      body: string,
      done: (result: StreamResult) => void,
    ): GiveUp => {
      session.streams += 1;
      let isOver = false;
      const over = (): boolean => {
        if (isOver) return false;
        isOver = true;
        session.streams -= 1;
        if (waiting.size > 0) next(1);
        return true;
      };
      const tell = (result: StreamResult): void => {
        if (over()) done(result);
      };
      const lost = (code: string): void =>
        tell(new NotReached({ host: origin.host, code, isForGood: false }));
      let stream: ClientHttp2Stream;
      try {
        stream = session.http2.request(headers);
      } catch {
        // The session ended between the look at it and now.
        forget(session);
        tell(new NotProcessed());
        return nothingToGiveUp;
      }
      let answered: IncomingHttpHeaders | undefined;
      let text = "";
      stream.on("response", (received) => {
        answered = received;
        session.silent = 0;
        if (received[":status"] === 200) {
          stream.resume();
          return;
        }
        stream.setEncoding("utf8");
        stream.on("data", (chunk: string) => {
          if (text.length < 4_096) text += chunk;
        });
      });
      stream.on("error", (error: NodeJS.ErrnoException) => {
        if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) tell(new NotProcessed());
        else if (stream.id === undefined) tell(new NotProcessed());
        else lost(error.code ?? "the connection was lost");
      });
      stream.on("close", () => {
        if (answered !== undefined) tell({ headers: answered, text });
        else if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) tell(new NotProcessed());
        else lost("the stream was closed");
      });
      stream.end(body);
      return () => {
        if (!over()) return;
        session.silent += 1;
        stream.close(constants.NGHTTP2_CANCEL);
        if (session.silent >= mostSilent) {
          forget(session);
          session.http2.destroy();
        }
      };
    };

    const begin: Http2Streams["begin"] = (headers, body, done) => {
      const session = free();
      return session === undefined ? null : request(session, headers, body, done);
    };

    return {
      begin,
      exchange: (headers, body) =>
        Effect.flatMap(room, (session) =>
          Effect.callback<StreamAnswer, NotReached | NotProcessed>((resume) =>
            Effect.sync(
              request(session, headers, body, (result) =>
                resume("headers" in result ? Effect.succeed(result) : Effect.fail(result)),
              ),
            ),
          ),
        ),
    };
  });

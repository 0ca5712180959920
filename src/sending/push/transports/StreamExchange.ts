import { Data } from "effect";
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import { NotReached } from "../../../outgoing/HttpExchange.ts";
import type { Cancel } from "./PushTransport.ts";

const maxText = 4_096;

/** The response on a stream. */
export interface StreamResponse {
  readonly headers: IncomingHttpHeaders;
  /** The body, empty for status 200. */
  readonly text: string;
}

/** The server did not process the request, so it can safely be sent again (RFC 9113, section 8.7). */
export class NotProcessed extends Data.TaggedError("NotProcessed") {}

/** The result of a request on a stream. */
export type StreamResult = StreamResponse | NotReached | NotProcessed;

/** Observes one stream for its session. */
export interface StreamObserver {
  /** Response headers have arrived. */
  readonly responded: () => void;
  /** The stream has its result. */
  readonly ended: (result: StreamResult) => void;
  /** The request was canceled without a result. */
  readonly canceled: () => void;
}

/** Reads the response of a stream and reports the result once. Returns the way to cancel the request. */
export const readStream = (stream: ClientHttp2Stream, host: string, observer: StreamObserver): Cancel => {
  let isOver = false;
  let response: { readonly headers: IncomingHttpHeaders; text: string } | null = null;

  const end = (result: StreamResult): void => {
    if (isOver) return;
    isOver = true;
    observer.ended(result);
  };
  const fail = (isUnprocessed: boolean, code: string): void =>
    end(isUnprocessed ? new NotProcessed() : new NotReached({ host, code, detail: code }));
  const isRefused = () => stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;

  stream.on("response", (headers) => {
    const received = { headers, text: "" };
    response = received;
    observer.responded();
    if (headers[":status"] === 200) {
      stream.resume();
      return;
    }
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      if (received.text.length < maxText) received.text += chunk;
    });
  });
  stream.on("error", (error: NodeJS.ErrnoException) =>
    fail(isRefused() || stream.id === undefined, error.code ?? "the connection was lost"),
  );
  stream.on("close", () => {
    if (response === null) fail(isRefused(), "the stream was closed");
    else end(response);
  });

  return () => {
    if (isOver) return;
    isOver = true;
    observer.canceled();
    stream.close(constants.NGHTTP2_CANCEL);
  };
};

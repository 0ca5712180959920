import { HttpServerResponse, type HttpServerRequest } from "effect/http";
import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** A name or an address with a port, or nothing. A comma would be a list that a proxy has joined. */
const validHost = /^(?:\[[\w:.%-]+\]|[\w.~%!$&'()*+;=-]*)(?::\d*)?$/;

/** The response to a request whose end or whose host a proxy may see elsewhere: nothing follows it. */
const refusal = (status: 400 | 501, code: string, message: string) =>
  HttpServerResponse.jsonUnsafe({ error: { code, message } }, { status, headers: { connection: "close" } });

const badHost = refusal(400, "bad_request", "A request has one Host header, with a name and perhaps a port.");
const badCoding = refusal(
  501,
  "not_implemented",
  "The only transfer coding is chunked: send a body with Content-Length, or chunked by HTTP/1.1.",
);

const refusedSockets = new WeakMap<Socket, HttpServerResponse.HttpServerResponse>();

const problemOf = ({ headers, httpVersionMajor, httpVersionMinor, rawHeaders }: IncomingMessage) => {
  const coding = headers["transfer-encoding"]?.toLowerCase() ?? null;
  if (coding !== null && (coding !== "chunked" || httpVersionMajor + httpVersionMinor < 2)) return badCoding;
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name));
  return hosts.length > 1 || !validHost.test(headers.host ?? "") ? badHost : null;
};

/**
 * The response to a request that is not to be read any further, and to all that follow it on its connection;
 * null for any other. Node's parser has refused what else could hide a request in another one: lengths that
 * differ or stand beside a coding, folded lines, and chunks that are not exact.
 */
export const framingRefusal = ({ source }: HttpServerRequest.HttpServerRequest) => {
  if (!(source instanceof IncomingMessage)) return null;
  const problem = refusedSockets.get(source.socket) ?? problemOf(source);
  if (problem !== null) refusedSockets.set(source.socket, problem);
  return problem;
};

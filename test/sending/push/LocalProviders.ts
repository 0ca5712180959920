import { Effect } from "effect";
import { createServer as createHttp2, type Http2Session, type ServerHttp2Stream } from "node:http2";
import { listening, readAll } from "../../Listening.ts";
import { apnsCredentials, p256Key } from "./PushKeys.ts";
import { isSigned, type LocalService, localFcm, localWebPush, makeLedger, part } from "./PushServers.ts";

/** A local APNs: HTTP/2 with prior knowledge. It processes streams in order. */
export const localApnsWith = (settings: { readonly maxConcurrentStreams?: number } = {}) =>
  Effect.gen(function* () {
    const book = makeLedger();
    const tokens: Array<string> = [];
    let opened = 0;
    /** By connection: the highest processed stream, and the last that will be answered. */
    const highest = new Map<Http2Session, number>();
    const leaving = new Map<Http2Session, number>();
    const handle = async (stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>) => {
      const { session } = stream;
      if (session === undefined) return;
      const body = await readAll(stream);
      const token = String(headers["authorization"]).replace("bearer ", "");
      if (!tokens.includes(token)) {
        tokens.push(token);
        book.expect(isSigned(token, p256Key), "signature");
        book.expect(part(token, 0).alg === "ES256" && part(token, 0).kid === "F6G7H8J9K0", "header");
        book.expect(part(token, 1).iss === "A1B2C3D4E5" && part(token, 1).iat > 0, "claims");
      }
      const { aps, waypost } = JSON.parse(body.toString());
      book.expect(headers["apns-topic"] === "com.example.shop", "topic");
      const type = aps["content-available"] === 1 ? "background" : "alert";
      book.expect(headers["apns-push-type"] === type, "push type");
      book.expect(/^(5|10)$/.test(String(headers["apns-priority"])), "priority");
      book.expect(headers["apns-id"] === waypost.id, "apns-id");
      const id = stream.id ?? 0;
      if (id > (leaving.get(session) ?? Infinity)) return;
      highest.set(session, Math.max(id, highest.get(session) ?? 0));
      const entry = {
        id: String(headers["apns-id"]),
        to: String(headers[":path"]).replace("/3/device/", ""),
        headers,
        payload: waypost,
        shown: aps,
        body: JSON.parse(body.toString()),
        bytes: body.length,
      };
      const behaviour = await book.enter(entry);
      const answer = (status: number, reason: string | null, more: object = {}) => {
        stream.respond({ ":status": status, "apns-id": String(headers["apns-id"]), ...more });
        stream.end(reason === null ? "" : JSON.stringify({ reason }));
      };
      if (behaviour === "hang") return;
      if (behaviour === "accept") return answer(200, null);
      if (behaviour === "gone") return answer(410, "Unregistered");
      if (behaviour === "unauthorized") return answer(403, "InvalidProviderToken");
      if (behaviour === "reset") {
        session.socket.resetAndDestroy();
        return;
      }
      if (behaviour === "goaway") {
        // Ledger entries count as processed; this one only if later ones have arrived already.
        const isLast = id === highest.get(session);
        const last = isLast ? id - 2 : (highest.get(session) ?? id);
        leaving.set(session, last);
        if (isLast) book.ledger.splice(book.ledger.indexOf(entry), 1);
        session.goaway(0, last);
        if (!isLast) answer(200, null);
        return;
      }
      const { echo, retryAfter, status } = behaviour;
      const said = `${token} ${String(headers[":path"])}`;
      if (echo === true) return answer(status, said, { "retry-after": said, "x-echo": said });
      return answer(status, "Scripted", retryAfter === undefined ? {} : { "retry-after": retryAfter });
    };
    const server = createHttp2({ settings });
    server.on("session", (session) => {
      opened += 1;
      session.on("error", () => {});
    });
    server.on("stream", (stream, headers) => {
      stream.on("error", () => {});
      handle(stream, headers).catch(() => {
        if (!stream.destroyed) stream.close(2);
      });
    });
    const { port } = yield* listening(server);
    const origin = `http://127.0.0.1:${port}`;
    const service: LocalService = {
      ...book,
      transport: "apns",
      credentials: apnsCredentials({ base_url: origin }),
      address: (name) => Promise.resolve({ transport: "apns", token: name }),
      tokens,
      refuseTokens: () => {},
      sessions: () => opened,
    };
    return service;
  });

/** All local providers by transport. */
export const localServices = { fcm: localFcm, apns: localApnsWith(), webpush: localWebPush };

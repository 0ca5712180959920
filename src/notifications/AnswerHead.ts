import { Data, Effect } from "effect";
import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { LookupFunction } from "node:net";
import type { HostAddress } from "./PublicHosts.ts";

/** The head of an answer; nothing after it is read. */
export interface AnswerHead {
  readonly status: number;
  /** The `Location` header as it was sent. */
  readonly location: string | undefined;
}

/** There was no answer; `code` is the system's or TLS's name for the reason, where it has one. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly code: string | undefined }> {}

const pinned =
  (addresses: ReadonlyArray<HostAddress>): LookupFunction =>
  (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
  };

/**
 * Asks a URL of http or https at one of the given addresses and at no other, on a connection of its own, and hangs up as soon
 * as the head of the answer is there. Waits as long as it takes: interrupt it to give up.
 */
export const answerHead = (
  url: URL,
  method: "HEAD" | "GET",
  addresses: ReadonlyArray<HostAddress>,
): Effect.Effect<AnswerHead, NoAnswer> =>
  Effect.callback((resume) => {
    const target = new URL(url);
    // What a person put before the @ is for the one who presses the button.
    target.username = "";
    target.password = "";
    const request = target.protocol === "https:" ? requestSecure : requestPlain;
    const outgoing = request(target, {
      method,
      // A pooled connection could be one to an address that was good for another check.
      agent: false,
      lookup: pinned(addresses),
      maxHeaderSize: 65_536,
      headers: { accept: "*/*", "user-agent": "Waypost (link check)" },
    });
    outgoing.on("response", (response) => {
      response.on("error", () => {});
      resume(Effect.succeed({ status: response.statusCode ?? 0, location: response.headers.location }));
      outgoing.destroy();
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      resume(Effect.fail(new NoAnswer({ code: error.code })));
    });
    outgoing.end();
    return Effect.sync(() => outgoing.destroy());
  });

import { Data, Effect } from "effect";
import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { type HostAddress, pinned } from "./PublicHosts.ts";

/** The parts of a response head that a link check reads. */
export interface ResponseHead {
  readonly status: number;
  /** The `Location` header as it was received. */
  readonly location: string | undefined;
}

/** There was no response: no connection, or none by TLS. */
class NoResponse extends Data.TaggedError("NoResponse") {}

/**
 * Requests an http or https URL at one of the given addresses only, on a connection of its own, and closes it
 * once the response head has arrived. It has no timeout: interrupt it.
 */
export const requestHead = (
  url: URL,
  method: "HEAD" | "GET",
  addresses: ReadonlyArray<HostAddress>,
): Effect.Effect<ResponseHead, NoResponse> =>
  Effect.callback((resume) => {
    const target = new URL(url);
    // Credentials in the address are for the people who open it.
    target.username = "";
    target.password = "";
    const request = target.protocol === "https:" ? requestSecure : requestPlain;
    const outgoing = request(target, {
      method,
      // A pooled connection could lead to an address that another check accepted.
      agent: false,
      lookup: pinned(() => addresses),
      maxHeaderSize: 65_536,
      headers: { accept: "*/*", "user-agent": "Waypost (link check)" },
    });
    outgoing.on("response", (response) => {
      response.on("error", () => {});
      resume(Effect.succeed({ status: response.statusCode ?? 0, location: response.headers.location }));
      outgoing.destroy();
    });
    outgoing.on("error", () => {
      resume(Effect.fail(new NoResponse()));
    });
    outgoing.end();
    return Effect.sync(() => outgoing.destroy());
  });

/** Whether somebody answers at an address, found out without asking for anything. */
import { Effect } from "effect";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectSecure, type TLSSocket } from "node:tls";

/** What was learned; `reason` is the system's or TLS's word. `expires` is the end of the certificate in epoch milliseconds. */
export type Reached =
  | { readonly is: "reached"; readonly expires: number | null }
  | { readonly is: "away"; readonly reason: string };

const attemptTimeoutMillis = 5_000;

/** Connects to the host and port of an http or https address (with TLS there), and closes again: nothing is sent over it. */
export const reach = (url: URL): Effect.Effect<Reached> =>
  Effect.callback<Reached>((resume) => {
    const isSecure = url.protocol === "https:";
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
    let socket: Socket | TLSSocket;
    const end = (reached: Reached): void => {
      clearTimeout(timer);
      socket?.destroy();
      resume(Effect.succeed(reached));
    };
    const timer = setTimeout(
      () => end({ is: "away", reason: `no answer within ${attemptTimeoutMillis / 1000} seconds` }),
      attemptTimeoutMillis,
    );
    const failed = (error: NodeJS.ErrnoException): void =>
      end({ is: "away", reason: error.code ?? error.message });
    if (isSecure) {
      const secure = connectSecure({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) }, () => {
        const until = Date.parse(secure.getPeerCertificate().valid_to);
        end({ is: "reached", expires: Number.isNaN(until) ? null : until });
      });
      socket = secure;
    } else socket = connectPlain({ host, port }, () => end({ is: "reached", expires: null }));
    socket.on("error", failed);
    return Effect.sync(() => {
      clearTimeout(timer);
      socket.destroy();
    });
  });

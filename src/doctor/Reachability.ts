import { Effect } from "effect";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectSecure, type TLSSocket } from "node:tls";

/** Whether a connection to an address was made. */
export type Reachability =
  | {
      readonly _tag: "Reachable";
      /** When the certificate expires, in epoch milliseconds; null without TLS. */
      readonly expiresAt: number | null;
    }
  | {
      readonly _tag: "Unreachable";
      /** The error code of the system or of TLS, or a short text. */
      readonly reason: string;
    };

const timeoutMillis = 5_000;

/** Connects to the host of an http or https address (with TLS for https) and disconnects. It sends no request. */
export const checkReachability = (url: URL): Effect.Effect<Reachability> =>
  Effect.callback<Reachability>((resume) => {
    const isSecure = url.protocol === "https:";
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
    let socket: Socket | TLSSocket;
    const finish = (result: Reachability): void => {
      clearTimeout(timer);
      socket?.destroy();
      resume(Effect.succeed(result));
    };
    const timer = setTimeout(
      () => finish({ _tag: "Unreachable", reason: `no response within ${timeoutMillis / 1000} seconds` }),
      timeoutMillis,
    );
    if (isSecure) {
      const secure = connectSecure({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) }, () => {
        const expiresAt = Date.parse(secure.getPeerCertificate().valid_to);
        finish({ _tag: "Reachable", expiresAt: Number.isNaN(expiresAt) ? null : expiresAt });
      });
      socket = secure;
    } else socket = connectPlain({ host, port }, () => finish({ _tag: "Reachable", expiresAt: null }));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      finish({ _tag: "Unreachable", reason: error.code ?? error.message }),
    );
    return Effect.sync(() => {
      clearTimeout(timer);
      socket.destroy();
    });
  });

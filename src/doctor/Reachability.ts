import { Effect } from "effect";
import { connect as connectPlain, isIP } from "node:net";
import { connect as connectSecure, TLSSocket } from "node:tls";

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

const timeoutSeconds = 5;

/** Connects to the host of an http or https address and disconnects. It sends no request. */
export const checkReachability = (url: URL): Effect.Effect<Reachability> =>
  Effect.callback<Reachability>((resume) => {
    const isSecure = url.protocol === "https:";
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
    const socket = isSecure
      ? connectSecure({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) })
      : connectPlain({ host, port });
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      const certificate = socket instanceof TLSSocket ? socket.getPeerCertificate().valid_to : "";
      const expiresAt = Date.parse(certificate);
      resume(Effect.succeed({ _tag: "Reachable", expiresAt: Number.isNaN(expiresAt) ? null : expiresAt }));
      socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.succeed({ _tag: "Unreachable", reason: error.code ?? error.message })),
    );
    return Effect.sync(() => socket.destroy());
  }).pipe(
    Effect.timeoutOrElse({
      duration: `${timeoutSeconds} seconds`,
      orElse: () =>
        Effect.succeed<Reachability>({
          _tag: "Unreachable",
          reason: `no response within ${timeoutSeconds} seconds`,
        }),
    }),
  );

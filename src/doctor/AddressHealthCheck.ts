import { Clock, Effect } from "effect";
import type { Settings } from "../config/Settings.ts";
import { runCheck, fine, type Observation, problem, spanOf, warning } from "./HealthCheck.ts";
import { reach, type Reached } from "./Reachability.ts";

const soon = 14 * 86_400_000;

/** What became of a look at an address, in words that follow its name. */
export const checkReached = (name: string, reached: Reached, now: number, advice: string): Observation => {
  if (reached.is === "away") {
    const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(reached.reason);
    return problem(
      isCertificate
        ? `The certificate of ${name} is not good (${reached.reason}).`
        : `${name} cannot be reached (${reached.reason}).`,
      isCertificate ? "Renew it, and see that it is for this name and sent with its intermediates." : advice,
    );
  }
  return reached.expires !== null && reached.expires - now < soon
    ? warning(
        `${name} answers, and its certificate ends in ${spanOf(reached.expires - now)}.`,
        "See that it is renewed.",
      )
    : fine(`${name} answers.`);
};

/** The public addresses and the receiver of traces, as far as they are set: whether somebody answers there. */
export const addressHealthCheck = (config: Settings["Service"]) =>
  Effect.forEach(
    [
      ["WAYPOST_PRODUCTION_URL", config.productionUrl],
      ["WAYPOST_SANDBOX_URL", config.sandboxUrl],
      ["WAYPOST_MEDIA_URL", config.mediaUrl],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", config.otlpEndpoint],
    ] as const,
    ([name, address]) =>
      address === undefined
        ? Effect.succeed([])
        : runCheck(
            "server",
            name,
            Effect.gen(function* () {
              const reached = yield* reach(new URL(address));
              const seen = checkReached(
                `${name} (${new URL(address).host})`,
                reached,
                yield* Clock.currentTimeMillis,
                "See that the name resolves here, that the proxy runs, and that no firewall is in between.",
              );
              // A machine that cannot reach its own public address may serve it all the same.
              return seen.verdict === "problem" && name !== "OTEL_EXPORTER_OTLP_ENDPOINT"
                ? warning(seen.seen, `${seen.advice} Seen from here: others may reach it.`)
                : seen;
            }),
          ),
    { concurrency: 4 },
  ).pipe(Effect.map((findings) => findings.flat()));

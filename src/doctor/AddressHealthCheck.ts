import { Clock, Effect } from "effect";
import type { SettingsService } from "../config/Settings.ts";
import { settingsTable } from "../config/SettingsTable.ts";
import { formatSpan, ok, type Outcome, problem, runCheck, warning } from "./HealthCheck.ts";
import { checkReachability, type Reachability } from "./Reachability.ts";

const expiryWarningMillis = 14 * 86_400_000;

/** The outcome of a connection to `name`. `advice` applies if the address is unreachable. */
export const reachabilityOutcome = (
  name: string,
  reachability: Reachability,
  now: number,
  advice: string,
): Outcome => {
  if (reachability._tag === "Unreachable") {
    const { reason } = reachability;
    return /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(reason)
      ? problem(
          `The certificate of ${name} is not valid (${reason}).`,
          "Renew it. Make sure that it is for this name and is sent with its intermediate certificates.",
        )
      : problem(`${name} cannot be reached (${reason}).`, advice);
  }
  const { expiresAt } = reachability;
  return expiresAt !== null && expiresAt - now < expiryWarningMillis
    ? warning(
        `${name} can be reached, and its certificate expires in ${formatSpan(expiresAt - now)}.`,
        "Make sure that it is renewed.",
      )
    : ok(`${name} can be reached.`);
};

const checkAddress = Effect.fnUntraced(function* (setting: string, address: string) {
  const outcome = reachabilityOutcome(
    `${setting} (${new URL(address).host})`,
    yield* checkReachability(new URL(address)),
    yield* Clock.currentTimeMillis,
    "Check that the name resolves on this machine, that the proxy runs, and that no firewall is in between.",
  );
  // A machine may serve a public address that it cannot reach itself.
  return outcome.verdict === "problem" && setting !== settingsTable.otlpEndpoint.name
    ? warning(outcome.observation, `${outcome.advice} Other machines may still reach it.`)
    : outcome;
});

/** Checks that the public addresses and the OTLP receiver of the settings can be reached. */
export const addressHealthCheck = (settings: SettingsService) =>
  Effect.forEach(
    ["productionUrl", "sandboxUrl", "mediaUrl", "otlpEndpoint"] as const,
    (property) => {
      const { name } = settingsTable[property];
      const address = settings[property];
      return address === undefined
        ? Effect.succeed([])
        : runCheck("server", name, checkAddress(name, address));
    },
    { concurrency: 4 },
  ).pipe(Effect.map((findings) => findings.flat()));

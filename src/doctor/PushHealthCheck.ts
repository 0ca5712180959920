import { Clock, Effect, type Redacted, Result } from "effect";
import { PublicHosts } from "../notifications/PublicHosts.ts";
import { type AuditedCredentials, auditCredentials } from "../sending/push/CredentialAudit.ts";
import { checkReached } from "./AddressHealthCheck.ts";
import { runCheck, fine, type Observation, problem } from "./HealthCheck.ts";
import { reach } from "./Reachability.ts";
import { counted } from "../wire/Text.ts";

const mostNamed = 20;

/** Whether stored credentials can be used, each bad one named. */
const checkCredentials = (all: ReadonlyArray<AuditedCredentials>): ReadonlyArray<Observation> => {
  const bad = all.filter(({ is }) => is !== "good");
  if (bad.length === 0) {
    return [
      fine(
        all.length === 0
          ? "No environment has push credentials: messages wait in the inbox of each device."
          : `${counted(all.length, "set")} of push credentials can be opened.`,
      ),
    ];
  }
  const named = bad
    .slice(0, mostNamed)
    .map(({ environment, is, transport, workspace }) =>
      problem(
        is === "sealed"
          ? `The ${transport} credentials of ${workspace} (${environment}) do not open with this secret key.`
          : `The ${transport} credentials of ${workspace} (${environment}) hold no private key.`,
        "Set them anew (docs/operating.md, Push services), or put the right secret key back.",
      ),
    );
  const more = bad.length - named.length;
  return more === 0
    ? named
    : [...named, problem(`So are ${counted(more, "more set")} of push credentials.`, "See above.")];
};

/** Where a push service is: whether its name resolves to an address that may be used, and somebody answers there. */
const service = (address: string) =>
  Effect.gen(function* () {
    const url = new URL(address);
    const hosts = yield* PublicHosts;
    const addresses = yield* Effect.result(hosts.addressesOf(url.hostname.replace(/^\[(.*)\]$/, "$1")));
    if (Result.isFailure(addresses)) {
      return addresses.failure._tag === "HostUnknown"
        ? problem(
            `${url.host} has no address: its name does not resolve here.`,
            "Look at the DNS of this machine.",
          )
        : problem(
            `${url.host} is not on the public internet, so nothing is sent there.`,
            "Set the credentials with the right base_url; in a test set WAYPOST_ALLOW_PRIVATE_ADDRESSES.",
          );
    }
    return checkReached(
      url.host,
      yield* reach(url),
      yield* Clock.currentTimeMillis,
      "See that no firewall keeps this machine from it, and look at the service's status page.",
    );
  });

/** The stored push credentials, and the services that they are for. Nothing is sent to those. */
export const pushHealthCheck = (secretKey: Redacted.Redacted | null) =>
  Effect.gen(function* () {
    if (secretKey === null) return [];
    const audit = yield* Effect.cached(auditCredentials(secretKey));
    const opened = yield* runCheck(
      "push services",
      "credentials",
      Effect.map(audit, checkCredentials),
      "30 seconds",
    );
    // What cannot be read was told in the line before.
    const all = yield* Effect.timeoutOption(
      Effect.catchCause(audit, () => Effect.succeed([])),
      "30 seconds",
    );
    const known = all._tag === "Some" ? all.value : [];
    const addresses = [...new Set(known.flatMap((each) => each.addresses))].slice(0, mostNamed);
    const answered = yield* Effect.forEach(
      addresses,
      (address) => runCheck("push services", new URL(address).host, service(address)),
      { concurrency: 4 },
    );
    return [...opened, ...answered.flat()];
  }).pipe(Effect.provide(PublicHosts.layer));

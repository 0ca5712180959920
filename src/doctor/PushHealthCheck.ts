import { Clock, Effect, type Redacted, Result } from "effect";
import { hostOf } from "../outgoing/OutgoingUrls.ts";
import { PublicHosts } from "../outgoing/PublicHosts.ts";
import { type AuditedCredentials, auditCredentials } from "../sending/credentials/CredentialAudit.ts";
import { counted } from "../wire/Text.ts";
import { reachabilityOutcome } from "./AddressHealthCheck.ts";
import { ok, type Outcome, problem, runCheck } from "./HealthCheck.ts";
import { checkReachability } from "./Reachability.ts";

const maxNamed = 20;
const timeout = "30 seconds";

/** Checks that stored credentials can be used. Each bad one is named, up to a limit. */
const credentialOutcomes = (audited: ReadonlyArray<AuditedCredentials>): ReadonlyArray<Outcome> => {
  if (audited.length === 0)
    return [ok("No environment has push credentials: messages are delivered to inboxes only.")];
  const unusable = audited.filter(({ is }) => is !== "good");
  if (unusable.length === 0)
    return [ok(`${counted(audited.length, "set")} of push credentials can be decrypted.`)];
  const named = unusable.slice(0, maxNamed).map(({ environment, is, transport, workspace }) => {
    const name = `The ${transport} credentials of ${workspace} (${environment})`;
    return problem(
      is === "sealed" ? `${name} cannot be decrypted with this secret key.` : `${name} hold no private key.`,
      "Set them again (docs/operating.md, Push services), or restore the right secret key.",
    );
  });
  const unnamed = unusable.length - named.length;
  return unnamed === 0
    ? named
    : [
        ...named,
        problem(
          `${counted(unnamed, "more set")} of push credentials cannot be used.`,
          "See the findings before this one.",
        ),
      ];
};

/** Checks that the host of a push service resolves to an address that Waypost may use, and can be reached. */
const checkService = Effect.fnUntraced(function* (address: string) {
  const url = new URL(address);
  const hosts = yield* PublicHosts;
  const addresses = yield* Effect.result(hosts.addressesOf(hostOf(url)));
  if (Result.isFailure(addresses)) {
    return addresses.failure._tag === "HostUnknown"
      ? problem(`The name ${url.host} does not resolve on this machine.`, "Check the DNS of this machine.")
      : problem(
          `${url.host} is not on the public internet, so nothing is sent there.`,
          "Set the credentials with the right base_url. For tests, set WAYPOST_ALLOW_PRIVATE_ADDRESSES.",
        );
  }
  return reachabilityOutcome(
    url.host,
    yield* checkReachability(url),
    yield* Clock.currentTimeMillis,
    "Check the firewall of this machine, and the status page of the service.",
  );
});

/** Checks the stored push credentials and their push services. Nothing is sent to the services. */
export const pushHealthCheck = (secretKey: Redacted.Redacted | null) =>
  Effect.gen(function* () {
    if (secretKey === null) return [];
    const audit = yield* Effect.cached(auditCredentials(secretKey));
    const credentials = yield* runCheck(
      "push services",
      "credentials",
      Effect.map(audit, credentialOutcomes),
      timeout,
    );
    // The finding before this one has reported a failure.
    const audited = yield* Effect.timeoutOption(
      Effect.catchCause(audit, () => Effect.succeed([])),
      timeout,
    );
    const known = audited._tag === "Some" ? audited.value : [];
    const addresses = [...new Set(known.flatMap((each) => each.addresses))].slice(0, maxNamed);
    const services = yield* Effect.forEach(
      addresses,
      (address) => runCheck("push services", new URL(address).host, checkService(address)),
      { concurrency: 4 },
    );
    return [...credentials, ...services.flat()];
  }).pipe(Effect.provide(PublicHosts.layer));

import { Redacted } from "effect";
import { isIP } from "node:net";
import type { Settings, SettingsRecord } from "../config/Settings.ts";
import { type Observation, problem, warning } from "./HealthCheck.ts";

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

const shortestKey = 24;

/** Settings that contradict each other, or are rarely meant so. */
export const contradictions = (
  config: Settings["Service"],
  record: SettingsRecord,
): ReadonlyArray<Observation> => {
  const found: Array<Observation> = [];
  const { mediaUrl, operatorKey, productionUrl, sandboxUrl, secretKey } = config;
  const addresses = Object.entries({
    WAYPOST_PRODUCTION_URL: productionUrl,
    WAYPOST_SANDBOX_URL: sandboxUrl,
    WAYPOST_MEDIA_URL: mediaUrl,
  });
  const missing = addresses.filter(([, url]) => url === undefined).map(([name]) => name);
  const serves = config.roles.has("api");
  if (serves && !isLoopback(config.host) && missing.length > 0) {
    found.push(
      warning(
        `Waypost listens on ${config.host}, and ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not set: ` +
          "what it tells others as its address is the listen address.",
        "Set them to the addresses that apps and browsers use.",
      ),
    );
  }
  for (const [name, url] of addresses) {
    if (url?.startsWith("http:") === true && !isLoopback(new URL(url).hostname)) {
      found.push(
        warning(
          `${name} is not encrypted (http): tokens and messages can be read on the way.`,
          "Put a proxy with TLS in front, and set the address to https.",
        ),
      );
    }
  }
  const isBehindProxy = addresses.some(([, url]) => url?.startsWith("https:"));
  if (serves && isBehindProxy && (record["WAYPOST_TRUSTED_PROXIES"] ?? "").trim() === "") {
    found.push(
      warning(
        "The public addresses are https, so a proxy is in front, and WAYPOST_TRUSTED_PROXIES trusts none: " +
          "all clients seem to come from the proxy, and share one throttle of failed keys.",
        "Set WAYPOST_TRUSTED_PROXIES to the proxy's address.",
      ),
    );
  }
  if (config.allowPrivateAddresses && isBehindProxy) {
    found.push(
      warning(
        "WAYPOST_ALLOW_PRIVATE_ADDRESSES is on in an installation with public addresses: whoever holds a token can make " +
          "Waypost connect to machines of your own network.",
        "Remove it, unless this is a test.",
      ),
    );
  }
  for (const [name, key] of [
    ["WAYPOST_OPERATOR_KEY", operatorKey],
    ["WAYPOST_SECRET_KEY", secretKey],
  ] as const) {
    if (key !== undefined && Redacted.value(key).length < shortestKey) {
      found.push(
        problem(
          `${name} has only ${Redacted.value(key).length} characters: it can be guessed.`,
          "Set 32 random characters, such as `openssl rand -base64 24` gives." +
            (name === "WAYPOST_SECRET_KEY"
              ? " A new secret key ends cursors and makes stored push credentials unreadable: set those anew."
              : ""),
        ),
      );
    }
  }
  if (
    operatorKey !== undefined &&
    secretKey !== undefined &&
    Redacted.value(operatorKey) === Redacted.value(secretKey)
  ) {
    found.push(
      problem(
        "WAYPOST_OPERATOR_KEY and WAYPOST_SECRET_KEY are the same: who is given one has the other.",
        "Give the operator key a value of its own.",
      ),
    );
  }
  return found;
};

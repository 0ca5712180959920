import { Redacted } from "effect";
import { isIP } from "node:net";
import type { SettingsRecord, SettingsService } from "../config/Settings.ts";
import { settingsTable } from "../config/SettingsTable.ts";
import { type Outcome, problem, warning } from "./HealthCheck.ts";

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

const addressesOf = ({ mediaUrl, productionUrl, sandboxUrl }: SettingsService) =>
  Object.entries({
    WAYPOST_PRODUCTION_URL: productionUrl,
    WAYPOST_SANDBOX_URL: sandboxUrl,
    WAYPOST_MEDIA_URL: mediaUrl,
  });

const addressConflicts = (
  settings: SettingsService,
  record: SettingsRecord,
): ReadonlyArray<Outcome | false> => {
  const addresses = addressesOf(settings);
  const missing = addresses.filter(([, url]) => url === undefined).map(([name]) => name);
  const servesApi = settings.roles.has("api");
  const isBehindProxy = addresses.some(([, url]) => url?.startsWith("https:"));
  const trustsNoProxy = (record[settingsTable.trustedProxies.name] ?? "").trim() === "";
  return [
    servesApi &&
      !isLoopback(settings.host) &&
      missing.length > 0 &&
      warning(
        `Waypost listens on ${settings.host}, and ${missing.join(", ")} ` +
          `${missing.length === 1 ? "is" : "are"} not set: API responses contain the listen address.`,
        "Set them to the addresses that apps and browsers use.",
      ),
    ...addresses.map(
      ([name, url]) =>
        url?.startsWith("http:") === true &&
        !isLoopback(new URL(url).hostname) &&
        warning(
          `${name} is not encrypted (http): others can read tokens and messages in transit.`,
          "Put a proxy with TLS in front, and change the address to https.",
        ),
    ),
    servesApi &&
      isBehindProxy &&
      trustsNoProxy &&
      warning(
        "The public addresses are https, so there is a proxy in front, but WAYPOST_TRUSTED_PROXIES trusts " +
          "none: all clients appear to have the proxy's address and share one throttle of failed keys.",
        "Set WAYPOST_TRUSTED_PROXIES to the address of the proxy.",
      ),
    !servesApi &&
      settings.processes !== "auto" &&
      settings.processes > 1 &&
      warning(
        `WAYPOST_PROCESSES is ${settings.processes}, but without the role api there is one process.`,
        "Remove it, or add api to WAYPOST_ROLES.",
      ),
    settings.allowPrivateAddresses &&
      isBehindProxy &&
      warning(
        "WAYPOST_ALLOW_PRIVATE_ADDRESSES is on in an installation with public addresses: " +
          "anyone with a token can make Waypost connect to machines of your private network.",
        "Remove it, unless this is a test installation.",
      ),
  ];
};

const keyConflicts = ({ operatorKey, secretKey }: SettingsService): ReadonlyArray<Outcome | false> => {
  return [
    operatorKey !== undefined &&
      secretKey !== undefined &&
      Redacted.value(operatorKey) === Redacted.value(secretKey) &&
      problem(
        "WAYPOST_OPERATOR_KEY and WAYPOST_SECRET_KEY are the same: anyone who gets one has the other.",
        "Set the operator key to another value.",
      ),
  ];
};

/** Settings that conflict with each other, or are rarely intended. */
export const settingsConflicts = (
  settings: SettingsService,
  record: SettingsRecord,
): ReadonlyArray<Outcome> =>
  [...addressConflicts(settings, record), ...keyConflicts(settings)].filter((each) => each !== false);

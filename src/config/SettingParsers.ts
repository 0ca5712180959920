/** Parsers of settings: each turns a text into a value, or says what the text must be. */
import { type LogLevel, Redacted } from "effect";
import { BlockList, isIP } from "node:net";
import { resolve } from "node:path";
import { commaList } from "../wire/Text.ts";
import { webOrigin } from "../wire/WebOrigin.ts";
import { goodKey, isStrongKey } from "./KeyStrength.ts";

/** A text that a parser rejects. `expected` says what the text must be; it follows the words "must be". */
export class Invalid {
  readonly expected: string;
  constructor(expected: string) {
    this.expected = expected;
  }
}

/** The role of a process: `api` answers requests, `worker` runs background jobs. */
export type Role = "api" | "worker";

/** The peers whose `X-Forwarded-For` header is trusted. */
export interface TrustedProxies {
  /** Whether an address (IPv4, IPv6, or IPv4 mapped into IPv6) is trusted. */
  readonly trusts: (address: string) => boolean;
}

/** Trusts no peer: every `X-Forwarded-For` header is ignored. */
export const trustsNone: TrustedProxies = { trusts: () => false };

/** A TCP port. 0 makes the system pick a free one. */
export const parsePort = (text: string): number | Invalid =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? Number(text)
    : new Invalid("a whole number from 0 to 65535 (0 picks a free port)");

/** An address or host name to listen on. The brackets of an IPv6 address are removed. */
export const parseHost = (text: string): string | Invalid => {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  return isIP(bare) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(bare)
    ? bare
    : new Invalid("an IP address or a host name without a scheme or port, such as 0.0.0.0");
};

/** A path of the file system, made absolute. */
export const parsePath = (text: string): string | Invalid =>
  text.includes("\0") ? new Invalid("a path without NUL characters") : resolve(text);

/** A PostgreSQL URI. It is redacted, because it may hold a password. */
export const parseDatabaseUrl = (text: string): Redacted.Redacted | Invalid => {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "postgres:" || url.protocol === "postgresql:")
    ? Redacted.make(text)
    : new Invalid("a PostgreSQL address such as postgres://user:password@host:5432/database");
};

/** A key that another service issued: visible ASCII characters. */
export const parseKey = (text: string): Redacted.Redacted | Invalid =>
  /^[\x21-\x7e]+$/.test(text) ? Redacted.make(text) : new Invalid("visible ASCII characters without spaces");

/** A key of Waypost's own, which cannot be guessed. */
export const parseStrongKey = (text: string): Redacted.Redacted | Invalid =>
  isStrongKey(text) ? Redacted.make(text) : new Invalid(goodKey);

const httpUrl = (text: string): string | undefined => {
  const url = URL.parse(text);
  const isPlain =
    url !== null &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === "";
  return isPlain ? `${url.origin}${url.pathname.replace(/\/+$/, "")}` : undefined;
};

/** An http or https address, returned without a trailing slash. */
export const parseHttpUrl = (text: string): string | Invalid =>
  httpUrl(text) ?? new Invalid("an http or https address without user, query or fragment");

/** The base address of an environment, which ends in `/platform/v1` (contract A1). */
export const parsePlatformUrl = (text: string): string | Invalid => {
  const url = httpUrl(text);
  return url !== undefined && url.endsWith("/platform/v1")
    ? url
    : new Invalid(
        "an http or https address that ends in /platform/v1, such as https://push.example.com/platform/v1",
      );
};

const ownPaths = /^\/(?:platform|sandbox|device|operator|console|docs|openapi|health|metrics|sdk)(?:\/|$)/;

/** The base address of media files. Its path must not be one that another interface serves. */
export const parseMediaUrl = (text: string): string | Invalid => {
  const url = httpUrl(text);
  return url !== undefined && !ownPaths.test(new URL(url).pathname)
    ? url
    : new Invalid(
        "an http or https address without query, whose path is not one of Waypost's own, " +
          "such as https://push.example.com/media",
      );
};

/** A MapLibre style, or an archive of tiles: `pmtiles://https://…` or an address that ends in `.pmtiles`. */
export const parseMapStyleUrl = (text: string): string | Invalid => {
  const url = httpUrl(text.replace(/^pmtiles:\/\//, ""));
  if (url === undefined)
    return new Invalid("the address of a MapLibre style or of a .pmtiles file, without query or fragment");
  return text.startsWith("pmtiles://") || url.endsWith(".pmtiles") ? `pmtiles://${url}` : url;
};

/** A media store: a bucket and a prefix in it. The empty bucket stands for the disk. */
export const parseMediaStore = (
  text: string,
): { readonly bucket: string; readonly prefix: string } | Invalid => {
  if (text === "disk") return { bucket: "", prefix: "" };
  const [, bucket, path] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(text) ?? [];
  const prefix = (path ?? "").replace(/^\/+|\/+$/g, "");
  const climbs = prefix.split("/").some((segment) => segment === "." || segment === "..");
  return bucket === undefined || climbs
    ? new Invalid("disk, or s3://bucket/prefix (the prefix of letters, digits, _, -, . and /)")
    : { bucket, prefix };
};

/** A region as AWS names them. Stores without regions accept any. */
export const parseRegion = (text: string): string | Invalid =>
  /^[a-z0-9-]{1,40}$/.test(text) ? text : new Invalid("the name of a region, such as eu-central-1");

/** `true` or `1`, `false` or `0`. */
export const parseBoolean = (text: string): boolean | Invalid => {
  const word = text.toLowerCase();
  if (word === "true" || word === "1") return true;
  return word === "false" || word === "0" ? false : new Invalid("true or false");
};

/** Trusted addresses and CIDRs, separated by commas. */
export const parseTrustedProxies = (text: string): TrustedProxies | Invalid => {
  const list = new BlockList();
  for (const item of commaList(text)) {
    const [address = "", bits, ...rest] = item.split("/");
    const version = isIP(address);
    const width = version === 6 ? 128 : 32;
    const isCidr = bits !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= width;
    if (version === 0 || rest.length > 0 || (bits !== undefined && !isCidr)) {
      return new Invalid("addresses or CIDRs separated by commas, such as 10.0.0.0/8, fd00::/8");
    }
    list.addSubnet(address, bits === undefined ? width : Number(bits), version === 6 ? "ipv6" : "ipv4");
  }
  return {
    trusts: (address) => {
      const version = isIP(address);
      // A dual-stack socket reports an IPv4 peer as ::ffff:10.0.0.1. The list compares it as IPv4.
      return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
    },
  };
};

/** Origins of pages, separated by commas. */
export const parseOrigins = (text: string): ReadonlySet<string> | Invalid => {
  const origins = new Set<string>();
  for (const item of commaList(text)) {
    const origin = webOrigin(item);
    if (origin === null)
      return new Invalid(
        "origins such as https://app.example.com separated by commas, without paths " +
          "(http only for localhost and private addresses)",
      );
    origins.add(origin);
  }
  return origins;
};

const isRole = (item: string): item is Role => item === "api" || item === "worker";

/** One role, or both separated by a comma. */
export const parseRoles = (text: string): ReadonlySet<Role> | Invalid => {
  const names = commaList(text);
  return names.length > 0 && names.every(isRole) ? new Set(names) : new Invalid("api, worker, or api,worker");
};

const maxProcesses = 64;

/** The number of request processes, or `auto` for a number that suits the machine. */
export const parseProcesses = (text: string): number | "auto" | Invalid => {
  if (text.toLowerCase() === "auto") return "auto";
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= maxProcesses
    ? count
    : new Invalid(`auto, or a whole number of processes from 1 to ${maxProcesses}`);
};

/**
 * A retention period in days. It is at least 60: frequency caps count the deliveries of the last month
 * (contract L4), and an event that arrives 59 days late must still find its delivery.
 */
export const parseRetentionDays = (text: string): number | Invalid =>
  /^\d{2,5}$/.test(text) && Number(text) >= 60 && Number(text) <= 36_500
    ? Number(text)
    : new Invalid("a whole number of days from 60 to 36500, or left out to keep everything");

/** How long custom events are kept: at least as long as a notification can wait after one (contract V4). */
export const parseCustomRetentionDays = (text: string): number | Invalid =>
  /^\d{2,5}$/.test(text) && Number(text) >= 31 && Number(text) <= 36_500
    ? Number(text)
    : new Invalid("a whole number of days from 31 to 36500");

/** A share of a whole, from 0 to 1. */
export const parseShare = (text: string): number | Invalid =>
  /^(0(\.\d+)?|1(\.0+)?)$/.test(text) ? Number(text) : new Invalid("a number from 0 to 1, such as 0.1");

/** The format of log lines. */
export const parseLogFormat = (text: string): "pretty" | "json" | Invalid =>
  text === "pretty" || text === "json" ? text : new Invalid("pretty or json");

const logLevels: Readonly<Record<string, LogLevel.LogLevel>> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
};

/** A log level of Effect, by its name in upper or lower case. */
export const parseLogLevel = (text: string): LogLevel.LogLevel | Invalid => {
  const name = text.toLowerCase();
  const level = Object.hasOwn(logLevels, name) ? logLevels[name] : undefined;
  return level ?? new Invalid("trace, debug, info, warn, error or fatal");
};

/** How the text of each kind of setting is read: the value, or what the text must be. */
import { type LogLevel, Redacted } from "effect";
import { BlockList, isIP } from "node:net";

/** Says what would be right, worded to follow "must be". */
export class Wrong {
  readonly expected: string;
  constructor(expected: string) {
    this.expected = expected;
  }
}

/** What a process does: answer requests, or send what is due. */
export type Role = "api" | "worker";

/** The peers whose `X-Forwarded-For` is believed. */
export interface TrustedProxies {
  /** True when the address (IPv4, IPv6, or IPv4 mapped into IPv6) is one of the trusted ones. */
  readonly trusts: (address: string) => boolean;
}

/** The default: no `X-Forwarded-For` counts. */
export const trustsNobody: TrustedProxies = { trusts: () => false };

/** A TCP port; 0 lets the system pick a free one. */
export const asPort = (text: string): number | Wrong =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? Number(text)
    : new Wrong("a whole number from 0 to 65535 (0 picks a free port)");

/** An address or name to listen on, without the brackets of an IPv6 one. */
export const asHost = (text: string): string | Wrong => {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  return isIP(bare) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(bare)
    ? bare
    : new Wrong("an IP address or a host name without a scheme or port, such as 0.0.0.0");
};

/** A path of the file system, as it was written. */
export const asPath = (text: string): string | Wrong =>
  text.includes("\0") ? new Wrong("a path without NUL characters") : text;

/** A libpq URI; redacted, since it may hold a password. */
export const asDatabaseUrl = (text: string): Redacted.Redacted | Wrong => {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "postgres:" || url.protocol === "postgresql:")
    ? Redacted.make(text)
    : new Wrong("a PostgreSQL address such as postgres://user:password@host:5432/database");
};

/** Visible ASCII, so that it can travel as a bearer token. */
export const asKey = (text: string): Redacted.Redacted | Wrong =>
  /^[\x21-\x7e]+$/.test(text)
    ? Redacted.make(text)
    : new Wrong("visible ASCII characters without spaces (32 random ones are a good key)");

const httpUrl = (text: string): string | undefined => {
  const url = URL.parse(text);
  const plain =
    url !== null &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === "";
  return plain ? `${url.origin}${url.pathname.replace(/\/+$/, "")}` : undefined;
};

/** A plain http(s) address, without a slash at its end. */
export const asHttpUrl = (text: string): string | Wrong =>
  httpUrl(text) ?? new Wrong("an http or https address without user, query or fragment");

/** Contract A1: the base address of an environment ends in `/platform/v1`. */
export const asPlatformUrl = (text: string): string | Wrong => {
  const url = httpUrl(text);
  return url !== undefined && url.endsWith("/platform/v1")
    ? url
    : new Wrong(
        "an http or https address that ends in /platform/v1, such as https://push.example.com/platform/v1",
      );
};

const ownPaths = /^\/(?:platform|sandbox|device|operator|docs|openapi|health|metrics)(?:\/|$)/;

/** The base of the addresses of media files, whose path must be none that something else answers. */
export const asMediaUrl = (text: string): string | Wrong => {
  const url = httpUrl(text);
  return url !== undefined && !ownPaths.test(new URL(url).pathname)
    ? url
    : new Wrong(
        "an http or https address without query, whose path is not one of Waypost's own, such as https://push.example.com/media",
      );
};

/** An empty bucket stands for the disk. */
export const asMediaStore = (text: string): { readonly bucket: string; readonly prefix: string } | Wrong => {
  if (text === "disk") return { bucket: "", prefix: "" };
  const [, bucket, path] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(text) ?? [];
  const prefix = (path ?? "").replace(/^\/+|\/+$/g, "");
  const climbs = prefix.split("/").some((segment) => segment === "." || segment === "..");
  return bucket === undefined || climbs
    ? new Wrong("disk, or s3://bucket/prefix (the prefix of letters, digits, _, -, . and /)")
    : { bucket, prefix };
};

/** A region as AWS names them; stores that know none take any. */
export const asRegion = (text: string): string | Wrong =>
  /^[a-z0-9-]{1,40}$/.test(text) ? text : new Wrong("the name of a region, such as eu-central-1");

/** `true` or `false`, also as 1 or 0. */
export const asBoolean = (text: string): boolean | Wrong => {
  const word = text.toLowerCase();
  if (word === "true" || word === "1") return true;
  return word === "false" || word === "0" ? false : new Wrong("true or false");
};

const items = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** Addresses and CIDRs separated by commas. */
export const asTrustedProxies = (text: string): TrustedProxies | Wrong => {
  const list = new BlockList();
  for (const item of items(text)) {
    const [address = "", bits, ...rest] = item.split("/");
    const version = isIP(address);
    const width = version === 6 ? 128 : 32;
    const isCidr = bits !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= width;
    if (version === 0 || rest.length > 0 || (bits !== undefined && !isCidr)) {
      return new Wrong("addresses or CIDRs separated by commas, such as 10.0.0.0/8, fd00::/8");
    }
    list.addSubnet(address, bits === undefined ? width : Number(bits), version === 6 ? "ipv6" : "ipv4");
  }
  return {
    trusts: (address) => {
      const version = isIP(address);
      // A dual-stack socket names an IPv4 peer ::ffff:10.0.0.1; the list compares it as IPv4.
      return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
    },
  };
};

const isRole = (item: string): item is Role => item === "api" || item === "worker";

/** One role or both, separated by a comma. */
export const asRoles = (text: string): ReadonlySet<Role> | Wrong => {
  const names = items(text);
  return names.length > 0 && names.every(isRole) ? new Set(names) : new Wrong("api, worker, or api,worker");
};

/**
 * Days that something is kept. Frequency caps look back a month (contract L4), and an event that comes 59 days late still finds those
 * that it belongs to.
 */
export const asRetentionDays = (text: string): number | Wrong =>
  /^\d{2,5}$/.test(text) && Number(text) >= 60 && Number(text) <= 36_500
    ? Number(text)
    : new Wrong("a whole number of days from 60 to 36500, or left out to keep everything");

/** A share of a whole. */
export const asShare = (text: string): number | Wrong =>
  /^(0(\.\d+)?|1(\.0+)?)$/.test(text) ? Number(text) : new Wrong("a number from 0 to 1, such as 0.1");

/** How log lines look. */
export const asLogFormat = (text: string): "pretty" | "json" | Wrong =>
  text === "pretty" || text === "json" ? text : new Wrong("pretty or json");

const logLevels: Readonly<Record<string, LogLevel.LogLevel>> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
};

/** The level of Effect by its name in any case. */
export const asLogLevel = (text: string): LogLevel.LogLevel | Wrong => {
  const name = text.toLowerCase();
  const level = Object.hasOwn(logLevels, name) ? logLevels[name] : undefined;
  return level ?? new Wrong("trace, debug, info, warn, error or fatal");
};

/** The `KEY=VALUE` lines of a file with `#` comments; `badLines` are the numbers of those that are not. */
export const readLines = (
  text: string,
): { readonly record: Record<string, string>; readonly badLines: ReadonlyArray<number> } => {
  const entries: Array<[string, string]> = [];
  const badLines: Array<number> = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const bare = line.trim();
    if (bare === "" || bare.startsWith("#")) continue;
    const [, name, quoted, single, plain] =
      /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^"'].*)?)$/.exec(bare) ?? [];
    if (name === undefined) badLines.push(index + 1);
    else entries.push([name, quoted ?? single ?? plain ?? ""]);
  }
  return { record: Object.fromEntries(entries), badLines };
};

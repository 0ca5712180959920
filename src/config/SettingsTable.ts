/** The one table of settings: the service, the documentation and all checks derive from it. */
import {
  Invalid,
  parseBoolean,
  parseCustomRetentionDays,
  parseDatabaseUrl,
  parseHost,
  parseHttpUrl,
  parseOrigins,
  parseLogFormat,
  parseLogLevel,
  parseMapStyleUrl,
  parseMediaStore,
  parseMediaUrl,
  parsePath,
  parsePlatformUrl,
  parsePort,
  parseProcesses,
  parseRetentionDays,
  parseRoles,
  parseShare,
  parseStrongKey,
  parseTrustedProxies,
  trustsNone,
} from "./SettingParsers.ts";
import type { Variable } from "./SettingReader.ts";

/** A setting: how it is parsed, and what the documentation says about it. */
export interface Setting<A> extends Variable<A> {
  /** The default, as the documentation shows it. */
  readonly default: string;
  readonly description: string;
}

type Row<A> = Pick<Setting<A>, "name" | "default" | "description" | "parse"> &
  Partial<Pick<Setting<A>, "fallback" | "isSecret">>;

/** A setting whose documented default is parsed like a given text, unless it has its own `fallback`. */
const setting = <A>(row: Row<A>): Setting<A> => ({
  isSecret: false,
  fallback: () => {
    const value = row.parse(row.default);
    if (value instanceof Invalid) throw new Error(`The default of ${row.name} must be ${value.expected}`);
    return value;
  },
  ...row,
});

/** A setting that is undefined unless it is set. `default` says what happens then. */
const optional = <A>(row: Row<A>): Setting<A | undefined> => ({
  isSecret: false,
  fallback: () => undefined,
  ...row,
});

/** Every setting by its property in `Settings`, in the order of the documentation. */
export const settingsTable = {
  port: setting({
    name: "PORT",
    default: "8080",
    description: "The port to listen on; 0 picks a free one.",
    parse: parsePort,
  }),
  host: setting({
    name: "WAYPOST_HOST",
    default: "127.0.0.1",
    description: "The address to listen on.",
    parse: parseHost,
  }),
  /** Absolute. */
  dataDir: setting({
    name: "WAYPOST_DATA_DIR",
    default: "./waypost-data",
    description: "Embedded database, media and generated keys; created with mode 0700 if missing.",
    parse: parsePath,
  }),
  /** Undefined for the embedded database. */
  databaseUrl: optional({
    name: "DATABASE_URL",
    default: "none: embedded",
    description:
      "A PostgreSQL 15+ server to use instead of the embedded one; directly, or a pooler in session mode.",
    parse: parseDatabaseUrl,
    isSecret: true,
  }),
  operatorKey: optional({
    name: "WAYPOST_OPERATOR_KEY",
    default: "generated once, kept in operator.key in the data dir (0600)",
    description: "The key of the operator interface: at least 32 random characters of visible ASCII.",
    parse: parseStrongKey,
    isSecret: true,
  }),
  secretKey: optional({
    name: "WAYPOST_SECRET_KEY",
    default: "generated once, kept in secret.key in the data dir (0600)",
    description:
      "Signs cursors, encrypts push credentials at rest: at least 32 random characters of visible ASCII.",
    parse: parseStrongKey,
    isSecret: true,
  }),
  /** The three public addresses have no trailing slash. */
  productionUrl: optional({
    name: "WAYPOST_PRODUCTION_URL",
    default: "from the listen address",
    description: "Public base address of Production, ending in /platform/v1.",
    parse: parsePlatformUrl,
  }),
  sandboxUrl: optional({
    name: "WAYPOST_SANDBOX_URL",
    default: "from the listen address",
    description: "Public base address of Sandbox, ending in /platform/v1.",
    parse: parsePlatformUrl,
  }),
  mediaUrl: optional({
    name: "WAYPOST_MEDIA_URL",
    default: "from the listen address",
    description: "Public address of media files.",
    parse: parseMediaUrl,
  }),
  /** A style has its own address, an archive of tiles the prefix `pmtiles://`. */
  mapStyleUrl: optional({
    name: "WAYPOST_MAP_STYLE_URL",
    default: "none: country outlines",
    description: "A MapLibre style, or a .pmtiles file, for the maps of the console.",
    parse: parseMapStyleUrl,
  }),
  mediaStore: setting({
    name: "WAYPOST_MEDIA_STORE",
    default: "disk",
    description:
      "disk, or s3://bucket/prefix. The usual AWS variables set the endpoint, the region and the keys.",
    parse: parseMediaStore,
  }),
  allowPrivateAddresses: setting({
    name: "WAYPOST_ALLOW_PRIVATE_ADDRESSES",
    default: "false",
    description: "Lets cta_url checks, web push endpoints and push hosts be private or loopback addresses.",
    parse: parseBoolean,
  }),
  trustedProxies: setting({
    name: "WAYPOST_TRUSTED_PROXIES",
    default: "none",
    description: "Addresses or CIDRs, separated by commas, whose X-Forwarded-For is trusted.",
    parse: parseTrustedProxies,
    fallback: () => trustsNone,
  }),
  corsOrigins: setting({
    name: "WAYPOST_CORS_ORIGINS",
    default: "none",
    description: "Origins, separated by commas, whose pages may call the platform API in a browser.",
    parse: parseOrigins,
    fallback: () => new Set<string>(),
  }),
  roles: setting({
    name: "WAYPOST_ROLES",
    default: "api,worker",
    description: "What this process does; several processes can share one PostgreSQL.",
    parse: parseRoles,
  }),
  processes: setting({
    name: "WAYPOST_PROCESSES",
    default: "auto",
    description: "Processes that answer requests, 1 to 64, or auto: as many as suit the machine.",
    parse: parseProcesses,
  }),
  /** Undefined to keep deliveries forever. */
  deliveryRetentionDays: optional({
    name: "WAYPOST_DELIVERY_RETENTION_DAYS",
    default: "none: kept",
    description:
      "Days, 60 or more, after which deliveries are compacted: still counted in reports, no longer listed.",
    parse: parseRetentionDays,
  }),
  /** Undefined to keep events forever. */
  eventRetentionDays: optional({
    name: "WAYPOST_EVENT_RETENTION_DAYS",
    default: "none: kept",
    description:
      "Days, 60 or more, after which enter and exit events are compacted: only reports count them.",
    parse: parseRetentionDays,
  }),
  customEventRetentionDays: setting({
    name: "WAYPOST_CUSTOM_EVENT_RETENTION_DAYS",
    default: "90",
    description:
      "Days, 31 or more, that custom events are kept after they occurred. Older ones are not taken.",
    parse: parseCustomRetentionDays,
  }),
  logFormat: optional({
    name: "WAYPOST_LOG_FORMAT",
    default: "pretty on a terminal, else json",
    description: "The format of log lines: pretty or json.",
    parse: parseLogFormat,
  }),
  logLevel: setting({
    name: "WAYPOST_LOG_LEVEL",
    default: "info",
    description: "The lowest level that is logged: trace, debug, info, warn, error or fatal.",
    parse: parseLogLevel,
  }),
  otlpEndpoint: optional({
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    default: "none",
    description: "Where traces and metrics are sent over OTLP (http).",
    parse: parseHttpUrl,
  }),
  /** From 0 to 1. */
  traceShare: setting({
    name: "OTEL_TRACES_SAMPLER_ARG",
    default: "1",
    description: "The share of traces that are sent, from 0 to 1.",
    parse: parseShare,
  }),
};

type Table = typeof settingsTable;

/** The parsed value of every setting, by its property. */
export type SettingValues = {
  readonly [Property in keyof Table]: Table[Property] extends Setting<infer A> ? A : never;
};

/** Every setting, in the order of the documentation. */
export const allSettings: ReadonlyArray<Setting<unknown>> = Object.values(settingsTable);

/** The table of settings, from which the documentation is generated. */

/** One row of the table of settings: the single statement from which docs are generated. */
export interface Setting {
  readonly name: string;
  readonly default: string;
  readonly description: string;
}

/** Every setting in the order of the documentation. */
export const settings: ReadonlyArray<Setting> = [
  { name: "PORT", default: "8080", description: "The port to listen on; 0 picks a free one." },
  { name: "WAYPOST_HOST", default: "127.0.0.1", description: "The address to listen on." },
  {
    name: "WAYPOST_DATA_DIR",
    default: "./waypost-data",
    description: "Embedded database, media and generated keys; made when missing, mode 0700.",
  },
  {
    name: "DATABASE_URL",
    default: "none: embedded",
    description:
      "A PostgreSQL 15+ server to use instead of the embedded one. Sessions must be direct or pooled by session.",
  },
  {
    name: "WAYPOST_OPERATOR_KEY",
    default: "generated once, kept in operator.key in the data dir (0600)",
    description: "The key of the operator interface: visible ASCII, best 32 random characters.",
  },
  {
    name: "WAYPOST_SECRET_KEY",
    default: "generated once, kept in secret.key in the data dir (0600)",
    description:
      "Signs cursors and encrypts push credentials at rest: visible ASCII, best 32 random characters.",
  },
  {
    name: "WAYPOST_PRODUCTION_URL",
    default: "from the listen address",
    description: "Public base address of Production, ending in /platform/v1.",
  },
  {
    name: "WAYPOST_SANDBOX_URL",
    default: "from the listen address",
    description: "Public base address of Sandbox, ending in /platform/v1.",
  },
  {
    name: "WAYPOST_MEDIA_URL",
    default: "from the listen address",
    description: "Public address of media files.",
  },
  {
    name: "WAYPOST_MEDIA_STORE",
    default: "disk",
    description: "disk, or s3://bucket/prefix (endpoint, region and keys by the usual AWS variables).",
  },
  {
    name: "WAYPOST_ALLOW_PRIVATE_ADDRESSES",
    default: "false",
    description: "Lets cta_url checks, web push endpoints and push hosts be private or loopback addresses.",
  },
  {
    name: "WAYPOST_TRUSTED_PROXIES",
    default: "none",
    description: "Addresses or CIDRs, separated by commas, whose X-Forwarded-For counts.",
  },
  {
    name: "WAYPOST_ROLES",
    default: "api,worker",
    description: "What this process does; several processes can share one PostgreSQL.",
  },
  {
    name: "WAYPOST_DELIVERY_RETENTION_DAYS",
    default: "none: kept",
    description:
      "Days, 60 or more, after which deliveries are packed: counted in reports, no longer shown singly.",
  },
  {
    name: "WAYPOST_EVENT_RETENTION_DAYS",
    default: "none: kept",
    description:
      "Days, 60 or more, after which enters and exits are packed: counted in reports, and no more.",
  },
  {
    name: "WAYPOST_LOG_FORMAT",
    default: "pretty on a terminal, else json",
    description: "How log lines look: pretty or json.",
  },
  {
    name: "WAYPOST_LOG_LEVEL",
    default: "info",
    description: "The least serious level that is logged: trace, debug, info, warn, error or fatal.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    default: "none",
    description: "Where traces and metrics go over OTLP (http).",
  },
  {
    name: "OTEL_TRACES_SAMPLER_ARG",
    default: "1",
    description: "The share of traces that are sent, from 0 to 1.",
  },
];

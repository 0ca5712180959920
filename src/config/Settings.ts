/** Every setting of Waypost: its name, its default, what it means and how its text is read. */
import { Context, Data, Effect, Layer, type LogLevel, Redacted } from "effect";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { settings } from "./SettingsTable.ts";
import {
  asBoolean,
  asDatabaseUrl,
  asHost,
  asHttpUrl,
  asKey,
  asLogFormat,
  asLogLevel,
  asMediaStore,
  asMediaUrl,
  asPath,
  asPlatformUrl,
  asPort,
  asRegion,
  asRetentionDays,
  asRoles,
  asShare,
  asTrustedProxies,
  readLines,
  type Role,
  type TrustedProxies,
  trustsNobody,
  Wrong,
} from "./SettingText.ts";

/** A plain table of settings as the environment or a settings file gives them. */
export type SettingsRecord = Readonly<Record<string, string | undefined>>;

/** Where media bytes are kept: in the data dir, or in a bucket of an S3-compatible service. */
export type MediaStoreSetting =
  | { readonly _tag: "disk" }
  | {
      readonly _tag: "s3";
      readonly bucket: string;
      /** Without slashes at its ends; empty for the bucket's root. */
      readonly prefix: string;
      readonly region: string;
      readonly endpoint: string | undefined;
      readonly credentials: {
        readonly accessKeyId: string;
        readonly secretAccessKey: Redacted.Redacted;
        readonly sessionToken: Redacted.Redacted | undefined;
      };
    };

export type { Role, TrustedProxies };

/** Settings that cannot be read: `problems` holds one sentence for each, and `message` all of them. */
export class SettingsInvalid extends Data.TaggedError("SettingsInvalid")<{
  readonly problems: ReadonlyArray<string>;
}> {
  override get message(): string {
    return `Waypost cannot read its settings:\n${this.problems.map((problem) => `  - ${problem}`).join("\n")}`;
  }
}

/** Read once at start; every other module takes it from here and never from the environment. */
export class Settings extends Context.Service<
  Settings,
  {
    readonly port: number;
    readonly host: string;
    /** Absolute. */
    readonly dataDir: string;
    /** None: the embedded database. */
    readonly databaseUrl: Redacted.Redacted | undefined;
    readonly operatorKey: Redacted.Redacted | undefined;
    readonly secretKey: Redacted.Redacted | undefined;
    /** The three public addresses carry no slash at the end. */
    readonly productionUrl: string | undefined;
    readonly sandboxUrl: string | undefined;
    readonly mediaUrl: string | undefined;
    readonly mediaStore: MediaStoreSetting;
    readonly allowPrivateAddresses: boolean;
    readonly trustedProxies: TrustedProxies;
    readonly roles: ReadonlySet<Role>;
    /** None: kept for good. */
    readonly deliveryRetentionDays: number | undefined;
    readonly eventRetentionDays: number | undefined;
    readonly logFormat: "pretty" | "json";
    readonly logLevel: LogLevel.LogLevel;
    readonly otlpEndpoint: string | undefined;
    /** From 0 to 1. */
    readonly traceShare: number;
  }
>()("waypost/Settings") {
  /** The table of settings in the order of the documentation. */
  static readonly settings = settings;

  /** Reads and checks all settings at once; an empty text counts as not set. */
  static readonly fromRecord = (
    record: SettingsRecord,
    options: { readonly isTerminal?: boolean } = {},
  ): Effect.Effect<Settings["Service"], SettingsInvalid> =>
    Effect.suspend(() => {
      const read = new Reader(record);
      const service: Settings["Service"] = {
        port: read.take("PORT", 8080, asPort),
        host: read.take("WAYPOST_HOST", "127.0.0.1", asHost),
        dataDir: resolve(read.take("WAYPOST_DATA_DIR", "./waypost-data", asPath)),
        databaseUrl: read.take("DATABASE_URL", undefined, asDatabaseUrl),
        operatorKey: read.take("WAYPOST_OPERATOR_KEY", undefined, asKey),
        secretKey: read.take("WAYPOST_SECRET_KEY", undefined, asKey),
        productionUrl: read.take("WAYPOST_PRODUCTION_URL", undefined, asPlatformUrl),
        sandboxUrl: read.take("WAYPOST_SANDBOX_URL", undefined, asPlatformUrl),
        mediaUrl: read.take("WAYPOST_MEDIA_URL", undefined, asMediaUrl),
        mediaStore: read.mediaStore(),
        allowPrivateAddresses: read.take("WAYPOST_ALLOW_PRIVATE_ADDRESSES", false, asBoolean),
        trustedProxies: read.take("WAYPOST_TRUSTED_PROXIES", trustsNobody, asTrustedProxies),
        roles: read.take("WAYPOST_ROLES", new Set<Role>(["api", "worker"]), asRoles),
        deliveryRetentionDays: read.take("WAYPOST_DELIVERY_RETENTION_DAYS", undefined, asRetentionDays),
        eventRetentionDays: read.take("WAYPOST_EVENT_RETENTION_DAYS", undefined, asRetentionDays),
        logFormat: read.take(
          "WAYPOST_LOG_FORMAT",
          (options.isTerminal ?? process.stdout.isTTY) ? "pretty" : "json",
          asLogFormat,
        ),
        logLevel: read.take("WAYPOST_LOG_LEVEL", "Info", asLogLevel),
        otlpEndpoint: read.take("OTEL_EXPORTER_OTLP_ENDPOINT", undefined, asHttpUrl),
        traceShare: read.take("OTEL_TRACES_SAMPLER_ARG", 1, asShare),
      };
      if (service.productionUrl !== undefined && service.productionUrl === service.sandboxUrl) {
        read.problems.push(
          "WAYPOST_SANDBOX_URL must differ from WAYPOST_PRODUCTION_URL: the environment is told by the address.",
        );
      }
      return read.problems.length === 0
        ? Effect.succeed(service)
        : Effect.fail(new SettingsInvalid({ problems: read.problems }));
    });

  /** Reads a file of `KEY=VALUE` lines (`#` comments, quotes and a leading `export` are taken). */
  static readonly readFile = (path: string): Effect.Effect<SettingsRecord, SettingsInvalid> =>
    Effect.tryPromise({
      try: () => readFile(path, "utf8"),
      catch: (error) =>
        new SettingsInvalid({ problems: [`The settings file ${path} cannot be read: ${reason(error)}.`] }),
    }).pipe(Effect.flatMap((text) => checkedFile(path, text)));

  /** The settings of this record; fails with all that is wrong with it. */
  static readonly layer = (record: SettingsRecord): Layer.Layer<Settings, SettingsInvalid> =>
    Layer.effect(Settings, Settings.fromRecord(record));

  /** Defaults (nothing is read from the environment) with some settings replaced. */
  static readonly layerTest = (partial: Partial<Settings["Service"]> = {}): Layer.Layer<Settings> =>
    Layer.effect(
      Settings,
      Settings.fromRecord({}, { isTerminal: false }).pipe(
        Effect.map((defaults) => ({ ...defaults, ...partial })),
        Effect.orDie,
      ),
    );
}

const reason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && error.code === "ENOENT" ? "there is no such file" : error.message;
};

const checkedFile = (path: string, text: string): Effect.Effect<SettingsRecord, SettingsInvalid> => {
  const { record, badLines } = readLines(text);
  const known = new Set(settings.map((setting) => setting.name));
  const problems = [
    ...badLines.map((line) => `Line ${line} of ${path} must be KEY=VALUE, a comment or empty.`),
    ...Object.keys(record)
      .filter((name) => !known.has(name) && !name.startsWith("AWS_"))
      .map((name) => `${path} sets ${name}, which is not a setting of Waypost.`),
  ];
  return problems.length === 0 ? Effect.succeed(record) : Effect.fail(new SettingsInvalid({ problems }));
};

type Read<A> = (text: string) => A | Wrong;

const secretSettings: ReadonlySet<string> = new Set([
  "DATABASE_URL",
  "WAYPOST_OPERATOR_KEY",
  "WAYPOST_SECRET_KEY",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
]);

class Reader {
  readonly problems: Array<string> = [];
  readonly record: SettingsRecord;

  constructor(record: SettingsRecord) {
    this.record = record;
  }

  text(name: string): string | undefined {
    const text = this.record[name]?.trim();
    return text === "" ? undefined : text;
  }

  /** On a bad text notes the problem and goes on with the default, so that all problems are found. */
  take<A, D>(name: string, whenMissing: D, read: Read<A>): A | D {
    const text = this.text(name);
    if (text === undefined) return whenMissing;
    const value = read(text);
    if (!(value instanceof Wrong)) return value;
    // A key or a database address may hold a secret: never repeat it.
    const shown = secretSettings.has(name) ? "" : `; it is "${text}"`;
    this.problems.push(`${name} must be ${value.expected}${shown}.`);
    return whenMissing;
  }

  mediaStore(): MediaStoreSetting {
    const place = this.take("WAYPOST_MEDIA_STORE", { bucket: "", prefix: "" }, asMediaStore);
    if (place.bucket === "") return { _tag: "disk" };
    const keyId = this.take("AWS_ACCESS_KEY_ID", undefined, asKey);
    const secretAccessKey = this.take("AWS_SECRET_ACCESS_KEY", undefined, asKey);
    for (const [name, value] of [
      ["AWS_ACCESS_KEY_ID", keyId],
      ["AWS_SECRET_ACCESS_KEY", secretAccessKey],
    ] as const) {
      if (value === undefined && this.text(name) === undefined)
        this.problems.push(`${name} must be set for a media store in a bucket (WAYPOST_MEDIA_STORE).`);
    }
    const endpointName =
      this.text("AWS_ENDPOINT_URL_S3") === undefined ? "AWS_ENDPOINT_URL" : "AWS_ENDPOINT_URL_S3";
    return {
      _tag: "s3",
      ...place,
      region: this.take(
        this.text("AWS_REGION") === undefined ? "AWS_DEFAULT_REGION" : "AWS_REGION",
        "us-east-1",
        asRegion,
      ),
      endpoint: this.take(endpointName, undefined, asHttpUrl),
      credentials: {
        accessKeyId: keyId === undefined ? "" : Redacted.value(keyId),
        secretAccessKey: secretAccessKey ?? Redacted.make(""),
        sessionToken: this.take("AWS_SESSION_TOKEN", undefined, asKey),
      },
    };
  }
}

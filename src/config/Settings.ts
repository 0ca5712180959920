import { Context, Effect, Layer } from "effect";
import { type MediaStoreSetting, readMediaStore } from "./MediaStoreSetting.ts";
import { SettingReader, SettingsInvalid, type SettingsRecord } from "./SettingReader.ts";
import { readSettingsFile } from "./SettingsFile.ts";
import { settingsTable, type SettingValues } from "./SettingsTable.ts";

export type { MediaStoreSetting, SettingsRecord };
export { SettingsInvalid };
export type { Role } from "./SettingParsers.ts";

/** The values of all settings. `settingsTable` defines their names, defaults and meanings. */
export interface SettingsService extends Omit<SettingValues, "mediaStore" | "logFormat"> {
  readonly mediaStore: MediaStoreSetting;
  readonly logFormat: "pretty" | "json";
}

const readTable = (reader: SettingReader): SettingValues =>
  Object.fromEntries(
    Object.entries(settingsTable).map(([property, setting]) => [property, reader.read<unknown>(setting)]),
  ) as unknown as SettingValues;

/** The settings of this process, read once at start. No other module reads the environment. */
export class Settings extends Context.Service<Settings, SettingsService>()("waypost/Settings") {
  /** Parses a record, in which a blank text counts as not set. Fails with all problems at once. */
  static readonly fromRecord = (
    record: SettingsRecord,
    options: { readonly isTerminal?: boolean } = {},
  ): Effect.Effect<SettingsService, SettingsInvalid> =>
    Effect.suspend(() => {
      const reader = new SettingReader(record);
      const values = readTable(reader);
      const isTerminal = options.isTerminal ?? process.stdout.isTTY;
      const service: SettingsService = {
        ...values,
        mediaStore: readMediaStore(reader, values.mediaStore),
        logFormat: values.logFormat ?? (isTerminal ? "pretty" : "json"),
      };
      if (values.productionUrl !== undefined && values.productionUrl === values.sandboxUrl) {
        reader.problems.push(
          "WAYPOST_SANDBOX_URL must differ from WAYPOST_PRODUCTION_URL: it identifies the environment.",
        );
      }
      return reader.problems.length === 0
        ? Effect.succeed(service)
        : Effect.fail(new SettingsInvalid({ problems: reader.problems }));
    });

  /** Reads a file of `KEY=VALUE` lines, with `#` comments, optional quotes and optional `export`. */
  static readonly readFile = readSettingsFile;

  /** The settings of a record. Fails with all problems at once. */
  static readonly layer = (record: SettingsRecord): Layer.Layer<Settings, SettingsInvalid> =>
    Layer.effect(Settings, Settings.fromRecord(record));

  /** The defaults with some settings replaced. It does not read the environment. */
  static readonly layerTest = (partial: Partial<SettingsService> = {}): Layer.Layer<Settings> =>
    Layer.effect(
      Settings,
      Settings.fromRecord({}, { isTerminal: false }).pipe(
        Effect.map((defaults) => ({ ...defaults, ...partial })),
        Effect.orDie,
      ),
    );
}

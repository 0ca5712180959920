import { Console, Effect, Option } from "effect";
import { Argument, Command } from "effect/cli";
import { Settings } from "../../config/Settings.ts";
import type { BackupManifest } from "../../backup/BackupManifest.ts";
import { SettingsFile, wantsJson } from "../Operator.ts";
import { printOne } from "../terminal/Output.ts";
import { progressBars } from "../terminal/ProgressBars.ts";
import { CliEnvironment } from "../CliEnvironment.ts";
import { details } from "../terminal/Table.ts";

// Most commands only ask a server: they do without what runs one.
const backups = Effect.promise(() => import("../../backup/Backups.ts"));

const settings = Effect.gen(function* () {
  const { environment } = yield* CliEnvironment;
  const file = yield* SettingsFile;
  return { ...environment, ...(Option.isSome(file) ? yield* Settings.readFile(file.value) : {}) };
});

const told = (manifest: BackupManifest) => ({
  created_at: manifest.created_at,
  waypost: manifest.waypost,
  postgresql: manifest.postgresql,
  tables: manifest.tables.length,
  rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
  media_store: manifest.media.store,
  media_files: manifest.media.files.length,
  media_missing: manifest.media.missing,
});

const asText = (headline: string, facts: ReturnType<typeof told>): string =>
  [
    headline,
    "",
    details([
      ["made", facts.created_at],
      ["rows", `${facts.rows.toLocaleString("en-US")} in ${facts.tables} tables`],
      [
        "media",
        facts.media_store === "disk"
          ? `${facts.media_files} files`
          : `not in it: they are in ${facts.media_store}`,
      ],
    ]),
    ...facts.media_missing.map((name) => `The media file ${name} was deleted while it was copied.`),
  ].join("\n");

/** `waypost backup FILE` */
export const backupCommand = Command.make(
  "backup",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("The file to write; it must not be there yet"),
    ),
  },
  Effect.fn(function* ({ file }) {
    const { backup } = yield* backups;
    const bars = yield* progressBars;
    const manifest = yield* backup(yield* settings, file, bars.at).pipe(
      Effect.ensuring(Effect.sync(bars.clear)),
      Effect.onInterrupt(() => Console.error("Stopped. No backup was written.")),
    );
    const facts = told(manifest);
    yield* printOne({ file, ...facts }, () =>
      asText(`Wrote ${file}. It holds the keys of this Waypost: keep it as safe as them.`, facts),
    );
  }),
).pipe(
  Command.withDescription(
    "Write the embedded database, media and keys into one file, all of one moment, while Waypost runs or not",
  ),
  Command.withGlobalFlags([SettingsFile, wantsJson]),
  Command.withExamples([{ command: "waypost backup /backups/waypost-$(date -u +%F).tar.gz" }]),
);

/** `waypost restore FILE` */
export const restoreCommand = Command.make(
  "restore",
  { file: Argument.String("file").pipe(Argument.withDescription("A file that waypost backup wrote")) },
  Effect.fn(function* ({ file }) {
    const { restore } = yield* backups;
    const bars = yield* progressBars;
    const { dataDir, manifest } = yield* restore(yield* settings, file, bars.at).pipe(
      Effect.ensuring(Effect.sync(bars.clear)),
      Effect.onInterrupt(() => Console.error("Stopped. Nothing was restored.")),
    );
    const facts = told(manifest);
    yield* printOne({ data_dir: dataDir, ...facts }, () =>
      asText(`Restored ${file} into ${dataDir}. Start it with "waypost serve".`, facts),
    );
  }),
).pipe(
  Command.withDescription(
    "Restore a backup into a data directory that is missing or empty: everything or nothing",
  ),
  Command.withGlobalFlags([SettingsFile, wantsJson]),
  Command.withExamples([
    { command: "WAYPOST_DATA_DIR=/var/lib/waypost waypost restore /backups/waypost-2026-11-21.tar.gz" },
  ]),
);

import { Console, Effect } from "effect";
import { Command } from "effect/cli";
import type { BackupManifest } from "../../backup/BackupManifest.ts";
import { visible } from "../../wire/VisibleText.ts";
import { command } from "../DeclaredCommand.ts";
import { textArgument } from "../Flags.ts";
import { Json, SettingsFile, settingsRecord } from "../Operator.ts";
import { formatCount } from "../terminal/Formats.ts";
import { printOne } from "../terminal/Output.ts";
import { progressBars } from "../terminal/ProgressBars.ts";
import { details } from "../terminal/Table.ts";

// Loaded on demand: most commands do not need a database server.
const backups = Effect.promise(() => import("../../backup/Backups.ts"));

const factsOf = (manifest: BackupManifest) => ({
  created_at: manifest.created_at,
  waypost: manifest.waypost,
  postgresql: manifest.postgresql,
  tables: manifest.tables.length,
  rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
  media_store: manifest.media.store,
  media_files: manifest.media.files.length,
  media_missing: manifest.media.missing,
});

const asText = (headline: string, facts: ReturnType<typeof factsOf>): string =>
  [
    headline,
    "",
    details([
      ["created", facts.created_at],
      ["rows", `${formatCount(facts.rows)} in ${facts.tables} tables`],
      [
        "media",
        facts.media_store === "disk" ? `${facts.media_files} files` : `not included: in ${facts.media_store}`,
      ],
    ]),
    ...facts.media_missing.map(
      (name) => `The media file ${name} is missing: it was deleted during the backup.`,
    ),
  ].join("\n");

/** `waypost backup FILE` */
export const backupCommand = command("backup", {
  description:
    "Back up the database, the media files and the keys to one file, as of one moment, whether Waypost " +
    "runs or not; a database on Citus only while it does not",
  examples: ["waypost backup /backups/waypost-$(date -u +%F).tar.gz"],
  flags: {
    file: textArgument("file", "File to write; it must not exist yet"),
  },
  *run({ file }) {
    const { backup } = yield* backups;
    const bars = yield* progressBars;
    const manifest = yield* backup(yield* settingsRecord, file, bars.report).pipe(
      Effect.ensuring(Effect.sync(bars.clear)),
      Effect.onInterrupt(() => Console.error("Stopped. No backup was written.")),
    );
    const facts = factsOf(manifest);
    yield* printOne({ file, ...facts }, (shown) =>
      asText(
        `Wrote ${shown.file}. It contains the keys of this Waypost: store it as safely as the keys.`,
        shown,
      ),
    );
  },
}).pipe(Command.withGlobalFlags([SettingsFile, Json]));

/** `waypost restore FILE` */
export const restoreCommand = command("restore", {
  description:
    "Restore a backup into a data directory that is missing or empty, and with DATABASE_URL into that " +
    "database, which must have no tables: everything or nothing",
  examples: ["WAYPOST_DATA_DIR=/var/lib/waypost waypost restore /backups/waypost-2026-11-21.tar.gz"],
  flags: { file: textArgument("file", "File that waypost backup wrote") },
  *run({ file }) {
    const { restore } = yield* backups;
    const bars = yield* progressBars;
    const { dataDir, isOwnDatabase, manifest } = yield* restore(
      yield* settingsRecord,
      file,
      bars.report,
    ).pipe(
      Effect.ensuring(Effect.sync(bars.clear)),
      Effect.onInterrupt(() => Console.error("Stopped. Nothing was restored.")),
    );
    const facts = factsOf(manifest);
    yield* printOne({ data_dir: dataDir, ...facts }, (shown) =>
      asText(
        `Restored ${visible(file)} into ${isOwnDatabase ? "" : "the database of DATABASE_URL and "}` +
          `${shown.data_dir}. Start it with "waypost serve".`,
        shown,
      ),
    );
  },
}).pipe(Command.withGlobalFlags([SettingsFile, Json]));

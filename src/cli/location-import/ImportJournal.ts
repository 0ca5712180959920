/** The progress of an import, stored beside the file, so that the same command can resume it. */
import { Schema } from "effect";
import { createHash, randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { errorCode } from "../../backup/DiskProblem.ts";
import { noCounts } from "../../client/location-files/PartResult.ts";
import type { SurveyedFile } from "./ImportFile.ts";

const Counts = Schema.Record(Schema.Literals(["created", "updated", "skipped", "failed"]), Schema.Int);

const Target = Schema.Struct({ url: Schema.String, workspace: Schema.String, environment: Schema.String });
/** The target of an import: the address of a server, a workspace and an environment. */
export type Target = typeof Target.Type;

const Journal = Schema.Struct({
  version: Schema.Literal(1),
  /** SHA-256 of the file. */
  digest: Schema.String,
  target: Target,
  changes: Schema.Struct({ isSplit: Schema.Boolean, isIdExternal: Schema.Boolean }),
  /** Identifies the import. The ids of its parts derive from it. */
  id: Schema.String,
  /** Number of completed parts. */
  parts: Schema.Int,
  counts: Counts,
  /** Length of the file of refused features after these parts, in bytes. */
  refusedBytes: Schema.Int,
});
/** The progress of an import. */
export type Journal = typeof Journal.Type;

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Journal));

/** Path of the journal of a file. */
export const journalPath = (path: string): string => `${path}.waypost-import.json`;

/** The journal of a new import. */
export const newJournal = (file: SurveyedFile, target: Target): Journal => ({
  version: 1,
  digest: file.digest,
  target,
  changes: file.changes,
  id: randomUUID(),
  parts: 0,
  counts: noCounts,
  refusedBytes: 0,
});

/** The id of a part, as a UUID. The same part of the same import always has the same id. */
export const partId = (journal: Journal, index: number): string => {
  const hex = createHash("sha256").update(`${journal.id}/${index}`).digest("hex");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-a$4-$5");
};

/** The journal of an interrupted import; null if there is none. */
export const readJournal = async (path: string): Promise<Journal | "unreadable" | null> => {
  let text: string;
  try {
    text = await readFile(journalPath(path), "utf8");
  } catch (error) {
    return errorCode(error) === "ENOENT" ? null : "unreadable";
  }
  try {
    return decode(text);
  } catch {
    return "unreadable";
  }
};

/** Replaces the journal atomically: it is written under another name and renamed. */
export const writeJournal = async (path: string, journal: Journal): Promise<void> => {
  const file = journalPath(path);
  await writeFile(`${file}.new`, `${JSON.stringify(journal, null, 2)}\n`);
  await rename(`${file}.new`, file);
};

/** Deletes the journal. */
export const removeJournal = (path: string): Promise<void> => rm(journalPath(path), { force: true });

/** How far an import of a file is, kept beside the file, so that the same command goes on where it was stopped. */
import { Schema } from "effect";
import { createHash, randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import type { SurveyedFile } from "./ImportFile.ts";

const Counts = Schema.Struct({
  created: Schema.Int,
  updated: Schema.Int,
  skipped: Schema.Int,
  failed: Schema.Int,
});

/** How many features were created, updated, skipped and failed. */
export type Counts = typeof Counts.Type;

const Target = Schema.Struct({ url: Schema.String, workspace: Schema.String, environment: Schema.String });
/** Where an import goes: the address of the server, a workspace and an environment of it. */
export type Target = typeof Target.Type;

const Journal = Schema.Struct({
  version: Schema.Literal(1),
  /** SHA-256 of the file. */
  digest: Schema.String,
  target: Target,
  /** Names this import; the ids of its parts come from it. */
  id: Schema.String,
  /** How many parts are done. */
  parts: Schema.Int,
  counts: Counts,
  /** Length of the file of refused features after those parts, in bytes. */
  refusedBytes: Schema.Int,
});
/** How far an import is. */
export type Journal = typeof Journal.Type;

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Journal));

/** Where the journal of a file is. */
export const journalOf = (path: string): string => `${path}.waypost-import.json`;

/** An import that nothing was done of yet. */
export const freshJournal = (file: SurveyedFile, target: Target): Journal => ({
  version: 1,
  digest: file.digest,
  target,
  id: randomUUID(),
  parts: 0,
  counts: { created: 0, updated: 0, skipped: 0, failed: 0 },
  refusedBytes: 0,
});

/** Names a part for the server: the same part of the same import has always the same name. */
export const partId = (journal: Journal, index: number): string => {
  const hex = createHash("sha256").update(`${journal.id}/${index}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** The journal of an import that was stopped; null for none, and "unreadable" for one that says nothing. */
export const readJournal = async (path: string): Promise<Journal | "unreadable" | null> => {
  let text: string;
  try {
    text = await readFile(journalOf(path), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    return "unreadable";
  }
  try {
    return decode(text);
  } catch {
    return "unreadable";
  }
};

/** Whole or not at all: written under another name and renamed. */
export const writeJournal = async (path: string, journal: Journal): Promise<void> => {
  const file = journalOf(path);
  await writeFile(`${file}.new`, `${JSON.stringify(journal, null, 2)}\n`);
  await rename(`${file}.new`, file);
};

/** Forgets how far the import is. */
export const removeJournal = (path: string): Promise<void> => rm(journalOf(path), { force: true });

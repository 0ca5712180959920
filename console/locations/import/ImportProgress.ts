/** How far the import of a file is, kept in this browser, so that it can be resumed with the same file. */
import type { ImportCounts } from "../../../src/client/location-files/PartResult.ts";
import { draftKey, keepDraft, readDraft } from "../../session/Drafts.ts";
import { environment, workspaceId } from "../../session/Scope.ts";
import type { ColumnMapping } from "./ImportTable.ts";

/** The state of an import that has begun. */
export interface ImportJournal {
  /** The id of the import, from which the keys of its parts are made. */
  readonly id: string;
  /** The features of the file that are imported. */
  readonly done: number;
  readonly counts: ImportCounts;
  /** The columns of a table, which the rest is read by. */
  readonly mapping: ColumnMapping | null;
}

const keyOf = ({ lastModified, name, size }: File): string =>
  draftKey(workspaceId.value ?? "", environment.value, `import-${name}-${size}-${lastModified}`);

/** The journal of a file whose import has begun and not ended. */
export const readJournal = (file: File): ImportJournal | undefined =>
  readDraft(keyOf(file)) as ImportJournal | undefined;

/** Keeps the journal of a file; undefined removes it. */
export const keepJournal = (file: File, journal: ImportJournal | undefined): void =>
  keepDraft(keyOf(file), journal);

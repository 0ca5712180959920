/** The import of one file: a dry run, then the import with its progress. */
import { signal } from "@preact/signals";
import { ImportFileBroken } from "../../../src/client/location-files/ImportEntry.ts";
import { addCounts, type ImportCounts, noCounts } from "../../../src/client/location-files/PartResult.ts";
import { platform } from "../../data/Api.ts";
import { ApiProblem, type ApiRequest, send } from "../../data/ApiCall.ts";
import { refresh } from "../../data/Query.ts";
import { formatCount } from "../../parts/DisplayFormats.ts";
import { showToast } from "../../parts/Toasts.tsx";
import { type ImportJournal, keepJournal, readJournal } from "./ImportProgress.ts";
import type { FeatureOutcome, RunOptions } from "./ImportRun.ts";
import {
  type ColumnMapping,
  guessMapping,
  type ImportTable,
  isComplete,
  readTable,
  type TableEntry,
  tableEntries,
} from "./ImportTable.ts";

/** The step of an import. */
export interface ImportState {
  readonly stage: "choice" | "columns" | "checking" | "checked" | "importing" | "stopped" | "done";
  readonly file: File | null;
  /** A file that is a table, and what its columns are; null for a file of features. */
  readonly table: ImportTable | null;
  readonly mapping: ColumnMapping | null;
  /** Features of the file that the dry run or the import has passed. */
  readonly done: number;
  /** Features of the file, once the dry run has read it. */
  readonly total: number;
  /** Features that an earlier import of the same file passed. */
  readonly resumed: number;
  readonly counts: ImportCounts;
  /** Refused features, with their reasons. */
  readonly refused: ReadonlyArray<FeatureOutcome>;
  /** Accepted features for the map, up to a number. */
  readonly accepted: ReadonlyArray<FeatureOutcome>;
  /** The requests that remove the locations which this page has created. */
  readonly created: ReadonlyArray<ApiRequest<unknown>>;
  /** How many of them are removed; null before that is asked for. */
  readonly removed: number | null;
  readonly problem: string | null;
}

const maxAccepted = 20_000;
const maxRefused = 20_000;

const first: ImportState = {
  stage: "choice",
  file: null,
  table: null,
  mapping: null,
  done: 0,
  total: 0,
  resumed: 0,
  counts: noCounts,
  refused: [],
  accepted: [],
  created: [],
  removed: null,
  problem: null,
};

const sentenceOf = (error: unknown): string => {
  if (error instanceof ImportFileBroken) return error.message;
  if (!(error instanceof ApiProblem)) return `The file could not be read: ${String(error)}`;
  return [error.message, ...Object.values(error.fields).flat()].join(" ");
};

/** The readers of files are loaded with the first one. */
const runImport = async (options: RunOptions): Promise<void> =>
  (await import("./ImportRun.ts")).runImport(options);

const removalConcurrency = 4;
const retryMillis = 3_000;

/** Removes a location; while the server is away or busy, again and again. @throws ApiProblem */
const removeLocation = async (request: ApiRequest<unknown>): Promise<void> => {
  for (;;) {
    try {
      await send(request);
      return;
    } catch (error) {
      // It may be gone already.
      if (!(error instanceof ApiProblem) || error.status === 404) return;
      if (!error.isTemporary) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMillis));
    }
  }
};

/** The model of the page. */
export class ImportModel {
  readonly state = signal(first);
  #abort = new AbortController();
  #journal: ImportJournal | undefined;
  #rows: ReadonlyArray<TableEntry> | undefined;

  /** Reads a file. A table whose columns are not all known waits for a person; all others are checked. */
  async choose(file: File): Promise<void> {
    const signal = this.#restart();
    this.#journal = readJournal(file);
    this.state.value = { ...first, stage: "checking", file };
    await this.#guarded("choice", signal, async () => {
      const readWorkbook = async () => (await import("./WorkbookReader.ts")).readWorkbook(file);
      const table = (await readTable(file, readWorkbook)) ?? null;
      if (signal.aborted) return;
      const mapping = table === null ? null : (this.#journal?.mapping ?? guessMapping(table));
      this.#set({ table, mapping });
      if (mapping !== null && !isComplete(mapping)) this.#set({ stage: "columns" });
      else await this.check(mapping);
    });
  }

  /** Checks the file, or the rest of it if an import of it was stopped. */
  async check(mapping: ColumnMapping | null): Promise<void> {
    const { file, table } = this.state.value;
    if (file === null) return;
    const signal = this.#restart();
    const resumed = this.#journal?.done ?? 0;
    this.#rows = table === null || mapping === null ? undefined : tableEntries(table, mapping);
    this.state.value = { ...first, stage: "checking", file, table, mapping, resumed };
    await this.#guarded("choice", signal, () =>
      runImport({
        file,
        rows: this.#rows,
        isDryRun: true,
        skip: resumed,
        id: "",
        signal,
        onPart: ({ counts, done, outcomes }) => {
          const { accepted, counts: before, refused } = this.state.value;
          const isAccepted = ({ reasons }: FeatureOutcome) => reasons.length === 0;
          this.#set({
            done,
            counts: addCounts(before, counts),
            refused: [...refused, ...outcomes.filter((each) => !isAccepted(each))].slice(0, maxRefused),
            accepted: [...accepted, ...outcomes.filter(isAccepted)].slice(0, maxAccepted),
          });
        },
      }),
    );
    if (signal.aborted || this.state.value.stage !== "checking") return;
    const { done } = this.state.value;
    this.#set({ stage: "checked", total: Math.max(done, resumed), done: resumed });
  }

  /** Imports what the dry run accepted, or resumes. */
  async import(): Promise<void> {
    const { file } = this.state.value;
    if (file === null) return;
    const signal = this.#restart();
    const { mapping } = this.state.value;
    const journal = this.#journal ?? { id: crypto.randomUUID(), done: 0, counts: noCounts, mapping };
    this.#keep(file, journal);
    this.#set({ stage: "importing", problem: null, done: journal.done, counts: journal.counts });
    await this.#guarded("stopped", signal, () =>
      runImport({
        file,
        rows: this.#rows,
        isDryRun: false,
        skip: journal.done,
        id: journal.id,
        signal,
        onPart: ({ counts, created, done }) => {
          const sum = addCounts(this.state.value.counts, counts);
          this.#keep(file, { ...journal, done, counts: sum });
          // Described here, they are of this workspace and environment, whatever is shown later.
          const removals = created.map((id) => platform.locations.delete(id));
          this.#set({ done, counts: sum, created: [...this.state.value.created, ...removals] });
        },
      }),
    );
    // Another run may have begun since this one was stopped.
    if (signal.aborted || this.state.value.stage !== "importing") return;
    keepJournal(file, undefined);
    this.#journal = undefined;
    this.#set({ stage: "done" });
    await refresh();
    const { counts, created } = this.state.value;
    const text = `${formatCount(counts.created + counts.updated, "location")} imported.`;
    // The former values of those that were updated are not kept.
    showToast(text, created.length > 0 && counts.updated === 0 ? () => this.undo() : undefined);
  }

  /** Removes the locations that this page has created. What it has updated stays as it is. */
  async undo(): Promise<void> {
    const { created } = this.state.value;
    this.#set({ removed: 0, problem: null });
    const left = created.values();
    const removeNext = async (): Promise<void> => {
      for (const request of left) {
        await removeLocation(request);
        this.#set({ removed: (this.state.value.removed ?? 0) + 1 });
      }
    };
    try {
      await Promise.all(Array.from({ length: removalConcurrency }, removeNext));
    } catch (error) {
      this.#set({ problem: sentenceOf(error) });
    }
    await refresh();
  }

  /** Stops after the current part. */
  stop(): void {
    this.#abort.abort();
    if (this.state.value.stage === "importing") this.#set({ stage: "stopped" });
  }

  /** Forgets that a part of the file was imported, and checks it again. */
  async startOver(): Promise<void> {
    const { file } = this.state.value;
    if (file === null) return;
    keepJournal(file, undefined);
    await this.choose(file);
  }

  /** Begins with another file. */
  reset(): void {
    this.#restart();
    this.state.value = first;
  }

  #restart(): AbortSignal {
    this.#abort.abort();
    this.#abort = new AbortController();
    return this.#abort.signal;
  }

  #set(changes: Partial<ImportState>): void {
    this.state.value = { ...this.state.value, ...changes };
  }

  #keep(file: File, journal: ImportJournal): void {
    this.#journal = journal;
    keepJournal(file, journal);
  }

  async #guarded(stage: "choice" | "stopped", signal: AbortSignal, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!signal.aborted) this.#set({ stage, problem: sentenceOf(error) });
    }
  }
}

import { Clock, Effect } from "effect";
import type { ImportReport } from "../../locations/LocationImport.ts";
import { CommandRefused } from "../CommandRefused.ts";
import { diskTrouble } from "../../backup/DiskFailure.ts";
import {
  type Counts,
  freshJournal,
  type Journal,
  journalOf,
  partId,
  readJournal,
  removeJournal,
  type Target,
  writeJournal,
} from "./ImportJournal.ts";
import { ImportFileBroken } from "./ImportEntry.ts";
import { partsOf, type ImportPart, type SurveyedFile } from "./ImportFile.ts";
import { openRefused, type RefusedFile, refusedPathOf, type RefusedEntry } from "./RefusedFile.ts";

/** Work on files of the person who gives the command. @throws CommandRefused what went wrong, as a sentence */
export const onFiles = <A>(work: () => Promise<A>): Effect.Effect<A, CommandRefused> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      new CommandRefused({
        message:
          error instanceof ImportFileBroken
            ? error.message
            : `A file could not be read or written: ${diskTrouble(error)}.`,
      }),
  });

/** How an import is to go. */
export interface ImportOptions {
  readonly target: Target;
  readonly isDryRun: boolean;
  /** Whether to forget an import of this file that was stopped. */
  readonly isRestart: boolean;
  /** Sends one part; it may be sent again under the same id. */
  readonly send: (
    features: ReadonlyArray<unknown>,
    id: string,
  ) => Effect.Effect<typeof ImportReport.Type, CommandRefused>;
  /** Is told how many entries are done. */
  readonly onProgress: (done: number) => Effect.Effect<void>;
}

/** What an import came to. */
export interface ImportOutcome {
  readonly counts: Counts;
  /** Parts that an earlier run of the same command had done. */
  readonly resumedParts: number;
  readonly parts: number;
  /** The file of refused features; null for none. */
  readonly refusedFile: string | null;
  readonly seconds: number;
}

const sameTarget = (a: Target, b: Target): boolean =>
  a.url === b.url && a.workspace === b.workspace && a.environment === b.environment;

/** The journal to go on with: never that of another file or another target. */
const openJournal = Effect.fnUntraced(function* (
  file: SurveyedFile,
  { isDryRun, isRestart, target }: ImportOptions,
) {
  const fresh = freshJournal(file, target);
  if (isDryRun) return fresh;
  const kept = isRestart ? null : yield* onFiles(() => readJournal(file.path));
  const refuse = (why: string) =>
    new CommandRefused({
      message: `An import of this file was begun (${journalOf(file.path)}) and not finished${why} With --restart it is forgotten, and this one begins anew.`,
    });
  if (kept === "unreadable") return yield* refuse(", but how far it came cannot be read.");
  if (kept !== null) {
    if (!sameTarget(kept.target, target)) {
      const { environment, url, workspace } = kept.target;
      return yield* refuse(`, into ${environment} of the workspace ${workspace} at ${url}.`);
    }
    if (kept.digest !== file.digest) return yield* refuse(", and the file has changed since.");
    return kept;
  }
  yield* onFiles(() => writeJournal(file.path, fresh));
  return fresh;
});

const importPart = Effect.fnUntraced(function* (part: ImportPart, id: string, options: ImportOptions) {
  const sent = part.filter((entry) => entry._tag === "Feature");
  const features = sent.map(({ feature }) => feature);
  const report = sent.length === 0 ? null : yield* options.send(features, id);
  const reasons = new Map(
    sent.map((entry, index) => [entry as ImportPart[number], report?.results[index]?.reasons ?? null]),
  );
  const refused = part.flatMap((entry): ReadonlyArray<RefusedEntry> => {
    const why = entry._tag === "Unread" ? entry.reasons : (reasons.get(entry) ?? null);
    return why === null ? [] : [{ entry, reasons: why }];
  });
  const { created, failed, skipped, updated } = report?.summary ?? {
    created: 0,
    updated: 0,
    skipped: 0,
    failed: 0,
  };
  return {
    refused,
    counts: { created, updated, skipped, failed: failed + part.length - sent.length },
  };
});

const plus = (a: Counts, b: Counts): Counts => ({
  created: a.created + b.created,
  updated: a.updated + b.updated,
  skipped: a.skipped + b.skipped,
  failed: a.failed + b.failed,
});

/**
 * Imports a file part by part, going on after those that an earlier run had done. What a part refused is on disk, then the journal says
 * that the part is done: stopped at any moment, the next run does the same part again under the same id, which imports nothing twice.
 */
export const importFromFile = Effect.fnUntraced(function* (file: SurveyedFile, options: ImportOptions) {
  const began = yield* Clock.currentTimeMillis;
  let journal: Journal = yield* openJournal(file, options);
  const resumedParts = journal.parts;
  yield* options.onProgress(0);
  const run = Effect.fnUntraced(function* (refused: RefusedFile) {
    const parts = partsOf(file);
    let index = 0;
    let done = 0;
    while (true) {
      const next = yield* onFiles(() => parts.next());
      if (next.done === true) break;
      done += next.value.length;
      if (index++ < journal.parts) {
        yield* options.onProgress(done);
        continue;
      }
      const { counts, refused: places } = yield* importPart(next.value, partId(journal, index - 1), options);
      yield* onFiles(() => refused.add(places));
      journal = {
        ...journal,
        parts: index,
        counts: plus(journal.counts, counts),
        refusedBytes: refused.length(),
      };
      if (!options.isDryRun) yield* onFiles(() => writeJournal(file.path, journal));
      yield* options.onProgress(done);
    }
    return index;
  });
  const parts = yield* Effect.acquireUseRelease(
    Effect.mapError(
      onFiles(() => openRefused(file, options.isDryRun, journal.refusedBytes)),
      ({ message }) =>
        new CommandRefused({
          message: `${refusedPathOf(file, options.isDryRun)} cannot be written: refused features go there. ${message}`,
        }),
    ),
    (refused) =>
      Effect.flatMap(run(refused), (count) =>
        Effect.map(onFiles(refused.finish), (path) => ({ count, path })),
      ),
    (refused) => Effect.promise(() => refused.close().catch(() => undefined)),
  );
  if (!options.isDryRun) yield* onFiles(() => removeJournal(file.path));
  const seconds = ((yield* Clock.currentTimeMillis) - began) / 1000;
  return {
    counts: journal.counts,
    resumedParts,
    parts: parts.count,
    refusedFile: parts.path,
    seconds,
  } satisfies ImportOutcome;
});

import { Clock, Effect } from "effect";
import { diskProblem } from "../../backup/DiskProblem.ts";
import { ImportFileBroken } from "../../client/location-files/ImportEntry.ts";
import { addCounts, featuresOf, partResult } from "../../client/location-files/PartResult.ts";
import type { ImportReport } from "../../client/WaypostClient.ts";
import { visible } from "../../wire/VisibleText.ts";
import { type CommandRefused, refused } from "../CommandRefused.ts";
import { filePartsOf, type SurveyedFile } from "./ImportFile.ts";
import {
  type Journal,
  journalPath,
  newJournal,
  partId,
  readJournal,
  removeJournal,
  type Target,
  writeJournal,
} from "./ImportJournal.ts";
import { openRefused, type RefusedFile, refusedPathOf } from "./RefusedFile.ts";

/** Runs work on files. A failure becomes `CommandRefused` with a sentence. */
export const onFiles = <A>(work: () => Promise<A>): Effect.Effect<A, CommandRefused> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      refused(
        error instanceof ImportFileBroken
          ? error.message
          : `A file could not be read or written: ${diskProblem(error)}.`,
      ),
  });

/** Options of an import. */
export interface ImportOptions {
  readonly target: Target;
  readonly isDryRun: boolean;
  /** Whether to discard an interrupted import of this file. */
  readonly isRestart: boolean;
  /** Sends one part. A part may be sent again under the same id. */
  readonly send: (
    features: ReadonlyArray<unknown>,
    id: string,
  ) => Effect.Effect<ImportReport, CommandRefused>;
  /** Receives the number of completed entries. */
  readonly onProgress: (done: number) => Effect.Effect<void>;
}

const isSameTarget = (a: Target, b: Target): boolean =>
  a.url === b.url && a.workspace === b.workspace && a.environment === b.environment;

/** Opens the journal to resume from. The journal of another file or another target is refused. */
const openJournal = Effect.fnUntraced(function* (
  file: SurveyedFile,
  { isDryRun, isRestart, target }: ImportOptions,
) {
  const fresh = newJournal(file, target);
  if (isDryRun) return fresh;
  const existing = isRestart ? null : yield* onFiles(() => readJournal(file.path));
  const refuse = (problem: string) =>
    refused(
      `An earlier import of this file is not finished${problem} ` +
        `Its journal is ${journalPath(file.path)}. Give --restart to discard it and start again.`,
    );
  if (existing === "unreadable") return yield* refuse(", but its progress cannot be read.");
  if (existing !== null) {
    if (!isSameTarget(existing.target, target)) {
      const { environment, url, workspace } = existing.target;
      return yield* refuse(visible(`, into ${environment} of the workspace ${workspace} at ${url}.`));
    }
    if (existing.digest !== file.digest) return yield* refuse(", and the file has changed since.");
    const { isIdExternal, isSplit } = existing.changes;
    if (isSplit !== file.changes.isSplit || isIdExternal !== file.changes.isIdExternal) {
      const flags = [isSplit ? "--split" : "", isIdExternal ? "--id-from id" : ""].filter(
        (flag) => flag !== "",
      );
      return yield* refuse(
        `; it has ${flags.length === 0 ? "neither --split nor --id-from" : flags.join(" ")}.`,
      );
    }
    return existing;
  }
  yield* onFiles(() => writeJournal(file.path, fresh));
  return fresh;
});

/** Imports the parts that the journal does not list yet. Returns the final journal. */
const importParts = Effect.fnUntraced(function* (
  file: SurveyedFile,
  options: ImportOptions,
  resumed: Journal,
  refusedFile: RefusedFile,
) {
  const parts = filePartsOf(file);
  let journal = resumed;
  let done = 0;
  for (let index = 0; ; index++) {
    const next = yield* onFiles(() => parts.next());
    if (next.done === true) return journal;
    done += next.value.length;
    if (index >= journal.parts) {
      const features = featuresOf(next.value);
      const report = features.length === 0 ? null : yield* options.send(features, partId(journal, index));
      const { counts, results } = partResult(next.value, report);
      yield* onFiles(() => refusedFile.add(results.filter(({ reasons }) => reasons.length > 0)));
      journal = {
        ...journal,
        parts: index + 1,
        counts: addCounts(journal.counts, counts),
        refusedBytes: refusedFile.length(),
      };
      const completed = journal;
      if (!options.isDryRun) yield* onFiles(() => writeJournal(file.path, completed));
    }
    yield* options.onProgress(done);
  }
});

/**
 * Imports a file part by part, and resumes after the parts of an earlier run. Refused entries are synced to
 * disk before the journal marks their part as completed. If the import is interrupted at any point, the next
 * run sends the same part again under the same id, which imports nothing twice.
 */
export const importFromFile = Effect.fnUntraced(function* (file: SurveyedFile, options: ImportOptions) {
  const startedAt = yield* Clock.currentTimeMillis;
  const resumed = yield* openJournal(file, options);
  yield* options.onProgress(0);
  const openRefusedFile = Effect.mapError(
    onFiles(() => openRefused(file, options.isDryRun, resumed.refusedBytes)),
    ({ message }) =>
      refused(`${refusedPathOf(file, options.isDryRun)} (refused features) cannot be written. ${message}`),
  );
  const { journal, refusedPath } = yield* Effect.acquireUseRelease(
    openRefusedFile,
    (refusedFile) =>
      Effect.gen(function* () {
        const completed = yield* importParts(file, options, resumed, refusedFile);
        return { journal: completed, refusedPath: yield* onFiles(refusedFile.finish) };
      }),
    (refusedFile) => Effect.promise(() => refusedFile.close().catch(() => undefined)),
  );
  if (!options.isDryRun) yield* onFiles(() => removeJournal(file.path));
  return {
    counts: journal.counts,
    /** Number of parts that an earlier run completed. */
    resumedParts: resumed.parts,
    parts: journal.parts,
    /** Path of the file of refused features; null if there are none. */
    refusedFile: refusedPath,
    seconds: ((yield* Clock.currentTimeMillis) - startedAt) / 1000,
  };
});
/** The result of an import. */
export type ImportOutcome = Effect.Success<ReturnType<typeof importFromFile>>;

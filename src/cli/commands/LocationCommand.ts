import { Console, Effect, Option, Schedule } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { HttpClientError } from "effect/http";
import { Conflict, InternalError, ServiceUnavailable } from "../../wire/ApiError.ts";
import { type ImportFormat, importFormats, surveyFile } from "../location-import/ImportFile.ts";
import { importFromFile, type ImportOutcome, onFiles } from "../location-import/FileImport.ts";
import { CommandRefused } from "../CommandRefused.ts";
import { environmentFlag, findWorkspace, workspaceFlag } from "../Lookups.ts";
import { operator, operatorFlags } from "../Operator.ts";
import { printOne } from "../terminal/Output.ts";
import { progressBar } from "../terminal/ProgressBars.ts";
import { details } from "../terminal/Table.ts";

/** Longest wait for the answer to one part. */
const partSeconds = 120;

/** Half a second, doubled six times: half a minute for a server that is started anew. */
const patience = { schedule: Schedule.exponential("500 millis"), times: 6 };

class NoAnswer {
  readonly _tag = "NoAnswer";
}

/** Whether the same part may fare better in a moment. */
const isPassing = (failure: unknown): boolean =>
  failure instanceof NoAnswer ||
  failure instanceof ServiceUnavailable ||
  failure instanceof InternalError ||
  (failure instanceof Conflict && failure.error.code === "request_in_progress") ||
  (HttpClientError.isHttpClientError(failure) &&
    (failure.reason._tag === "TransportError" || (failure.response?.status ?? 0) >= 500));

const whole = (value: number): string => value.toLocaleString("en-US");

const summary = (
  file: string,
  where: string,
  isDryRun: boolean,
  { counts, resumedParts, seconds }: ImportOutcome,
) =>
  [
    isDryRun
      ? `This is what importing ${file} into ${where} would do; nothing was written.`
      : `Imported ${file} into ${where} in ${seconds.toFixed(1)} s.`,
    ...(resumedParts === 0 ? [] : [`It went on after ${resumedParts} parts that were done before.`]),
    "",
    details([
      ["created", whole(counts.created)],
      ["updated", whole(counts.updated)],
      [
        "skipped",
        `${whole(counts.skipped)}${counts.skipped === 0 ? "" : " (over the plan's max_locations)"}`,
      ],
      ["failed", whole(counts.failed)],
    ]),
  ].join("\n");

const importFile = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        "GeoJSON, newline-delimited GeoJSON, or CSV with name, latitude, longitude and radius",
      ),
    ),
    workspace: workspaceFlag,
    environment: environmentFlag,
    format: Flag.Literals("format", importFormats).pipe(
      Flag.withDescription("What the file is, where its name and its beginning do not tell"),
      Flag.optional,
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Tell what would become of each feature, and write nothing"),
      Flag.withDefault(false),
    ),
    restart: Flag.Boolean("restart").pipe(
      Flag.withDescription("Forget an import of this file that was stopped, and begin anew"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    // One that is not there is told before a large file is read.
    const { data: found } = yield* ask((client) => client.workspaces.get({ params: { workspace } }));

    const format: ImportFormat | undefined = Option.getOrUndefined(flags.format);
    const reading = yield* progressBar("bytes read");
    const file = yield* Effect.ensuring(
      onFiles(() => surveyFile(flags.file, format, (read, all) => reading.at(read, all))),
      Effect.sync(reading.clear),
    );

    const send = (features: ReadonlyArray<unknown>, part: string) =>
      ask((client) =>
        client.locations
          .import({
            params: { workspace, env: flags.environment },
            query: flags.dryRun ? { dry_run: "1" } : { part },
            payload: { type: "FeatureCollection", features },
          })
          .pipe(
            Effect.timeoutOrElse({
              duration: `${partSeconds} seconds`,
              orElse: () => Effect.fail(new NoAnswer()),
            }),
            Effect.retry({ ...patience, while: isPassing }),
            Effect.catchIf(
              (failure): failure is NoAnswer => failure instanceof NoAnswer,
              () => Effect.fail(ServiceUnavailable.of(`There was no answer within ${partSeconds} seconds.`)),
            ),
          ),
      ).pipe(
        Effect.map(({ data }) => data),
        Effect.mapError(({ message }) =>
          flags.dryRun
            ? new CommandRefused({ message })
            : new CommandRefused({ message: `${message}\nThe same command goes on where this one stopped.` }),
        ),
      );

    const bar = yield* progressBar("places");
    const outcome = yield* importFromFile(file, {
      target: { url: ask.url, workspace, environment: flags.environment },
      isDryRun: flags.dryRun,
      isRestart: flags.restart,
      send,
      onProgress: (done) => Effect.sync(() => bar.at(done, file.entries)),
    }).pipe(
      Effect.ensuring(Effect.sync(bar.clear)),
      Effect.onInterrupt(() => Console.error("Stopped. The same command goes on where this one stopped.")),
    );

    const { counts, refusedFile } = outcome;
    const told = {
      dry_run: flags.dryRun,
      file: flags.file,
      format: file.format,
      features: file.entries,
      ...counts,
      parts: outcome.parts,
      resumed_parts: outcome.resumedParts,
      refused_file: refusedFile,
      seconds: outcome.seconds,
    };
    yield* printOne(told, () =>
      summary(flags.file, `${flags.environment} of ${found.name}`, flags.dryRun, outcome),
    );
    if (refusedFile === null) return;
    return yield* new CommandRefused({
      message: `${whole(counts.failed + counts.skipped)} were refused. They are in ${refusedFile}, each with its reasons: mend them there and import that file.`,
    });
  }),
).pipe(
  Command.withDescription(
    "Import a file of places of any size: stopped, the same command goes on. Refused ones go to a file with the reasons",
  ),
  Command.withExamples([
    { command: "waypost location import stores.geojson --workspace Acme --environment production" },
    {
      command: "waypost location import stores.csv --workspace Acme --environment sandbox --dry-run",
      description:
        "Columns name, latitude, longitude, radius, and external_id and group where there are such",
    },
  ]),
);

/** `waypost location …` */
export const locationCommand = Command.make("location").pipe(
  Command.withDescription("Places for geo campaigns to target"),
  Command.withSubcommands([importFile]),
  Command.withExamples([
    { command: "waypost location import stores.geojson --workspace Acme --environment production" },
  ]),
  Command.withGlobalFlags(operatorFlags),
);

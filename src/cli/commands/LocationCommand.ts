import { Console, Effect } from "effect";
import { Flag } from "effect/cli";
import type { LocationShape } from "../../client/WaypostClient.ts";
import { type ImportFormat, importFormats } from "../../client/location-files/FileFormat.ts";
import { counted } from "../../wire/Text.ts";
import { visible } from "../../wire/VisibleText.ts";
import { badUsage, refused } from "../CommandRefused.ts";
import { commandOn, type Platform, platform, platformTarget } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { choiceFlag, optional, optionalFlag, repeatedFlag, switchFlag, textArgument } from "../Flags.ts";
import {
  importFromFile,
  type ImportOptions,
  type ImportOutcome,
  onFiles,
} from "../location-import/FileImport.ts";
import { surveyFile } from "../location-import/ImportFile.ts";
import { locateServer } from "../Operator.ts";
import { formatCount } from "../terminal/Formats.ts";
import { printOne } from "../terminal/Output.ts";
import { progressBar } from "../terminal/ProgressBars.ts";
import { details } from "../terminal/Table.ts";

/** Repeats a part for about half a minute, enough for a server to restart. */
const retry = { attempts: 10, firstPauseMs: 500, totalMs: 15 * 60_000 };

/** Time limit of one attempt to send a part, in milliseconds. */
const timeoutMs = 120_000;

const resumeHint = "Run the same command again to resume.";

/** A function that sends one part, with retries. The id of a part makes the server import it once. */
const partSender =
  (platform: Platform, isDryRun: boolean): ImportOptions["send"] =>
  (features, part) =>
    Effect.mapError(
      platform((client) =>
        client.locations.import(
          // The server reports what is wrong with a feature of the file.
          { type: "FeatureCollection", features },
          isDryRun ? { dryRun: true, timeoutMs } : { idempotencyKey: part, timeoutMs },
        ),
      ),
      ({ message }) => refused(isDryRun ? message : `${message}\n${resumeHint}`),
    );

const summary = (
  file: string,
  target: string,
  isDryRun: boolean,
  { counts, resumedParts, seconds }: ImportOutcome,
) =>
  [
    isDryRun
      ? `Importing ${file} into ${target} would have this result. Nothing was written.`
      : `Imported ${file} into ${target} in ${seconds.toFixed(1)} s.`,
    ...(resumedParts === 0 ? [] : [`It resumed after ${counted(resumedParts, "completed part")}.`]),
    "",
    details([
      ["created", formatCount(counts.created)],
      ["updated", formatCount(counts.updated)],
      [
        "skipped",
        `${formatCount(counts.skipped)}${counts.skipped === 0 ? "" : " (over the plan's max_locations)"}`,
      ],
      ["failed", formatCount(counts.failed)],
    ]),
  ].join("\n");

const importFile = commandOn(platformTarget({ retry }), "import", {
  description:
    "Import a file of locations of any size. An interrupted import resumes with the same command. " +
    "Refused features are written to a file, with the reasons",
  examples: [
    "waypost location import stores.geojson --workspace Acme --environment production",
    {
      command: "waypost location import stores.csv --workspace Acme --environment sandbox --dry-run",
      description: "Columns: name, latitude, longitude, radius; optionally external_id and group",
    },
    {
      command: "waypost location import areas.geojson -w Acme -e production --split --id-from id",
      description: "A MultiPolygon becomes several locations; the id of a feature is its external_id",
    },
  ],
  flags: {
    file: textArgument(
      "file",
      "GeoJSON, newline-delimited GeoJSON, or CSV with name, latitude, longitude and radius",
    ),
    format: choiceFlag(
      "format",
      importFormats,
      "Format of the file; detected from its name and content if left out",
    ),
    split: switchFlag(
      "split",
      "Import each polygon of a MultiPolygon as a location: name (1 of 3), external_id#1",
    ),
    idFrom: choiceFlag("id-from", ["id"], "Take each feature's own id as its external_id"),
    dryRun: switchFlag("dry-run", "Report the result for each feature, and write nothing"),
    restart: switchFlag("restart", "Discard an interrupted import of this file, and start again"),
  },
  *run(ask, flags) {
    // Checked first, so that an unknown workspace is reported before a large file is read.
    const { environment, workspace } = yield* ask((client) => client.me());

    const format: ImportFormat | undefined = flags.format;
    const changes = { isSplit: flags.split, isIdExternal: flags.idFrom !== undefined };
    const readBar = yield* progressBar("bytes read");
    const file = yield* Effect.ensuring(
      onFiles(() => surveyFile(flags.file, format, changes, readBar.report)),
      Effect.sync(readBar.clear),
    );
    if (file.format === "csv" && (changes.isSplit || changes.isIdExternal)) {
      return yield* badUsage("--split and --id-from are for GeoJSON: in a CSV, name a column external_id.");
    }

    const importBar = yield* progressBar("locations");
    const outcome = yield* importFromFile(file, {
      target: { url: (yield* locateServer).url, workspace: workspace.id, environment },
      isDryRun: flags.dryRun,
      isRestart: flags.restart,
      send: partSender(ask, flags.dryRun),
      onProgress: (done) => Effect.sync(() => importBar.report(done, file.entries)),
    }).pipe(
      Effect.ensuring(Effect.sync(importBar.clear)),
      Effect.onInterrupt(() => Console.error(`Stopped. ${resumeHint}`)),
    );

    const { counts, refusedFile } = outcome;
    const result = {
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
    yield* printOne(result, () =>
      summary(visible(flags.file), `${environment} of ${visible(workspace.name)}`, flags.dryRun, outcome),
    );
    if (refusedFile === null) return;
    return yield* refused(
      counts.failed + counts.skipped === 1
        ? `1 feature was refused. It is in ${visible(refusedFile)}, with its reasons: ` +
            "correct it there and import that file."
        : `${formatCount(counts.failed + counts.skipped)} features were refused. ` +
            `They are in ${visible(refusedFile)}, each with its reasons: ` +
            "correct them there and import that file.",
    );
  },
});

const change = commandOn(platform, "change", {
  description: "Change the name, the shape or the groups of a location",
  examples: [
    "waypost location change 01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01 -w Acme -e sandbox --radius 200",
    {
      command:
        "waypost location change 01980a6c-2b11-7e0a-8c55-6d2f9b1a4e01 -w Acme -e sandbox " +
        '--geometry \'{"type": "Point", "coordinates": [4.89, 52.37]}\' --radius 150 --group Amsterdam',
      description: "The groups are all that the location is in from then on",
    },
  ],
  flags: {
    location: textArgument("location", "Id of the location"),
    name: optionalFlag("name", "New name"),
    geometry: optionalFlag("geometry", "New GeoJSON geometry: a Point, which needs --radius, or a Polygon"),
    radius: optional(Flag.Int("radius").pipe(Flag.withDescription("New radius in metres, 50 to 1000"))),
    groups: repeatedFlag("group", "Name of a group that the location is in from then on"),
    noGroups: switchFlag("no-groups", "Take the location out of all groups"),
  },
  *run(ask, { geometry: text, groups, location, name, noGroups, radius }) {
    const geometry =
      text === undefined
        ? undefined
        : yield* Effect.try({
            try: () => JSON.parse(text) as LocationShape["geometry"],
            catch: () => badUsage("--geometry must be a GeoJSON geometry, such as a Point or a Polygon."),
          });
    if (geometry !== undefined || radius !== undefined) {
      const kept = yield* ask((client) => client.locations.get(location));
      if (geometry === undefined && kept.type === "polygon")
        return yield* badUsage(
          "--radius is for circles, and this location is a polygon: give --geometry, too.",
        );
      const shape = { geometry: geometry ?? kept.geometry, radius_meters: radius };
      yield* ask((client) => client.locations.setShape(location, shape));
    }
    if (groups.length > 0 || noGroups)
      yield* ask((client) => client.locations.setGroups(location, { groups }));
    const changed = yield* ask((client) => client.locations.update(location, { name }));
    yield* printOne(
      changed,
      ({ groups: inGroups, name: newName, radius_meters, type }) =>
        `Changed the location "${visible(newName)}": a ${type}` +
        `${radius_meters === null ? "" : ` of ${radius_meters} metres`}, ` +
        `${inGroups.length === 0 ? "in no group" : `in ${visible(inGroups.join(", "))}`}.`,
    );
  },
});

/** `waypost location …` */
export const locationCommand = operatorCommands("location", {
  description: "Locations that geo campaigns target",
  examples: ["waypost location import stores.geojson --workspace Acme --environment production"],
  commands: [importFile, change],
});

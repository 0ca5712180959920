import { Console, Effect, Schema } from "effect";
import { Argument, Command } from "effect/cli";
import { existsSync } from "node:fs";
import { extname } from "node:path";
import { DeviceImportReport } from "../../devices/import/DeviceImport.ts";
import { Data } from "../../wire/Envelope.ts";
import { visible } from "../../wire/VisibleText.ts";
import { BadUsage } from "../CommandRefused.ts";
import { environmentFlags, openEnvironment } from "../Lookups.ts";
import { Json } from "../Operator.ts";
import { formatCount } from "../terminal/Formats.ts";

const Report = Schema.fromJsonString(Data(DeviceImportReport));
/** Failed rows that are shown. */
const maxShown = 20;

/** The content type of a file, by its name. */
const typeOf = (file: string): string =>
  [".ndjson", ".jsonl", ".json"].includes(extname(file).toLowerCase()) ? "application/x-ndjson" : "text/csv";

/** `waypost device import` */
export const importDevices = Command.make(
  "import",
  {
    ...environmentFlags,
    file: Argument.String("file").pipe(
      Argument.withDescription("CSV, or a file with a JSON object in each line (.ndjson, .jsonl)"),
    ),
  },
  Effect.fn(function* (flags) {
    if (!existsSync(flags.file)) return yield* new BadUsage({ message: `There is no file ${flags.file}.` });
    const { ask, params } = yield* openEnvironment(flags);
    const path = `/workspaces/${params.workspace}/${params.env}/devices/import`;
    const text = yield* ask.upload(path, flags.file, typeOf(flags.file));
    if (yield* Json) return yield* Console.log(text);
    const { data } = yield* Effect.orDie(Schema.decodeEffect(Report)(text));
    const { created, failed, updated } = data.summary;
    const count = (rows: number, what: string) => `${formatCount(rows)} ${what}`;
    yield* Console.log(
      [count(created, "created"), count(updated, "updated"), count(failed, "failed")].join(", "),
    );
    const reasons = data.results.flatMap((result) =>
      (result.reasons ?? []).map((reason) => `row ${result.index}: ${reason}`),
    );
    for (const each of reasons.slice(0, maxShown)) yield* Console.log(visible(each));
    if (reasons.length > maxShown) yield* Console.log("There are more: use --json to see all.");
  }),
).pipe(
  Command.withDescription(
    "Import devices of another system, with their push addresses, from a file of any size",
  ),
  Command.withExamples([
    { command: "waypost device import --workspace Acme --environment production devices.csv" },
  ]),
);

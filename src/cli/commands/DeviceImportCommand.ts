import { Console } from "effect";
import { existsSync } from "node:fs";
import { visible } from "../../wire/VisibleText.ts";
import { badUsage } from "../CommandRefused.ts";
import { command } from "../DeclaredCommand.ts";
import { environmentFlags, textArgument } from "../Flags.ts";
import { openEnvironment } from "../Lookups.ts";
import { Json } from "../Operator.ts";
import { formatCount } from "../terminal/Formats.ts";

/** Failed rows that are shown. */
const maxShown = 20;

/** `waypost device import` */
export const importDevices = command("import", {
  description: "Import devices of another system, with their push addresses, from a file of any size",
  examples: ["waypost device import --workspace Acme --environment production devices.csv"],
  flags: {
    ...environmentFlags,
    file: textArgument("file", "CSV, or a file with a JSON object in each line (.ndjson, .jsonl)"),
  },
  *run(flags) {
    if (!existsSync(flags.file)) return yield* badUsage(`There is no file ${flags.file}.`);
    const { ask, at } = yield* openEnvironment(flags);
    const data = yield* ask((client) => client.deviceImport.import(...at, flags.file));
    if (yield* Json) return yield* Console.log(JSON.stringify({ data }));
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
  },
});

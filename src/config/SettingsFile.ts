/** The settings file of `--config`: lines of `KEY=VALUE`. */
import { Effect } from "effect";
import { readFile } from "node:fs/promises";
import { SettingsInvalid, type SettingsRecord } from "./SettingReader.ts";
import { allSettings } from "./SettingsTable.ts";

/**
 * Parses `KEY=VALUE` lines with `#` comments, optional quotes and an optional leading `export`. `badLines`
 * holds the numbers of the lines that are none of these. Node's `util.parseEnv` skips such lines and cuts
 * values at `#` (decision 0040).
 */
const parseLines = (text: string) => {
  const entries: Array<readonly [name: string, value: string]> = [];
  const badLines: Array<number> = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const [, name, quoted, single, plain] =
      /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^"'].*)?)$/.exec(trimmed) ?? [];
    if (name === undefined) badLines.push(index + 1);
    else entries.push([name, quoted ?? single ?? plain ?? ""]);
  }
  return { record: Object.fromEntries(entries), badLines };
};

const reason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && error.code === "ENOENT" ? "there is no such file" : error.message;
};

/** Reads a settings file. Fails with a problem for each malformed line and each unknown setting. */
export const readSettingsFile = Effect.fnUntraced(function* (
  path: string,
): Effect.fn.Return<SettingsRecord, SettingsInvalid> {
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) =>
      new SettingsInvalid({ problems: [`The settings file ${path} cannot be read: ${reason(error)}.`] }),
  });
  const { badLines, record } = parseLines(text);
  const known = new Set(allSettings.map(({ name }) => name));
  const problems = [
    ...badLines.map((line) => `Line ${line} of ${path} must be KEY=VALUE, a comment or empty.`),
    ...Object.keys(record)
      .filter((name) => !known.has(name) && !name.startsWith("AWS_"))
      .map((name) => `${path} sets ${name}, which is not a setting of Waypost.`),
  ];
  return problems.length === 0 ? record : yield* new SettingsInvalid({ problems });
});

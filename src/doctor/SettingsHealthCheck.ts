import { Effect } from "effect";
import { stat } from "node:fs/promises";
import { Settings, type SettingsInvalid, type SettingsRecord } from "../config/Settings.ts";
import { runCheck, type Finding, fine, type Observation, problem, warning } from "./HealthCheck.ts";
import { contradictions } from "./SettingsConflicts.ts";
import { counted } from "../wire/Text.ts";

/** What the command line reads beside the settings, and what the launcher sets. */
const alsoKnown = new Set(["WAYPOST_URL", "WAYPOST_BEHIND_LAUNCHER"]);

/** Changes of one character that make one text of the other. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, character] of one.split("").entries()) {
    const next = [at + 1];
    for (const [place, wanted] of other.split("").entries()) {
      const swap = (row[place] ?? 0) + (character === wanted ? 0 : 1);
      next.push(Math.min((next[place] ?? 0) + 1, (row[place + 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

const nearest = (name: string): string | undefined =>
  Settings.settings
    .map((setting) => ({ name: setting.name, far: distance(name, setting.name) }))
    .filter(({ far }) => far <= 4)
    .toSorted((one, other) => one.far - other.far)[0]?.name;

const unknownNames = (record: SettingsRecord): ReadonlyArray<Observation> => {
  const known = new Set(Settings.settings.map(({ name }) => name));
  return Object.keys(record)
    .filter((name) => name.startsWith("WAYPOST_") && !known.has(name) && !alsoKnown.has(name))
    .toSorted()
    .map((name) => {
      const meant = nearest(name);
      return warning(
        `${name} is set, and is not a setting of Waypost.`,
        `${meant === undefined ? "" : `If you meant ${meant}, call it so. `}Else remove it: it has no effect.`,
      );
    });
};

/** The settings file, if one was named: whether others can read the keys in it. */
const fileMode = Effect.fnUntraced(function* (path: string, fromFile: SettingsRecord) {
  const { mode } = yield* Effect.promise(() => stat(path));
  const secrets = ["DATABASE_URL", "WAYPOST_OPERATOR_KEY", "WAYPOST_SECRET_KEY", "AWS_SECRET_ACCESS_KEY"];
  const held = secrets.filter((name) => (fromFile[name] ?? "") !== "");
  if ((mode & 0o077) === 0 || held.length === 0)
    return fine(`The settings file ${path} is closed to others.`);
  return warning(
    `The settings file ${path} holds ${held.join(", ")}, and other accounts can read it.`,
    `chmod 600 ${path}`,
  );
});

/** The settings as far as they can be read, and what is wrong with the others. */
export interface ReadSettings {
  readonly record: SettingsRecord;
  readonly config: Settings["Service"];
  readonly findings: ReadonlyArray<Finding>;
}

/** Reads the settings as `serve` does; one that is wrong counts as not set for what is looked at next. */
export const settingsHealthCheck = Effect.fnUntraced(function* (
  environment: SettingsRecord,
  file: string | null,
): Effect.fn.Return<ReadSettings> {
  const problems: Array<string> = [];
  const noting = (error: SettingsInvalid) => {
    problems.push(...error.problems);
    return Effect.succeed({});
  };
  const fromFile: SettingsRecord =
    file === null ? {} : yield* Settings.readFile(file).pipe(Effect.catch(noting));
  let record: Record<string, string | undefined> = { ...environment, ...fromFile };
  const whole = yield* Effect.result(Settings.fromRecord(record));
  if (whole._tag === "Failure") {
    problems.push(...whole.failure.problems);
    const wrong = new Set(problems.flatMap((text) => /^[A-Z][A-Z0-9_]+/.exec(text)?.[0] ?? []));
    if (problems.some((text) => text.includes("WAYPOST_MEDIA_STORE"))) wrong.add("WAYPOST_MEDIA_STORE");
    record = Object.fromEntries(Object.entries(record).filter(([name]) => !wrong.has(name)));
  }
  const config = yield* whole._tag === "Success"
    ? Effect.succeed(whole.success)
    : Settings.fromRecord(record).pipe(
        Effect.catchCause(() => Settings.fromRecord({})),
        Effect.orDie,
      );
  const set = Settings.settings
    .filter(({ name }) => (record[name] ?? "").trim() !== "")
    .map(({ name }) => name);
  const findings = [
    yield* runCheck(
      "settings",
      "values",
      Effect.succeed(
        problems.length === 0
          ? fine(
              `All ${counted(Settings.settings.length, "setting")} can be read; set: ${set.length === 0 ? "none" : set.join(", ")}.`,
            )
          : problems.map((text) => problem(text, "waypost serve refuses to start until it is right.")),
      ),
    ),
    yield* runCheck("settings", "unknown", Effect.succeed(unknownNames({ ...environment, ...fromFile }))),
    yield* runCheck("settings", "together", Effect.succeed(contradictions(config, record))),
    file === null ? [] : yield* runCheck("settings", "file", fileMode(file, fromFile)),
  ];
  return { record, config, findings: findings.flat() };
});

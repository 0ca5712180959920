import { Effect, Result } from "effect";
import { stat } from "node:fs/promises";
import { secretAwsVariables } from "../config/MediaStoreSetting.ts";
import { nearestNames, orList } from "../config/NearestName.ts";
import { Settings, type SettingsInvalid, type SettingsRecord } from "../config/Settings.ts";
import { allSettings } from "../config/SettingsTable.ts";
import { counted } from "../wire/Text.ts";
import { ok, type Outcome, problem, runCheck, warning } from "./HealthCheck.ts";
import { settingsConflicts } from "./SettingsConflicts.ts";

/** Variables that are not settings: one of the command line, and one that the launcher sets. */
const otherVariables = ["WAYPOST_URL", "WAYPOST_BEHIND_LAUNCHER"];

const unknownSettings = (record: SettingsRecord): ReadonlyArray<Outcome> => {
  const names = allSettings.map(({ name }) => name);
  const known = new Set([...names, ...otherVariables]);
  return Object.keys(record)
    .filter((name) => name.startsWith("WAYPOST_") && !known.has(name))
    .toSorted()
    .map((name) => {
      const similar = nearestNames(name, names);
      return warning(
        `${name} is set, but is not a setting of Waypost.`,
        similar.length === 0
          ? "Remove it: it has no effect."
          : `If you meant ${orList(similar)}, rename it. Otherwise remove it: it has no effect.`,
      );
    });
};

/** Checks that other accounts cannot read secrets in the settings file. */
const filePermissions = Effect.fnUntraced(function* (path: string, fromFile: SettingsRecord) {
  const { mode } = yield* Effect.promise(() => stat(path));
  const secrets = allSettings.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  const present = [...secrets, ...secretAwsVariables].filter((name) => (fromFile[name] ?? "") !== "");
  if (present.length === 0) return ok(`The settings file ${path} holds no secrets.`);
  if ((mode & 0o077) === 0) return ok(`Other accounts cannot read the settings file ${path}.`);
  return warning(
    `The settings file ${path} holds ${present.join(", ")}, and other accounts can read it.`,
    `chmod 600 ${path}`,
  );
});

/** The record without the settings that the problems name. */
const withoutInvalid = (record: SettingsRecord, problems: ReadonlyArray<string>): SettingsRecord => {
  const invalid = new Set(problems.flatMap((text) => /^[A-Z][A-Z0-9_]+/.exec(text)?.[0] ?? []));
  if (problems.some((text) => text.includes("WAYPOST_MEDIA_STORE"))) invalid.add("WAYPOST_MEDIA_STORE");
  return Object.fromEntries(Object.entries(record).filter(([name]) => !invalid.has(name)));
};

/**
 * Reads the settings as `serve` does, and gives the findings about those that cannot be read. For the other
 * checks, an invalid setting counts as not set.
 */
export const settingsHealthCheck = Effect.fnUntraced(function* (
  environment: SettingsRecord,
  file: string | null,
) {
  const problems: Array<string> = [];
  const addProblems = (error: SettingsInvalid) => {
    problems.push(...error.problems);
    return Effect.succeed({});
  };
  const fromFile: SettingsRecord =
    file === null ? {} : yield* Settings.readFile(file).pipe(Effect.catch(addProblems));
  const given: SettingsRecord = { ...environment, ...fromFile };
  const parsed = yield* Effect.result(Settings.fromRecord(given));
  if (Result.isFailure(parsed)) problems.push(...parsed.failure.problems);
  const record = Result.isSuccess(parsed) ? given : withoutInvalid(given, problems);
  const settings = yield* Result.isSuccess(parsed)
    ? Effect.succeed(parsed.success)
    : Settings.fromRecord(record).pipe(
        Effect.catchCause(() => Settings.fromRecord({})),
        Effect.orDie,
      );
  const setNames = allSettings
    .filter(({ name }) => (record[name] ?? "").trim() !== "")
    .map(({ name }) => name);
  const values =
    problems.length === 0
      ? ok(
          `All ${counted(allSettings.length, "setting")} are valid; ` +
            `set: ${setNames.length === 0 ? "none" : setNames.join(", ")}.`,
        )
      : problems.map((text) => problem(text, "Correct it: waypost serve refuses to start otherwise."));
  const findings = [
    yield* runCheck("settings", "values", Effect.succeed(values)),
    yield* runCheck("settings", "unknown", Effect.succeed(unknownSettings(given))),
    yield* runCheck("settings", "together", Effect.succeed(settingsConflicts(settings, record))),
    file === null ? [] : yield* runCheck("settings", "file", filePermissions(file, fromFile)),
  ];
  return { record, settings, findings: findings.flat() };
});

/** The budget of growth: the lines of each room in `lines.json` beside this file. */
import type { Finding, SourceFile } from "./finding.ts";

/** The table's path. `npm run lines` writes it. */
export const linesTable = "scripts/check/lines.json";

/** By how much a room may exceed its line in the table: 3 %. */
export const maxGrowth = 0.03;

/** Lines of rooms by name. */
export type Lines = Readonly<Record<string, number>>;

/**
 * The room of a file: a folder of src/, src/ itself, the console or the tests. Null for any other file, and
 * for generated ones.
 */
const roomOf = (path: string): string | null => {
  if (!/\.tsx?$/.test(path) || path.startsWith("src/client/generated/")) return null;
  return /^(?:src\/[^/]+(?=\/)|src|console|test)(?=\/)/.exec(path)?.[0] ?? null;
};

/** The lines of all rooms, in the order of their names. */
export const linesOfRooms = (files: ReadonlyArray<SourceFile>): Lines => {
  const lines: Record<string, number> = {};
  for (const { path, text } of files) {
    const room = roomOf(path);
    if (room !== null) lines[room] = (lines[room] ?? 0) + text.trimEnd().split("\n").length;
  }
  return Object.fromEntries(Object.entries(lines).toSorted(([one], [other]) => (one < other ? -1 : 1)));
};

/** Rooms that exceed their line in the table, have none, or are in it and do not exist. */
export const growthFindings = (table: Lines, now: Lines): ReadonlyArray<Finding> => {
  const messages = Object.entries(now).flatMap(([room, lines]) => {
    const budget = table[room];
    if (budget === undefined) return [`${room} is not in the table: npm run lines.`];
    if (lines <= budget * (1 + maxGrowth)) return [];
    const grown = `${room} has grown from ${budget} to ${lines} lines, by more than 3 %: remove some, or`;
    return [`${grown} run npm run lines and commit the table with the reason.`];
  });
  const gone = Object.keys(table).filter((room) => now[room] === undefined);
  return [...messages, ...gone.map((room) => `${room} does not exist: npm run lines.`)].map((message) => ({
    file: linesTable,
    line: 1,
    message,
  }));
};

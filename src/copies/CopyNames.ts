import type { SegmentRow } from "../devices/Segment.ts";

type NamedSegment = Pick<SegmentRow, "id" | "name" | "rule">;

/** Longest beginning of a name that is kept where a number follows. */
const keptCharacters = 240;

/** The beginning that a name shares with its numbered ones. */
export const beginningOf = (name: string): string => Array.from(name).slice(0, keptCharacters).join("");

/** The name with a number; the first has none. */
export const numbered = (name: string, number: number): string =>
  number === 1 ? name : `${beginningOf(name)} (${number})`;

/**
 * Matches segments by name and rule, and gives the id of each one's counterpart; null if there is none, so
 * that it is made. One whose name another rule has there is made under its numbered name, which a later copy
 * and later segments with its rule find again: these have no id, but are not made.
 */
export const matchSegments = (segments: ReadonlyArray<NamedSegment>, there: ReadonlyArray<NamedSegment>) => {
  // Rules of the database: jsonb has one order of keys.
  const ruleText = ({ rule }: Pick<NamedSegment, "rule">) => JSON.stringify(rule);
  const byName = new Map<string, { readonly id: string | null; readonly rule: string }>(
    there.map((segment) => [segment.name, { id: segment.id, rule: ruleText(segment) }]),
  );
  return segments.map((segment) => {
    const rule = ruleText(segment);
    let number = 1;
    while ((byName.get(numbered(segment.name, number))?.rule ?? rule) !== rule) number++;
    const name = numbered(segment.name, number);
    const found = byName.get(name);
    byName.set(name, { id: null, ...found, rule });
    return { source: segment.id, name, rule: segment.rule, id: found?.id ?? null, isMade: !found };
  });
};

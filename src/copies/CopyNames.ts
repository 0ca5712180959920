import type { SegmentRow } from "../devices/SegmentsRepository.ts";

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
 * finds again.
 */
export const matchSegments = (segments: ReadonlyArray<NamedSegment>, there: ReadonlyArray<NamedSegment>) => {
  const byName = new Map(there.map((segment) => [segment.name, segment]));
  // Rules of the database: jsonb has one order of keys.
  const ruleText = (segment: NamedSegment | undefined) => segment && JSON.stringify(segment.rule);
  return segments.map((segment) => {
    let number = 1;
    const candidate = () => byName.get(numbered(segment.name, number));
    while (candidate() !== undefined && ruleText(candidate()) !== ruleText(segment)) number++;
    const [name, found] = [numbered(segment.name, number), candidate()];
    if (found === undefined) byName.set(name, { ...segment, name });
    return { source: segment.id, name, rule: segment.rule, id: found?.id ?? null };
  });
};

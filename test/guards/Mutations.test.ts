import { describe, expect, it } from "vitest";
import { mutated, mutationsOf } from "../../scripts/mutants/Mutations.ts";

/** All mutants of a source. */
const mutantsOf = (source: string): ReadonlyArray<string> =>
  mutationsOf(source).map((each) => mutated(source, each));

describe("Mutations of source code", () => {
  it("comparisons move their bound, and equality and logic are swapped", () => {
    expect(mutantsOf("const a = b < c && d !== e;")).toEqual([
      "const a = b <= c && d !== e;",
      "const a = b < c || d !== e;",
      "const a = b < c && d === e;",
    ]);
  });

  it("types, comments, texts and regular expressions are left as they are", () => {
    const source = 'const a: Map<1, true> = f<A>(/1 < 2/, "1 < 2", `1 < 2`); // 1 < 2';
    expect(mutantsOf(source)).toEqual([]);
  });

  it("numbers become one more and one less", () => {
    expect(mutantsOf("const a = 10_000;")).toEqual(["const a = 10001;", "const a = 9999;"]);
  });

  it("conditions are negated, bodies return early, and unused effects are removed", () => {
    const source = "f(function* () { if (a) yield* b(c, () => d); const e = yield* g; });";
    expect(mutantsOf(source)).toEqual([
      "f(function* () { return undefined as never; if (a) yield* b(c, () => d); const e = yield* g; });",
      "f(function* () { if (!(a)) yield* b(c, () => d); const e = yield* g; });",
      "f(function* () { if (a) ; const e = yield* g; });",
    ]);
  });

  it("SQL loses its locks, and its conditions change, but not its assignments and texts", () => {
    const source =
      "sql`UPDATE a SET b = 'x = 1' WHERE c = ${d} AND e > ${f} LIMIT 1 FOR UPDATE OF a SKIP LOCKED`;";
    const start = "sql`UPDATE a SET b = 'x = 1' WHERE c";
    expect(mutantsOf(source)).toEqual([
      start + " <> ${d} AND e > ${f} LIMIT 1 FOR UPDATE OF a SKIP LOCKED`;",
      start + " = ${d} OR e > ${f} LIMIT 1 FOR UPDATE OF a SKIP LOCKED`;",
      start + " = ${d} AND e >= ${f} LIMIT 1 FOR UPDATE OF a SKIP LOCKED`;",
      start + " = ${d} AND e > ${f}  FOR UPDATE OF a SKIP LOCKED`;",
      start + " = ${d} AND e > ${f} LIMIT 1 `;",
    ]);
  });

  it("a limit that is a parameter becomes one more, also with code and SQL inside of a parameter", () => {
    const source = "sql<A>`SELECT 'a' WHERE ${b ? sql`c` : sql`d`} LIMIT ${limit}`;";
    expect(mutantsOf(source)).toEqual([
      "sql<A>`SELECT 'a' WHERE ${b ? sql`c` : sql`d`} LIMIT 1 + ${limit}`;",
    ]);
  });
});

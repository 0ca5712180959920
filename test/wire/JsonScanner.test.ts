import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { JsonOverLimit, parseBounded } from "../../src/wire/BoundedJson.ts";
import type { JsonHandler } from "../../src/wire/JsonHandler.ts";
import { JsonScanner } from "../../src/wire/JsonScanner.ts";
import { cases } from "../FixedSeed.ts";

/** Builds the whole value, from pieces of a length. */
const parsed = (text: string, length: number): unknown => {
  const values: Array<unknown> = [];
  const open: Array<{ readonly container: object; key: string }> = [];
  const add = (value: unknown): void => {
    const parent = open.at(-1);
    if (parent === undefined) values.push(value);
    else if (Array.isArray(parent.container)) parent.container.push(value);
    else Object.defineProperty(parent.container, parent.key, { value, configurable: true, enumerable: true });
  };
  const begin = (container: object): boolean => {
    add(container);
    open.push({ container, key: "" });
    return true;
  };
  scan(text, length, {
    openObject: () => begin({}),
    openArray: () => begin([]),
    close: () => void open.pop(),
    key: (name) => {
      const parent = open.at(-1);
      if (parent !== undefined) parent.key = name;
      return true;
    },
    value: add,
  });
  return values[0];
};

const skipAll: JsonHandler = {
  openObject: () => false,
  openArray: () => false,
  close: () => assert.fail("skipped"),
  key: () => false,
  value: (value) => assert.notTypeOf(value, "object"),
};

const scan = (text: string, length: number, handler: JsonHandler): void => {
  const scanner = new JsonScanner(handler);
  for (let from = 0; from < text.length; from += length) scanner.push(text.slice(from, from + length));
  scanner.end();
};

const attempt = (parse: () => unknown): unknown => {
  try {
    return { value: parse() };
  } catch (error) {
    assert.instanceOf(error, SyntaxError);
    return "invalid";
  }
};

const tokens = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"a"',
  '"\\u00e9\\n"',
  '"\\x"',
  '"',
  "\\",
  "1",
  "-0",
  "0.5",
  "1e5",
];
const broken = ["01", "-", "1.", ".5", "1e", "true", "nul", "null", " ", "\t", "\u0001", "é", '"__proto__"'];
const junk = fc.array(fc.constantFrom(...tokens, ...broken), { maxLength: 8 }).map((parts) => parts.join(""));
/** JSON with a character replaced, which most often is no JSON. */
const damaged = fc
  .tuple(fc.json(), fc.nat(), fc.constantFrom(...tokens, ...broken))
  .map(([text, at, part]) => text.slice(0, at % text.length) + part + text.slice((at % text.length) + 1));

describe("JsonScanner", () => {
  it("JsonScanner gives and refuses what JSON.parse does, wherever pieces end (B3.5)", () => {
    const texts = fc.oneof(fc.json(), junk, damaged);
    fc.assert(
      fc.property(texts, fc.constantFrom(1, 2, 7, 10_000), (text, length) => {
        const expected = attempt(() => JSON.parse(text));
        assert.deepStrictEqual(
          attempt(() => parsed(text, length)),
          expected,
          text,
        );
        const skipped = attempt(() => scan(text, length, skipAll));
        assert.strictEqual(skipped === "invalid", expected === "invalid", text);
      }),
      { numRuns: cases(1200), seed: 20261121 },
    );
  });

  it("a skipped member or element does not hide the values after it", () => {
    const given: Array<unknown> = [];
    const handler: JsonHandler = {
      openObject: (depth) => depth < 3,
      openArray: () => true,
      close: () => given.push("close"),
      key: (name) => name !== "no",
      value: (value) => given.push(value),
    };
    scan('{"no":[1,{"a":2}],"yes":[3,{"no":4},5],"no":6,"last":7}', 3, handler);
    assert.deepStrictEqual(given, [3, 5, "close", 7, "close"]);
  });

  it("a long text is given with its first 65,536 characters, and a number has at most as many", () => {
    const given: Array<unknown> = [];
    const handler: JsonHandler = { ...skipAll, openArray: () => true, close: () => undefined };
    const long = `["${"x".repeat(200_000)}"]`;
    scan(long, 1000, { ...handler, value: (value) => given.push(value) });
    assert.deepStrictEqual(given, ["x".repeat(65_536)]);
    assert.throws(() => scan(`[${"1".repeat(200_000)}]`, 1000, handler), SyntaxError);
  });

  it("a text of 300,000 levels is scanned without recursion", () => {
    scan("[".repeat(300_000) + "]".repeat(300_000), 65_536, skipAll);
    assert.throws(() => scan("[".repeat(300_000), 65_536, skipAll), SyntaxError);
  });
});

describe("parseBounded", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  const limitOf = (text: string, maxParts?: number): unknown => {
    try {
      parseBounded(text, maxParts);
      return null;
    } catch (error) {
      return error instanceof JsonOverLimit ? error.limit : "invalid";
    }
  };

  it("JSON of more than 64 levels is refused, unless it is no JSON at all (B3.5, B3.8)", () => {
    assert.strictEqual(limitOf(nested(64)), null);
    assert.strictEqual(limitOf(nested(65)), "depth");
    assert.strictEqual(limitOf(nested(100_000)), "depth");
    assert.strictEqual(limitOf(`${"[".repeat(100_000)}}`), "invalid");
    assert.strictEqual(limitOf(`["${"[".repeat(100)}\\"]"]`), null);
  });

  it("JSON of more objects, arrays and fields than allowed is refused (B3.8)", () => {
    assert.strictEqual(limitOf('{"a":[1,2],"b":"[[:"}', 4), null);
    assert.strictEqual(limitOf('{"a":[1,2],"b":"[[:"}', 3), "parts");
    assert.strictEqual(limitOf("[{},{},{}]", 3), "parts");
  });
});

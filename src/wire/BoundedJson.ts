import { JsonScanner } from "./JsonScanner.ts";

/** The maximum depth of JSON that is parsed: the outermost object or array has depth 1 (contract B3). */
export const maxJsonDepth = 64;

/** The text is JSON, but more than is parsed. */
export class JsonOverLimit extends Error {
  override readonly name = "JsonOverLimit";
  readonly limit: "depth" | "values";
  constructor(limit: "depth" | "values") {
    super(`The JSON has too many ${limit === "depth" ? "levels" : "values"}`);
    this.limit = limit;
  }
}

/**
 * Parses JSON of at most 64 levels and `maxValues` values, which bounds its time and memory: a megabyte of
 * empty objects takes 50 ms and 20 MB. @throws SyntaxError, JsonOverLimit
 */
export const parseBounded = (text: string, maxValues = Number.POSITIVE_INFINITY): unknown => {
  const limit = exceededLimit(text, maxValues);
  if (limit === null) return JSON.parse(text);
  assertJson(text);
  throw new JsonOverLimit(limit);
};

/** Counts brackets, and commas, which end all values but the last of each list. */
const exceededLimit = (text: string, maxValues: number): JsonOverLimit["limit"] | null => {
  let values = 1;
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === 0x5c) index++;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > maxJsonDepth) return "depth";
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === 0x2c) values++;
    if (values > maxValues) return "values";
  }
  return null;
};

/** Checks a text without building anything. @throws SyntaxError */
const assertJson = (text: string): void => {
  const scanner = new JsonScanner({
    openObject: () => false,
    openArray: () => false,
    close: () => undefined,
    key: () => false,
    value: () => undefined,
  });
  scanner.push(text);
  scanner.end();
};

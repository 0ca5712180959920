import { JsonScanner } from "./JsonScanner.ts";

/** The maximum depth of JSON that is parsed: the outermost object or array has depth 1 (contract B3). */
export const maxJsonDepth = 64;

/** The text is JSON, but more than is parsed. */
export class JsonOverLimit extends Error {
  override readonly name = "JsonOverLimit";
  readonly limit: "depth" | "parts";
  constructor(limit: "depth" | "parts") {
    super(`The JSON has too many ${limit === "depth" ? "levels" : "objects, arrays and fields"}`);
    this.limit = limit;
  }
}

/**
 * Parses JSON of at most 64 levels and `maxParts` objects, arrays and fields, which bounds its time and
 * memory: a megabyte of empty objects takes 50 ms and 20 MB, one of numbers 10 ms. @throws SyntaxError,
 * JsonOverLimit
 */
export const parseBounded = (text: string, maxParts = Number.POSITIVE_INFINITY): unknown => {
  const limit = exceededLimit(text, maxParts);
  if (limit === null) return JSON.parse(text);
  assertJson(text);
  throw new JsonOverLimit(limit);
};

const exceededLimit = (text: string, maxParts: number): JsonOverLimit["limit"] | null => {
  let parts = 0;
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isInString) {
      if (code === 0x5c) index++;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++parts > maxParts) return "parts";
      if (++depth > maxJsonDepth) return "depth";
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === 0x3a && ++parts > maxParts) return "parts";
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

import { type ParsedTemplate, parseTemplate } from "./Template.ts";

/** The most characters of the cached templates together; their compiled forms take about ten times that. */
const maxCharacters = 1_000_000;

const cache = new Map<string, ParsedTemplate>();
let characters = 0;

/** Parses a template, or gives the result of an earlier parsing. */
export const cachedTemplate = (text: string): ParsedTemplate => {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (characters + text.length > maxCharacters) {
    cache.clear();
    characters = 0;
  }
  const parsed = parseTemplate(text);
  cache.set(text, parsed);
  characters += text.length;
  return parsed;
};

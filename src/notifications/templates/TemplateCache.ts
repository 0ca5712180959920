import { type ParsedTemplate, parseTemplate } from "./Template.ts";

/** Parsed templates up to a number of characters together. Those used last stay. */
export class TemplateCache {
  readonly #maxCharacters: number;
  /** In the order of their last uses. */
  readonly #parsed = new Map<string, ParsedTemplate>();
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** Parses a template, or gives the result of an earlier parsing. */
  get(text: string): ParsedTemplate {
    const parsed = this.#parsed.get(text) ?? parseTemplate(text);
    if (!this.#parsed.delete(text)) this.#characters += text.length;
    this.#parsed.set(text, parsed);
    for (const oldest of this.#parsed.keys()) {
      if (this.#characters <= this.#maxCharacters) break;
      this.#parsed.delete(oldest);
      this.#characters -= oldest.length;
    }
    return parsed;
  }
}

/** Of the templates of a process; their compiled forms take about ten times the characters. */
const cache = new TemplateCache(1_000_000);

/** Parses a template, or gives the result of an earlier parsing, in a few milliseconds at most. */
export const cachedTemplate = (text: string): ParsedTemplate => cache.get(text);

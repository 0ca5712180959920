import { JsonContainers } from "./JsonContainers.ts";
import type { JsonHandler } from "./JsonHandler.ts";

/** The maximum length of a text that is kept, and of a number, in characters. */
const maxTokenChars = 65_536;

const [quote, backslash] = [0x22, 0x5c];
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const literals: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

const wholeNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const nextWord = /[\w+\-.]*/y;
const nextNumber = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[,\]}\s])/y;

type State =
  | "value"
  | "valueOrClose"
  | "key"
  | "keyOrClose"
  | "colon"
  | "commaOrClose"
  | "end"
  | "text"
  | "escape"
  | "unicode"
  | "word";

/**
 * Reads JSON (RFC 8259) piece by piece, as `JSON.parse` would, without building it: a handler gets its parts
 * and chooses what to skip. Time is linear; memory is a bit for each level, one token, and what the handler
 * keeps.
 */
export class JsonScanner {
  readonly #handler: JsonHandler;
  #state: State = "value";
  readonly containers = new JsonContainers();
  /**
   * The depth of the container whose content is skipped, or half a level more than the object of the member
   * whose value is skipped; -1 for none.
   */
  #skippedDepth = -1;
  /** The token that continues in the next piece. */
  #token = "";
  /** The digits of an escape \u so far. */
  #unicode = "";
  #isKey = false;

  constructor(handler: JsonHandler) {
    this.#handler = handler;
  }

  /** Reads the next piece of the text. @throws SyntaxError */
  push(piece: string): void {
    let index = 0;
    while (index < piece.length) {
      switch (this.#state) {
        case "text":
          index = this.#readText(piece, index);
          break;
        case "escape":
          index = this.#readEscape(piece, index);
          break;
        case "unicode":
          index = this.#readUnicode(piece, index);
          break;
        case "word":
          index = this.#readWord(piece, index);
          break;
        default:
          index = this.#readStructure(piece, index);
      }
    }
  }

  /** Ends the text. @throws SyntaxError if it is not complete */
  end(): void {
    if (this.#state === "word") this.#endWord();
    if (this.#state !== "end") throw new SyntaxError("The text ends early");
  }

  #readStructure(piece: string, from: number): number {
    const code = piece.charCodeAt(from);
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) return from + 1;
    switch (this.#state) {
      case "value":
      case "valueOrClose":
        if (code === 0x5d && this.#state === "valueOrClose") return this.#close(from);
        return this.#beginValue(piece, from, code);
      case "key":
      case "keyOrClose":
        if (code === quote) return this.#beginText(true, from);
        if (code === 0x7d && this.#state === "keyOrClose") return this.#close(from);
        throw unexpected(from);
      case "colon":
        if (code !== 0x3a) throw unexpected(from);
        this.#state = "value";
        return from + 1;
      case "commaOrClose": {
        const isObject = this.containers.isInObject;
        if (code === (isObject ? 0x7d : 0x5d)) return this.#close(from);
        if (code !== 0x2c) throw unexpected(from);
        this.#state = isObject ? "key" : "value";
        return from + 1;
      }
      default:
        throw unexpected(from);
    }
  }

  #beginText(isKey: boolean, from: number): number {
    this.#isKey = isKey;
    this.#token = "";
    this.#state = "text";
    return from + 1;
  }

  #beginValue(piece: string, from: number, code: number): number {
    if (code === quote) return this.#beginText(false, from);
    if (code === 0x7b) return this.#open(from, true);
    if (code === 0x5b) return this.#open(from, false);
    return this.#beginWord(piece, from);
  }

  #open(from: number, isObject: boolean): number {
    const depth = this.containers.open(isObject);
    if (this.#skippedDepth === -1) {
      const isRead = isObject ? this.#handler.openObject(depth) : this.#handler.openArray(depth);
      if (!isRead) this.#skippedDepth = depth;
    }
    this.#state = isObject ? "keyOrClose" : "valueOrClose";
    return from + 1;
  }

  #close(from: number): number {
    const depth = this.containers.depth--;
    if (this.#skippedDepth === -1) this.#handler.close();
    else if (this.#skippedDepth === depth) this.#skippedDepth = -1;
    this.#endValue();
    return from + 1;
  }

  #endValue(): void {
    if (this.#skippedDepth === this.containers.depth + 0.5) this.#skippedDepth = -1;
    this.#state = this.containers.depth === 0 ? "end" : "commaOrClose";
  }

  #giveValue(value: string | number | boolean | null): void {
    if (this.#skippedDepth === -1) this.#handler.value(value);
    this.#endValue();
  }

  #keep(text: string): void {
    if (this.#skippedDepth === -1 && this.#token.length < maxTokenChars) {
      this.#token += text.length <= maxTokenChars ? text : text.slice(0, maxTokenChars);
    }
  }

  #readText(piece: string, from: number): number {
    let index = from;
    for (; index < piece.length; index++) {
      const code = piece.charCodeAt(index);
      if (code === quote || code === backslash) break;
      if (code < 0x20) throw unexpected(index);
    }
    if (index > from) this.#keep(piece.slice(from, index));
    if (index === piece.length) return index;
    if (piece.charCodeAt(index) === backslash) this.#state = "escape";
    else this.#endText();
    return index + 1;
  }

  #endText(): void {
    const text = this.#token.length > maxTokenChars ? this.#token.slice(0, maxTokenChars) : this.#token;
    this.#token = "";
    if (!this.#isKey) return this.#giveValue(text);
    this.#state = "colon";
    if (this.#skippedDepth === -1 && !this.#handler.key(text))
      this.#skippedDepth = this.containers.depth + 0.5;
  }

  #readEscape(piece: string, from: number): number {
    const char = piece.charAt(from);
    if (char === "u") {
      this.#unicode = "";
      this.#state = "unicode";
      return from + 1;
    }
    const escaped = escapes[char];
    if (escaped === undefined) throw unexpected(from);
    this.#keep(escaped);
    this.#state = "text";
    return from + 1;
  }

  #readUnicode(piece: string, from: number): number {
    const digit = piece.charAt(from);
    if (!/[\da-fA-F]/.test(digit)) throw unexpected(from);
    this.#unicode += digit;
    if (this.#unicode.length === 4) {
      this.#keep(String.fromCharCode(Number.parseInt(this.#unicode, 16)));
      this.#state = "text";
    }
    return from + 1;
  }

  /** Reads a number whose end is certain in this piece at once, as most are. */
  #beginWord(piece: string, from: number): number {
    nextNumber.lastIndex = from;
    if (nextNumber.test(piece)) {
      const to = nextNumber.lastIndex;
      if (this.#skippedDepth === -1) this.#handler.value(Number(piece.slice(from, to)));
      this.#endValue();
      return to;
    }
    this.#token = "";
    this.#state = "word";
    return this.#readWord(piece, from);
  }

  /** Reads a number, true, false or null, which may continue in the next piece. */
  #readWord(piece: string, from: number): number {
    nextWord.lastIndex = from;
    nextWord.test(piece);
    const to = nextWord.lastIndex;
    this.#token += piece.slice(from, to);
    if (this.#token.length > maxTokenChars) throw new SyntaxError("A number has too many digits");
    if (to < piece.length) this.#endWord();
    return to;
  }

  #endWord(): void {
    const word = this.#token;
    this.#token = "";
    if (wholeNumber.test(word)) return this.#giveValue(Number(word));
    const value = Object.hasOwn(literals, word) ? literals[word] : undefined;
    if (value === undefined) throw new SyntaxError("A word is no number, true, false or null");
    this.#giveValue(value);
  }
}

const unexpected = (index: number) => new SyntaxError(`Unexpected character at ${index} of a piece`);

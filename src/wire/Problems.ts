import { fieldSentence } from "./FieldSentence.ts";

/** The `fields` of an error: for each field, by its dotted name, what is wrong and what would be right. */
export type Fields = { readonly [field: string]: ReadonlyArray<string> };

/** The sentence for a query parameter that is given several times. */
export const givenOnce = "The {field} must be given once.";

/**
 * Collects all problems of a request, so that they are reported together (contract B4). Fields are named from
 * `path` on.
 */
export class Problems {
  readonly #fields: Map<string, Array<string>>;
  readonly #path: string;

  constructor(fields = new Map<string, Array<string>>(), path = "") {
    this.#fields = fields;
    this.#path = path;
  }

  #name(field: string): string {
    return this.#path === "" || field === "" ? this.#path + field : `${this.#path}.${field}`;
  }

  /** The same problems, with fields named from a part on. */
  at(path: string): Problems {
    return new Problems(this.#fields, this.#name(path));
  }

  /** Adds one full sentence about a field, by its dotted name. An equal sentence is added once. */
  add(field: string, message: string): void {
    const name = this.#name(field);
    const messages = this.#fields.get(name);
    if (messages === undefined) this.#fields.set(name, [message]);
    else if (!messages.includes(message)) messages.push(message);
  }

  /** As `add`, for a sentence in which `{field}` stands for the field in words. */
  refuse(field: string, message: string): void {
    const path = this.#name(field)
      .split(".")
      .map((name) => (/^\d+$/.test(name) ? Number(name) : name));
    this.add(field, fieldSentence(message, path));
  }

  /** Adds every problem of another collection. */
  addAll(fields: Fields): void {
    for (const [field, messages] of Object.entries(fields)) {
      for (const message of messages) this.add(field, message);
    }
  }

  /** Whether the field or a field inside it has a problem. */
  has(field: string): boolean {
    const sought = this.#name(field);
    for (const name of this.#fields.keys()) {
      if (name === sought || name.startsWith(`${sought}.`)) return true;
    }
    return false;
  }

  get isEmpty(): boolean {
    return this.#fields.size === 0;
  }

  /** The problems in the order in which they were found. */
  get fields(): Fields {
    return Object.fromEntries(this.#fields);
  }
}

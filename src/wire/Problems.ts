/** The `fields` of an error: for each field, by its dotted name, what is wrong and what would be right. */
export type Fields = { readonly [field: string]: ReadonlyArray<string> };

/** The sentence for a query parameter that is given several times. */
export const givenOnce = "The {field} must be given once.";

/** Collects all problems of a request, so that they are reported together (contract B4). */
export class Problems {
  readonly #fields = new Map<string, Array<string>>();

  /** Adds one full sentence about a field, by its dotted name. An equal sentence is added once. */
  add(field: string, message: string): void {
    const messages = this.#fields.get(field);
    if (messages === undefined) this.#fields.set(field, [message]);
    else if (!messages.includes(message)) messages.push(message);
  }

  /** Adds every problem of another collection. */
  addAll(fields: Fields): void {
    for (const [field, messages] of Object.entries(fields)) {
      for (const message of messages) this.add(field, message);
    }
  }

  /** Whether the field or a field inside it has a problem. */
  has(field: string): boolean {
    for (const name of this.#fields.keys()) {
      if (name === field || name.startsWith(`${field}.`)) return true;
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

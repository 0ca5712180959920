/** One page of a list, and where the next one begins. */
export interface Page<T> {
  readonly items: ReadonlyArray<T>;
  /** Give it as `cursor` to go on later, within 24 hours; null on the last page. */
  readonly nextCursor: string | null;
}

type Fetch<T> = (cursor: string | undefined) => Promise<Page<T>>;

/**
 * A list, fetched page by page as it is read: `for await (const item of list)`. What existed when reading began comes exactly
 * once, newest first, also while others are added (contract D1). Each loop over it begins anew.
 */
export class Pages<T> implements AsyncIterable<T> {
  readonly #fetch: Fetch<T>;
  readonly #from: string | undefined;

  /** `from` is the cursor to begin at; none is the first page. */
  constructor(fetch: Fetch<T>, from?: string) {
    this.#fetch = fetch;
    this.#from = from;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** The same, a page at a time: to show a page, or to remember where to go on. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let cursor = this.#from;
    while (true) {
      const page = await this.#fetch(cursor);
      yield page;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }
}

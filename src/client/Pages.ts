/** One page of a list. */
export interface Page<T> {
  readonly items: ReadonlyArray<T>;
  /** Pass it as `cursor` to continue later, within 24 hours. Null on the last page. */
  readonly nextCursor: string | null;
}

type FetchPage<T> = (cursor: string | undefined) => Promise<Page<T>>;

/**
 * A list that is fetched page by page while it is read: `for await (const item of list)`. Every item that
 * existed when reading began is returned exactly once, newest first, even if items are added meanwhile
 * (contract D1). Each loop starts from the beginning.
 */
export class Pages<T> implements AsyncIterable<T> {
  readonly #fetch: FetchPage<T>;
  readonly #firstCursor: string | undefined;

  /** `firstCursor` is where to start; undefined for the first page. */
  constructor(fetch: FetchPage<T>, firstCursor?: string) {
    this.#fetch = fetch;
    this.#firstCursor = firstCursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** Reads the list page by page, to show pages or to store where to continue. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let cursor = this.#firstCursor;
    while (true) {
      const page = await this.#fetch(cursor);
      yield page;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }
}

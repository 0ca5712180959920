/** One page of a list. */
export interface Page<T> {
  readonly items: ReadonlyArray<T>;
  /** Pass it as `cursor` to continue later, within 24 hours. Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * A list that is fetched page by page while it is read: `for await (const item of list)`. Every item that
 * existed when reading began is returned exactly once, newest first, even if items are added meanwhile
 * (contract D1). Each loop starts from the beginning.
 */
export interface Pages<T> extends AsyncIterable<T> {
  /** Reads the list page by page, to show pages or to store where to continue. */
  pages(): AsyncGenerator<Page<T>, void, undefined>;
}

/** A list whose pages `fetch` gets, from `firstCursor` on; undefined for the first page. */
export const pagesOf = <T>(
  fetch: (cursor: string | undefined) => Promise<Page<T>>,
  firstCursor?: string,
): Pages<T> => {
  const pages = async function* (): AsyncGenerator<Page<T>, void, undefined> {
    let cursor = firstCursor;
    while (true) {
      const page = await fetch(cursor);
      yield page;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  };
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items;
    },
  };
};

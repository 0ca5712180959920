import { changedAddress, parameter } from "../routing/Router.ts";
import { formatCount, formatNumber } from "./DisplayFormats.ts";

/** Pages that were shown, by cursor, with the index of their first row: the API knows the next one alone. */
const shownPages = new Map<string, { readonly before: string; readonly first: number }>();

/** The rows that are shown, and the way through the list: the cursor is in the address. */
export const Pager = ({
  nextCursor,
  shown,
  total,
}: {
  readonly nextCursor: string | null;
  readonly shown: number;
  /** The rows of all pages, where it is known. */
  readonly total?: number;
}) => {
  const cursor = parameter("cursor");
  const page = shownPages.get(cursor);
  const first = page?.first ?? 0;
  const isKnown = cursor === "" || page !== undefined;
  // While another page loads, the rows are still those of the last one.
  if (nextCursor !== null && nextCursor !== cursor && isKnown && !shownPages.has(nextCursor))
    shownPages.set(nextCursor, { before: cursor, first: first + shown });
  if (shown === 0 && cursor === "") return null;
  const link = (text: string, to: string | undefined) => (
    <a class="button button-secondary" href={changedAddress({ cursor: to })}>
      {text}
    </a>
  );
  return (
    <nav class="actions" aria-label="Pages of the list">
      {cursor !== "" && link("First page", undefined)}
      {page !== undefined && link("Previous page", page.before)}
      {nextCursor !== null && link("Next page", nextCursor)}
      <p class="quiet" role="status">
        {cursor === "" && nextCursor === null && total === undefined && formatCount(shown, "row")}
        {isKnown &&
          (cursor !== "" || nextCursor !== null) &&
          `Rows ${formatNumber(first + 1)} to ${formatNumber(first + shown)}`}
        {total !== undefined && nextCursor !== null && ` of ${formatNumber(total)}`}
      </p>
    </nav>
  );
};

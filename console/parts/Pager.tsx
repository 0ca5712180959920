import { changedAddress, parameter } from "../routing/Router.ts";

/** The way through the pages of a list: the cursor is in the address, so the browser's back button works. */
export const Pager = ({ nextCursor }: { readonly nextCursor: string | null }) => {
  const isFirst = parameter("cursor") === "";
  if (isFirst && nextCursor === null) return null;
  return (
    <nav class="actions" aria-label="Pages of the list">
      {!isFirst && (
        <a class="button button-secondary" href={changedAddress({ cursor: undefined })}>
          First page
        </a>
      )}
      {nextCursor !== null && (
        <a class="button button-secondary" href={changedAddress({ cursor: nextCursor })}>
          Next page
        </a>
      )}
    </nav>
  );
};

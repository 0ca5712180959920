/**
 * Which part of a list is wanted. Lists run from the newest id to the oldest, and ids sort by their creation
 * (contract D1), so the last id of a page is all that the next page needs.
 */
export interface PagePosition {
  /** Items strictly older than this id; null for the first page. */
  readonly before: string | null;
  /** The most items, 1 to 101: callers ask for one more to know whether there is a next page. */
  readonly limit: number;
}

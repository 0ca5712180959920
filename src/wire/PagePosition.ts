/**
 * Which part of a list is wanted. Lists run from the newest id to the oldest, and ids sort by their creation
 * (contract D1), so the last id of a page is all that the next page needs.
 */
export interface PagePosition {
  /** Items strictly older than this id; null from the newest on. */
  readonly before: string | null;
  /** Most items, 1 to 100 (one more may be asked for, to see whether there is a next page). */
  readonly limit: number;
}

/**
 * Receives progress: `done` of `total` units. `unit` is a plural noun; it starts with "bytes" if the unit is
 * bytes.
 */
export type ProgressListener = (unit: string, done: number, total: number) => void;

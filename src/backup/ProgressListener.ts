/** Receives progress: `done` of `total`. `unit` is a plural noun; for bytes it starts with "bytes". */
export type ProgressListener = (unit: string, done: number, total: number) => void;

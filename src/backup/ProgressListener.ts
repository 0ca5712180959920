/**
 * Receives the progress of one kind of work: `done` of `all` units. `what` names the unit in the plural; it begins with
 * "bytes" where the unit is bytes.
 */
export type ProgressListener = (what: string, done: number, all: number) => void;

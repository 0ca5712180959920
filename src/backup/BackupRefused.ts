import { Data } from "effect";

/**
 * A backup or a restore was not made. `message` says why, and what to do. No partial result is left on disk.
 */
export class BackupRefused extends Data.TaggedError("BackupRefused")<{ readonly message: string }> {}

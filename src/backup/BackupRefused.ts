import { Data } from "effect";

/** A backup or a restore failed. `message` says why, and what to do. No partial result is left. */
export class BackupRefused extends Data.TaggedError("BackupRefused")<{ readonly message: string }> {}

/** A refusal for this reason. */
export const refused = (message: string): BackupRefused => new BackupRefused({ message });

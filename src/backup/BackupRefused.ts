import { Data } from "effect";

/** A backup or a restore could not be made; `message` says why and what to do. Nothing half done is left behind. */
export class BackupRefused extends Data.TaggedError("BackupRefused")<{ readonly message: string }> {}

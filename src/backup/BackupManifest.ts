import { Schema } from "effect";

/** The manifest of a backup. It is the last file of the archive, so that a truncated archive has none. */
export const BackupManifest = Schema.Struct({
  format: Schema.Literal(1),
  /** Version of the Waypost that made the backup. */
  waypost: Schema.String,
  created_at: Schema.String,
  postgresql: Schema.String,
  migrations: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String, checksum: Schema.String })),
  tables: Schema.Array(
    Schema.Struct({ name: Schema.String, columns: Schema.Array(Schema.String), rows: Schema.Int }),
  ),
  sequences: Schema.Array(Schema.Struct({ name: Schema.String, last: Schema.NullOr(Schema.Number) })),
  media: Schema.Struct({
    /** `disk`, or the bucket that holds the media files; the backup then has none. */
    store: Schema.String,
    /** Names of the files that rows of the backup reference. */
    files: Schema.Array(Schema.String),
    /** Referenced files that were deleted during the backup. */
    missing: Schema.Array(Schema.String),
  }),
  /** Every file before the manifest, in the order of the archive. */
  files: Schema.Array(Schema.Struct({ name: Schema.String, bytes: Schema.Int, sha256: Schema.String })),
});
/** The manifest of a backup. */
export type BackupManifest = typeof BackupManifest.Type;

/** Name of the manifest in the archive. */
export const manifestName = "manifest.json";

/** Files of the data directory that hold keys. */
export const keyFiles = ["operator.key", "secret.key"] as const;

import { Schema } from "effect";

/** What a backup is: its last file, without which it is not whole. */
export const BackupManifest = Schema.Struct({
  format: Schema.Literal(1),
  waypost: Schema.String,
  created_at: Schema.String,
  postgresql: Schema.String,
  migrations: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String, checksum: Schema.String })),
  tables: Schema.Array(
    Schema.Struct({ name: Schema.String, columns: Schema.Array(Schema.String), rows: Schema.Int }),
  ),
  sequences: Schema.Array(Schema.Struct({ name: Schema.String, last: Schema.NullOr(Schema.Number) })),
  media: Schema.Struct({
    /** `disk`, or where the bytes are that are not in the backup. */
    store: Schema.String,
    /** Names of the files that belong to the rows. */
    files: Schema.Array(Schema.String),
    /** Those that went away in the moment of the backup. */
    missing: Schema.Array(Schema.String),
  }),
  /** Everything before the manifest, in its order. */
  files: Schema.Array(Schema.Struct({ name: Schema.String, bytes: Schema.Int, sha256: Schema.String })),
});
/** The manifest of a backup. */
export type BackupManifest = typeof BackupManifest.Type;

/** Its name in the archive. */
export const manifestName = "manifest.json";

/** Files of the data directory that hold keys. */
export const keyFiles = ["operator.key", "secret.key"] as const;

/** Rows in one file of the archive. */
export const pageRows = 500;

import { readdirSync, readFileSync } from "node:fs";
import type { MigrationFile } from "../../src/database/migrations/Migrations.ts";

const folder = new URL("../../schema/", import.meta.url);

/** The migrations of this version, in order. */
export const ownMigrations: ReadonlyArray<MigrationFile> = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .toSorted()
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), "utf8") }));

/**
 * The migrations of this version and made-up ones of a next version: for each table columns with and without
 * a default, a check and an index, and a new table.
 */
export const ownAndNextMigrations = (tables: ReadonlyArray<string>): ReadonlyArray<MigrationFile> => {
  const additions = tables
    .filter((table) => table !== "schema_migration")
    .map(
      (table) => `
        ALTER TABLE ${table}
          ADD COLUMN made_up text NOT NULL DEFAULT 'made up',
          ADD COLUMN made_up_at timestamptz;
        ALTER TABLE ${table} ADD CONSTRAINT ${table}_made_up_check CHECK (made_up <> '');
        CREATE INDEX ${table}_made_up ON ${table} (made_up_at) WHERE made_up_at IS NOT NULL;`,
    );
  const table = `
    CREATE TABLE made_up (
      workspace_id integer NOT NULL, environment text NOT NULL, PRIMARY KEY (workspace_id, environment),
      FOREIGN KEY (workspace_id, environment) REFERENCES tenant (workspace_id, environment) ON DELETE CASCADE
    );`;
  const files = [...additions, table].map((text, index) => ({
    name: `${String(ownMigrations.length + 1 + index).padStart(4, "0")}_made_up.sql`,
    text,
  }));
  return [...ownMigrations, ...files];
};

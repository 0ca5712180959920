import { isSea } from "node:sea";
import { bundledFolder } from "../embedded/BundledRuntime.ts";
import { MigrationFiles } from "./Migrations.ts";

/** The migrations of this program: bundled in the executable, or the files of the source tree. */
export const programMigrations = isSea()
  ? MigrationFiles.layerFiles(bundledFolder("schema"))
  : MigrationFiles.layerFolder(new URL("../../../schema", import.meta.url));

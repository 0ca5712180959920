import { Effect } from "effect";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scopedFolder } from "../Listening.ts";
import { ownAndNextMigrations, ownMigrations } from "./NextVersion.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * A program of a next version: a copy of this source with another version number and with migrations that add
 * to each of the tables. Returns its launcher.
 */
export const nextProgram = (tables: ReadonlyArray<string>) =>
  Effect.map(scopedFolder("next"), (folder) => {
    for (const name of ["bin", "schema", "src"])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as object;
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, version: "99.0.0" }));
    for (const { name, text } of ownAndNextMigrations(tables).slice(ownMigrations.length))
      writeFileSync(join(folder, "schema", name), text);
    return join(folder, "bin/waypost.js");
  });

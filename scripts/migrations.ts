/** Checks that the migrations of releases are as they were released (docs/upgrading.md). */
import { globSync, readFileSync } from "node:fs";
import process from "node:process";
import { basename } from "node:path";
import { migrationFindings } from "./check/releasedMigrations.ts";

const files = globSync("schema/*.sql")
  .toSorted()
  .map((path) => ({ name: basename(path), text: readFileSync(path, "utf8") }));
const findings = migrationFindings(readFileSync("schema/released.sha256", "utf8"), files);
for (const line of findings) console.error(line);
if (findings.length === 0) console.log("The released migrations are unchanged.");
else process.exitCode = 1;

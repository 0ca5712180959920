/**
 * Compares openapi/*.json with the documents of the releases of this major version in openapi/released/: the
 * API only grows (docs/upgrading.md).
 */
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import manifest from "../package.json" with { type: "json" };
import { documentNames } from "../src/ApiDocuments.ts";
import { apiChanges, type ApiDocument } from "./check/apiChanges.ts";

const root = new URL("../", import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(new URL(path, root), "utf8")) as ApiDocument;
const major = `${manifest.version.split(".", 1)[0]}.`;

/** Parts of released requests that the contract has taken back (LO1). */
const takenBack = ["geometry", "radius_meters", "groups", "type"].map(
  (field) => `LocationPatch (request).${field} vanishes.`,
);

const versions = readdirSync(new URL("openapi/released/", root)).filter((name) => name.startsWith(major));
const findings = versions.flatMap((version) =>
  documentNames.flatMap((name) => {
    const path = `openapi/released/${version}/${name}.json`;
    return apiChanges(read(path), read(`openapi/${name}.json`))
      .filter((change) => !takenBack.includes(change))
      .map((change) => `${path}  ${change}`);
  }),
);
for (const line of findings) console.error(line);
if (findings.length === 0) console.log(`The API has everything of ${versions.join(", ")}.`);
else {
  console.error("Inside a major version the API only grows: put these back, and add the new beside them.");
  process.exitCode = 1;
}

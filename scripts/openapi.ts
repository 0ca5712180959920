/**
 * Writes openapi/{platform,device,operator}.json from the contracts. With `--check` it writes nothing and fails when one of them
 * is not what the contracts say, or breaks a rule of a public linter.
 */
import { createConfig, lint } from "@redocly/openapi-core";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { format } from "prettier";
import { apiDocument, documentNames } from "../src/ApiDocuments.ts";

const isCheck = process.argv.includes("--check");
const folder = new URL("../openapi/", import.meta.url);
if (!isCheck) mkdirSync(folder, { recursive: true });

const written = (file: URL): string | null => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
};

const drifted: Array<string> = [];
for (const name of documentNames) {
  const file = new URL(`${name}.json`, folder);
  const text = await format(JSON.stringify(apiDocument(name)), { parser: "json", printWidth: 110 });
  if (text === written(file)) continue;
  drifted.push(`openapi/${name}.json`);
  if (!isCheck) writeFileSync(file, text);
}

/** What a strict linter of others finds wrong with the documents as they are written. */
const findings = async (): Promise<ReadonlyArray<string>> => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    // The operator's paths are as published: /workspaces/{id}/tokens/{token} beside /workspaces/{id}/{env}/sdk-keys. A fixed word goes first.
    rules: {
      "no-ambiguous-paths": "off",
      "no-invalid-schema-examples": "error",
      "no-invalid-parameter-examples": "error",
      "tag-description": "error",
    },
  });
  const found: Array<string> = [];
  for (const name of documentNames) {
    for (const { location, message, ruleId } of await lint({ ref: `openapi/${name}.json`, config }))
      found.push(`openapi/${name}.json${location[0]?.pointer ?? ""}  ${message} (${ruleId})`);
  }
  return found;
};

if (isCheck) {
  const found = await findings();
  for (const line of found) console.error(line);
  if (found.length > 0) process.exitCode = 1;
}

if (drifted.length === 0) console.log("The documents say what the contracts say.");
else if (!isCheck) console.log(`Wrote ${drifted.join(", ")}.`);
else {
  console.error(`${drifted.join(", ")} differ from the contracts: run npm run openapi, and commit them.`);
  process.exitCode = 1;
}

/**
 * Writes openapi/{platform,device,operator}.json and the types of the client in src/client/generated/ from
 * the `*Api.ts` files. With `--check` it writes nothing, and fails if a document differs from the code or
 * breaks a rule of a public linter.
 */
import { createConfig, lint } from "@redocly/openapi-core";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { format } from "prettier";
import { apiDocument, documentNames } from "../src/ApiDocuments.ts";
import { generatedFiles } from "./client-types/GeneratedFiles.ts";

const isCheck = process.argv.includes("--check");
const root = new URL("../", import.meta.url);

const readIfExists = (file: URL): string | null => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
};

const printed: ReadonlyArray<readonly [path: string, text: string]> = [
  ...documentNames.map((name) => [`openapi/${name}.json`, JSON.stringify(apiDocument(name))] as const),
  ...Object.entries(generatedFiles()).map(([name, text]) => [`src/client/generated/${name}`, text] as const),
];

const differing: Array<string> = [];
for (const [path, content] of printed) {
  const file = new URL(path, root);
  const parser = path.endsWith(".json") ? "json" : "typescript";
  const text = await format(content, { parser, printWidth: 110 });
  if (text === readIfExists(file)) continue;
  differing.push(path);
  if (isCheck) continue;
  mkdirSync(new URL(".", file), { recursive: true });
  writeFileSync(file, text);
}

/** The findings of the public linter in the written documents. */
const lintFindings = async (): Promise<ReadonlyArray<string>> => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    // The operator interface has /workspaces/{id}/tokens/{token} beside /workspaces/{id}/{env}/sdk-keys. The
    // router prefers fixed words to parameters.
    rules: {
      "no-ambiguous-paths": "off",
      "no-invalid-schema-examples": "error",
      "no-invalid-parameter-examples": "error",
      "tag-description": "error",
    },
  });
  const findings: Array<string> = [];
  for (const name of documentNames) {
    for (const { location, message, ruleId } of await lint({ ref: `openapi/${name}.json`, config }))
      findings.push(`openapi/${name}.json${location[0]?.pointer ?? ""}  ${message} (${ruleId})`);
  }
  return findings;
};

if (isCheck) {
  const findings = await lintFindings();
  for (const line of findings) console.error(line);
  if (findings.length > 0) process.exitCode = 1;
}

if (differing.length === 0) console.log("The OpenAPI documents and the types of the client are up to date.");
else if (!isCheck) console.log(`Wrote ${differing.join(", ")}.`);
else {
  console.error(`${differing.join(", ")} differ from the code: run npm run openapi, and commit the result.`);
  process.exitCode = 1;
}

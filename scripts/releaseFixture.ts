/**
 * Writes what later versions are compared with, once for each release (docs/upgrading.md): the fixture, a
 * backup of a small history with rows in every table and the responses of the interfaces to it; the OpenAPI
 * documents; and the digests of the migrations. Run it by `npm run release:fixture`.
 */
import { Effect, References } from "effect";
import { TestClock } from "effect/testing";
import { cpSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import manifest from "../package.json" with { type: "json" };
import { documentNames } from "../src/ApiDocuments.ts";
import { ownMigrations } from "../test/upgrades/NextVersion.ts";
import { filesOf, makeFixture } from "../test/upgrades/ReleaseFixture.ts";
import { digestsOf } from "./check/releasedMigrations.ts";

const { version } = manifest;
const root = join(import.meta.dirname, "..");
const folder = join(root, "test/upgrades/fixtures");
const documents = join(root, "openapi/released", version);
if (existsSync(documents)) {
  console.error(
    `${version} is released: its files never change. Set the next version in package.json first.`,
  );
  process.exit(1);
}
const { tables } = await Effect.runPromise(
  makeFixture(folder, version).pipe(
    Effect.provide(TestClock.layer()),
    Effect.provideService(References.MinimumLogLevel, "Error"),
  ),
);
for (const path of Object.values(filesOf(folder, version)))
  console.log(`Wrote ${path} (${Math.ceil(statSync(path).size / 1024)} KB).`);
mkdirSync(documents, { recursive: true });
for (const name of documentNames) cpSync(join(root, `openapi/${name}.json`), join(documents, `${name}.json`));
writeFileSync(join(root, "schema/released.sha256"), digestsOf(ownMigrations));
console.log(`Wrote ${documents} and schema/released.sha256.`);
const empty = tables.filter(({ rows }) => rows === 0).map(({ name }) => name);
if (empty.length > 0) console.log(`Tables without rows: ${empty.join(", ")}.`);

/**
 * Writes the fixture of this version: a backup of a small history with rows in every table, and the responses
 * of the interfaces to it. Tests upgrade it to every later version (docs/decisions/0029). Run it by `npm run
 * release:fixture`.
 */
import { Effect, References } from "effect";
import { TestClock } from "effect/testing";
import { statSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { filesOf, makeFixture } from "../test/upgrades/ReleaseFixture.ts";

const folder = join(import.meta.dirname, "../test/upgrades/fixtures");
const { tables } = await Effect.runPromise(
  makeFixture(folder, manifest.version).pipe(
    Effect.provide(TestClock.layer()),
    Effect.provideService(References.MinimumLogLevel, "Error"),
  ),
);
for (const path of Object.values(filesOf(folder, manifest.version)))
  console.log(`Wrote ${path} (${Math.ceil(statSync(path).size / 1024)} KB).`);
const empty = tables.filter(({ rows }) => rows === 0).map(({ name }) => name);
if (empty.length > 0) console.log(`Tables without rows: ${empty.join(", ")}.`);

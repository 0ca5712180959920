/**
 * Proves that a new column of a campaign is a matter of a few files: adds one to a copy of the checkout,
 * and runs a test that writes, reads, changes and copies it through the API.
 *
 *     node scripts/check/newColumn.ts
 */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";

/** The most files of `src` that a column may touch. */
const maxFiles = 5;

/** Each edit puts a text before another one, which must stand in the file once. */
const edits: ReadonlyArray<readonly [file: string, before: string, added: string]> = [
  ["src/campaigns/Campaign.ts", "shownId, shownInstant, shownText", "nullableText, "],
  ["src/campaigns/Campaign.ts", "  targeting: Targeting,", '  note: nullableText("A note.", "Board"),\n'],
  ["src/campaigns/CampaignDraft.ts", "text, whole }", "optionalText, "],
  [
    "src/campaigns/CampaignDraft.ts",
    "  ...experimentFields,",
    '  note: optionalText({ max: 255, description: "A note.", example: "Board" }),\n',
  ],
  ["src/campaigns/CampaignValidation.ts", "  goal: storedGoal(", "  note: draft.note ?? null,\n"],
  ["src/campaigns/StoredCampaign.ts", '      | "name"\n', '      | "note"\n'],
  ["src/campaigns/StoredCampaign.ts", '  goal: "jsonb",', '  note: "text",\n'],
  ["src/campaigns/StoredCampaign.ts", "  targeting: {", "  note: campaign.note,\n"],
];

const test = `
import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestWaypost } from "../TestWaypost.ts";
import { push } from "./CampaignWorld.ts";

layer(TestWaypost.layer)("A new column", (it) => {
  it.effect("it is written, shown, changed and copied", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* (yield* TestWaypost).tenant();
      const made = yield* sandbox("/campaigns", { body: push({ note: "Board" }) });
      assert.strictEqual(made.body.data.note, "Board");
      const path = "/campaigns/" + made.body.data.id;
      const copy = yield* sandbox(path + "/copy", { body: { environment: "sandbox" } });
      assert.strictEqual(copy.body.data.note, "Board");
      const changed = yield* sandbox(path, { method: "PATCH", body: push() });
      assert.isNull(changed.body.data.note);
      const listed = yield* sandbox("/campaigns");
      assert.deepStrictEqual(listed.body.data.map((each) => each.note), ["Board", null]);
    }),
  );
});
`;

const root = join(import.meta.dirname, "../..");
const skipped = new Set([".git", "node_modules", "waypost-data"]);

const copy = mkdtempSync(join(tmpdir(), "waypost-column-"));
try {
  cpSync(root, copy, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const [file, before, added] of edits) {
    const text = readFileSync(join(copy, file), "utf8");
    if (text.split(before).length !== 2) throw new Error(`${file} must have once: ${before}`);
    writeFileSync(
      join(copy, file),
      text.replace(before, () => added + before),
    );
  }
  const number = globSync("schema/*.sql", { cwd: copy }).length + 1;
  const migration = join(copy, `schema/${String(number).padStart(4, "0")}_note.sql`);
  writeFileSync(migration, "ALTER TABLE campaign ADD COLUMN note text;\n");
  writeFileSync(join(copy, "test/campaigns/Note.service.test.ts"), test);
  const run = (file: string, ...options: ReadonlyArray<string>): void => {
    const modules = join(root, "node_modules");
    execFileSync(process.execPath, [join(modules, file), ...options], { cwd: copy, stdio: "inherit" });
  };
  run("vitest/vitest.mjs", "run", "--project", "service", "test/campaigns/Note.service.test.ts");
  const files = new Set(edits.map(([file]) => file)).size;
  process.stdout.write(`A new column of a campaign touches ${files} files of src, at most ${maxFiles}.\n`);
  if (files > maxFiles) process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

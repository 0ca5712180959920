import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { build } from "esbuild";
import { TestClock } from "effect/testing";
import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { TestWaypost } from "../TestWaypost.ts";

const root = join(import.meta.dirname, "../..");
const modules = join(root, "node_modules");

const run = (
  file: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: number; readonly out: string; readonly errors: string }>((resolve) => {
        execFile(
          file,
          [...args],
          { cwd, env: { ...process.env, NODE_OPTIONS: "", ...env }, timeout: 200_000 },
          (error, out, errors) =>
            resolve({
              code: error === null ? 0 : typeof error.code === "number" ? error.code : 1,
              out,
              errors,
            }),
        );
      }),
  );

const page = readFileSync(join(root, "docs/client.md"), "utf8");
const blocks = (fence: string): ReadonlyArray<string> =>
  [...page.matchAll(new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, code = ""]) => code);

/** The complete programs of docs/client.md, in order, and its other examples. */
const jobs = blocks("ts job");
const examples = blocks("ts");

const misuses = `
import { WaypostClient, type WaypostError } from "waypost/client";
import type { Campaign, CampaignDraft, Location } from "waypost/client";
import type { DeviceClient } from "waypost/device";
import type { OperatorClient } from "waypost/operator";
declare const device: DeviceClient;
declare const operator: OperatorClient;
declare const waypost: WaypostClient;
declare const campaign: Campaign;
declare const location: Location;
export const status: "scheduled" | "active" | "paused" | "ended" = campaign.status;
export const longitude: number | undefined =
  location.geometry.type === "Point" ? location.geometry.coordinates[0] : undefined;
// @ts-expect-error there is no such status
campaign.status === "live";
const draft: CampaignDraft = { name: "A", type: "geo", timezone: "UTC", starts_at: "2026-12-01" };
// @ts-expect-error a draft has no status
export const withStatus: CampaignDraft = { ...draft, status: "active" };
// @ts-expect-error the required fields are missing
void waypost.campaigns.create({ name: "A" });
// @ts-expect-error a notification needs its campaign
void waypost.notifications.create({ name: "A" });
// @ts-expect-error there is no such error code
export const isMissing = (error: WaypostError) => error.code === "not_fuond";
// @ts-expect-error there is no such environment
void operator.segments.list("id", "staging");
// @ts-expect-error there is no such platform
void device.devices.register("my-phone", { platform: "windows" });
void waypost.campaigns.update(campaign.id, draft, { ifMatch: '"1"' });
// @ts-expect-error locations have no versions
void waypost.locations.delete("id", { ifMatch: '"1"' });
// @ts-expect-error there is no such parameter
void waypost.reports.summary({ from: "2026-01-01" });
`;

/** A folder with the package installed as by \`npm install\`, and the programs beside it. */
const consumer = Effect.acquireRelease(
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "waypost-consumer-"));
    const installed = join(folder, "node_modules/waypost");
    mkdirSync(installed, { recursive: true });
    // Only for the programs, which read process.env.
    for (const name of ["@types", "undici-types"])
      symlinkSync(join(modules, name), join(folder, "node_modules", name));
    const built = yield* run(process.execPath, ["scripts/client.ts", "--out", installed], root);
    assert.deepStrictEqual(built, { code: 0, out: "", errors: "" });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    for (const [index, code] of jobs.entries()) writeFileSync(join(folder, `job-${index + 1}.ts`), code);
    for (const [index, code] of examples.entries())
      writeFileSync(join(folder, `example-${index + 1}.ts`), code);
    writeFileSync(join(folder, "misuses.ts"), misuses);
    return folder;
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
);

layer(TestWaypost.layer)("waypost/client as a package", (it) => {
  it.effect("the types need no library, no types of a runtime and no skipLibCheck (client.package)", () =>
    Effect.gen(function* () {
      const folder = yield* consumer;
      const checked = yield* run(
        join(modules, ".bin/tsc"),
        "--noEmit --strict --module nodenext --target es2022 --lib es2022 --skipLibCheck false --types"
          .split(" ")
          .concat("", "misuses.ts"),
        folder,
      );
      assert.strictEqual(checked.out + checked.errors, "");
      const declarations = globSync("node_modules/waypost/**/*.d.ts", { cwd: folder });
      assert.isAbove(declarations.length, 8);
      // A compiler without a target, which means ES5 to TypeScript 5, refuses private names.
      for (const file of declarations)
        assert.notMatch(readFileSync(join(folder, file), "utf8"), /#private|from "[^.]/, file);
    }),
  );

  it.effect(
    "the package has no dependencies, and is below 10 kB compressed in a browser (client.package)",
    () =>
      Effect.gen(function* () {
        const folder = yield* consumer;
        const manifest = readFileSync(join(folder, "node_modules/waypost/package.json"), "utf8");
        assert.notMatch(manifest, /ependencies/);
        for (const entry of ["client", "operator", "device"]) {
          const { outputFiles } = yield* Effect.promise(() =>
            build({
              stdin: { contents: `export * from "waypost/${entry}";`, resolveDir: folder },
              bundle: true,
              minify: true,
              format: "esm",
              platform: "browser",
              write: false,
            }),
          );
          const bytes = gzipSync(outputFiles[0]?.contents ?? "").length;
          assert.isAbove(bytes, 1000);
          assert.isBelow(bytes, 10_000, entry);
        }
      }),
  );

  it.effect("the client package compiles in other programs, and the programs of docs/client.md run", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual([jobs.length, examples.length], [6, 2]);
      const folder = yield* consumer;
      const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"];
      const files = [
        ...jobs.map((_, index) => `job-${index + 1}.ts`),
        ...examples.map((_, index) => `example-${index + 1}.ts`),
        "misuses.ts",
      ];
      const checked = yield* run(
        join(modules, ".bin/tsc"),
        [...options, "--types", "node", ...files],
        folder,
      );
      assert.strictEqual(checked.out + checked.errors, "");

      // The programs use the real time.
      yield* TestClock.setTime(Date.now());
      const { origin, tenant } = yield* TestWaypost;
      const { tokens } = yield* tenant();
      const env = { WAYPOST_URL: origin, WAYPOST_TOKEN: tokens.sandbox };
      const runJob = (number: number, ...args: ReadonlyArray<string>) =>
        Effect.map(run(process.execPath, [`job-${number}.ts`, ...args], folder, env), (ended) => {
          assert.strictEqual(ended.errors, "");
          assert.strictEqual(ended.code, 0);
          return ended.out;
        });

      assert.strictEqual(
        yield* runJob(1, join(root, "docs/examples/locations.geojson")),
        "627 created, 0 updated, 0 failed\n",
      );
      assert.strictEqual(yield* runJob(2), "Welcome is active\n");
      const picture = join(folder, "cup.png");
      writeFileSync(picture, "image of a cup");
      assert.strictEqual(yield* runJob(3, picture), "Welcome: Come back soon, with image\n");
      assert.strictEqual(
        yield* runJob(4),
        "Welcome: active\n  on_enter: Welcome to Amsterdam\n  on_exit: Come back soon\n",
      );
      assert.match(yield* runJob(5), /^id,name,status,type,targets,delivered/);
      assert.strictEqual(
        yield* runJob(6),
        "One campaign: true\n422 validation_failed\nname: The name is required: it cannot be empty.\n",
      );
    }),
  );
});

import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { buildExecutable } from "../../scripts/build/executable.ts";
import type { Arch } from "../../scripts/build/packages.ts";
import { checkedOutCommit } from "../../src/cli/Version.ts";
import { builtInPicture } from "../../src/media/BuiltInPictures.ts";
import { assertNoPostgresLeft } from "../database/RealProcesses.ts";
import { collection, pointFeature } from "../locations/Features.ts";
import { CliProcess } from "./CliProcess.ts";

/** Writes what `Intl` and strings give in English and in no language to the file that a variable names. */
const englishScript = `
const instants = [0, 1e12, 1.7e12, 1.75e12];
const texts = Intl.supportedValuesOf("timeZone").flatMap((timeZone) => {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, dateStyle: "full", timeStyle: "full" });
  return instants.map((instant) => format.format(instant));
});
const tags = ["iw-IL", "zh-cmn-Hans-CN", "sr-Latn", "EN-us", "no-bok-x-a"].map((tag) => {
  try { return Intl.getCanonicalLocales(tag)[0]; } catch (error) { return error.message; }
});
const graphemes = [...new Intl.Segmenter("und", { granularity: "grapheme" }).segment("👩‍👩‍👧é नि ไทย")];
const others = [
  (1234567.891).toLocaleString("en"), ["b", "a", "ä", "Z"].sort((one, other) => one.localeCompare(other)),
  "ﬁ Å ｱ".normalize("NFKD"), "İI".toLocaleLowerCase("tr"), /\\p{Script=Thai}\\p{L}/v.test("ไท"),
  new TextDecoder("latin1").decode(new Uint8Array([128, 200])), new URL("http://münchen.de").host,
];
require("node:fs").writeFileSync(process.env.ENGLISH, JSON.stringify([texts, tags, graphemes, others]));
process.exit(0);
`;

// The build of `npm run build`, without the time to make the file small. The executable is built for Linux,
// on Linux.
describe.skipIf(process.platform !== "linux")("the executable", () => {
  let home: string;
  let file: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "waypost-executable-"));
    // As root, the database runs under another account, which must be able to enter the folder.
    await chmod(home, 0o755);
    file = join(home, "waypost");
    const root = join(import.meta.dirname, "../..");
    await buildExecutable({ root, arch: process.arch as Arch, out: file, isQuick: true });
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  it("the executable serves, checks pictures, imports, backs up, restores (running.executable)", async () => {
    assert.deepStrictEqual(await readdir(home), ["waypost"]);
    const cli = await CliProcess.make(file);
    const restored = new CliProcess(join(home, "restored"), file);
    try {
      const { ends, origin } = await cli.serve();
      const made = await cli.run(["workspace", "create", "--name", "Acme"]);
      assert.deepStrictEqual([made.code, made.stderr], [0, ""]);
      const issued = await cli.run(["token", "issue", "-w", "Acme", "-e", "sandbox", "--json"]);
      const { token } = JSON.parse(issued.stdout) as { readonly token: string };
      const locations = await fetch(`${origin}/sandbox/platform/v1/locations/import`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/geo+json" },
        body: JSON.stringify(collection(pointFeature())),
      });
      const imported = (await locations.json()) as { readonly data?: { readonly summary: object } };
      assert.deepInclude(imported.data?.summary, { created: 1 }, JSON.stringify(imported));
      const body = new FormData();
      body.set("file", new Blob([builtInPicture("image")]), "picture.webp");
      const uploaded = await fetch(`${origin}/sandbox/platform/v1/media`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body,
      });
      const answer = (await uploaded.json()) as { readonly data: { readonly thumbnail_url: string } };
      assert.strictEqual(uploaded.status, 201, JSON.stringify(answer));
      const thumbnail = await fetch(answer.data.thumbnail_url);
      assert.deepStrictEqual([thumbnail.status, thumbnail.headers.get("content-type")], [200, "image/webp"]);
      assert.strictEqual((await fetch(`${origin}/docs`)).status, 200);

      const backup = join(home, "backup.tar.gz");
      assert.strictEqual((await cli.run(["backup", backup])).code, 0);
      assert.match((await ends("SIGTERM")).stderr, /First start of this build: unpacking PostgreSQL/);
      assert.lengthOf(await readdir(join(cli.dataDir, "runtime")), 1);

      const back = await restored.run(["restore", backup]);
      assert.deepStrictEqual([back.code, back.stderr], [0, ""]);
      // A supervisor starts the same file without the options of Node that are inside it.
      const second = await restored.serve({ WAYPOST_PROCESSES: "2" });
      assert.match((await restored.run(["workspace", "list"])).stdout, /Acme/);
      const end = await second.ends("SIGTERM");
      assert.strictEqual(end.code, 0);
      assert.notInclude(end.stderr, "unpacking");
      await assertNoPostgresLeft(cli.dataDir);
    } finally {
      await cli.dispose();
      await restored.dispose();
    }
  });

  it("the executable bundles its documents and the licences of its parts (running.executable)", async () => {
    const cli = new CliProcess(join(home, "nothing"), file);
    const document = await cli.run(["openapi", "device"]);
    assert.property(JSON.parse(document.stdout), "openapi");
    const licences = await cli.run(["licenses"]);
    for (const part of ["PostgreSQL", "libvips", "effect", "node-linux"])
      assert.include(licences.stdout, part);
    const { stdout: version } = await cli.run(["--version"]);
    assert.match(version, /^waypost v\d/);
    // The build writes the commit of the clone into the file.
    assert.include(
      version,
      `\ncommit ${checkedOutCommit(join(import.meta.dirname, "../..")) || "unknown"}\n`,
    );
  });

  it("without the languages of ICU, the executable's Node speaks English as before", async () => {
    const script = join(home, "english.cjs");
    await writeFile(script, englishScript);
    const [own, whole] = [join(home, "own.json"), join(home, "whole.json")];
    execFileSync(file, ["--version"], { env: { ENGLISH: own, NODE_OPTIONS: `--require=${script}` } });
    execFileSync(process.execPath, [script], { env: { ENGLISH: whole } });
    assert.strictEqual(await readFile(own, "utf8"), await readFile(whole, "utf8"));
  });
});

import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
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
      const second = await restored.serve();
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
});

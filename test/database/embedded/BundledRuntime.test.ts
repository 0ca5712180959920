import { assert, describe, it } from "@effect/vitest";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packagesOf } from "../../../scripts/build/licenses.ts";
import { isIntact } from "../../../scripts/build/packages.ts";
import { pack } from "../../../scripts/build/runtimeArchive.ts";
import { isUnpacked, unpackArchive } from "../../../src/database/embedded/BundledRuntime.ts";
import { onTestFinished } from "vitest";

/** An archive of a program, a library of several chunks, a link and an empty file. */
const makeArchive = async () => {
  const home = await mkdtemp(join(tmpdir(), "waypost-bundled-"));
  onTestFinished(() => rm(home, { recursive: true }));
  const library = Buffer.alloc(700_000, "waypost ");
  await writeFile(join(home, "server"), "#!/bin/sh\n");
  await writeFile(join(home, "library"), library);
  await writeFile(join(home, "empty"), "");
  const archive = pack("A server", [
    { path: "postgres/bin/server", from: join(home, "server") },
    { path: "postgres/lib/empty", from: join(home, "empty") },
    { path: "postgres/lib/library.so", linkTo: "library.so.5" },
    { path: "postgres/lib/library.so.5", from: join(home, "library") },
  ]);
  const parent = join(home, "runtime");
  return {
    archive,
    library,
    parent,
    folder: join(parent, archive.index.id),
  };
};

describe("the runtime of the executable", () => {
  it("the runtime is unpacked with its files, links and modes (running.executable)", async () => {
    const made = await makeArchive();
    const { archive, folder } = made;
    assert.isFalse(isUnpacked(archive.index, folder));
    await unpackArchive(archive.index, archive.compressed, folder);
    assert.isTrue(isUnpacked(archive.index, folder));
    assert.isTrue((await readFile(join(folder, "postgres/lib/library.so"))).equals(made.library));
    assert.strictEqual(await readlink(join(folder, "postgres/lib/library.so")), "library.so.5");
    assert.strictEqual((await stat(join(folder, "postgres/bin/server"))).mode & 0o777, 0o755);
    assert.strictEqual((await stat(join(folder, "postgres/lib/empty"))).mode & 0o777, 0o644);
  });

  it("unpacking removes other builds and interrupted attempts (running.executable)", async () => {
    const made = await makeArchive();
    const { archive, folder, parent } = made;
    await mkdir(join(parent, "new-cut"), { recursive: true });
    await mkdir(join(parent, "0123456789abcdef/postgres"), { recursive: true });
    await unpackArchive(archive.index, archive.compressed, folder);
    assert.deepStrictEqual(await readdir(parent), [archive.index.id]);
  });

  it("a short, missing or writable file unpacks the runtime again (running.executable)", async () => {
    const made = await makeArchive();
    const { archive, folder } = made;
    const spoilers: ReadonlyArray<(file: string) => Promise<void>> = [
      (file) => writeFile(file, "cut"),
      (file) => rm(file),
      (file) => chmod(file, 0o666),
    ];
    for (const spoil of spoilers) {
      await unpackArchive(archive.index, archive.compressed, folder);
      await spoil(join(folder, "postgres/lib/library.so.5"));
      assert.isFalse(isUnpacked(archive.index, folder));
    }
  });

  it("a damaged executable leaves no unpacked files (running.executable)", async () => {
    const made = await makeArchive();
    const { archive, folder, parent } = made;
    await mkdir(join(parent, "new-cut"), { recursive: true });
    const truncated = archive.compressed.subarray(0, archive.compressed.length / 2);
    const failure = await unpackArchive(archive.index, truncated, folder).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.instanceOf(failure, Error);
    assert.deepStrictEqual(await readdir(parent), []);
  });
});

describe("the build", () => {
  it("the build accepts a package only with the digest of the lockfile", () => {
    const bytes = Buffer.from("package");
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    assert.isTrue(isIntact(bytes, integrity));
    assert.isFalse(isIntact(Buffer.from("packaged"), integrity));
  });

  it("the build finds the packages of bundled files, also nested ones", () => {
    const inputs = [
      "src/main.ts",
      "node_modules/effect/dist/Effect.js",
      "node_modules/effect/dist/Layer.js",
      "node_modules/@img/colour/color.cjs",
      "node_modules/sharp/node_modules/semver/index.js",
    ];
    assert.deepStrictEqual(packagesOf(inputs), [
      "node_modules/@img/colour",
      "node_modules/effect",
      "node_modules/sharp/node_modules/semver",
    ]);
  });
});

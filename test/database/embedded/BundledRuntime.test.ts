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

/** A folder with a program, a library of several pieces and an empty file, and what they are packed into. */
const world = async () => {
  const home = await mkdtemp(join(tmpdir(), "waypost-carried-"));
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

describe("the runtime that the executable carries", () => {
  it("is unpacked whole: bytes, links, and programs that may be run (running.executable)", async () => {
    const made = await world();
    const { archive, folder } = made;
    assert.isFalse(isUnpacked(archive.index, folder));
    await unpackArchive(archive.index, archive.compressed, folder);
    assert.isTrue(isUnpacked(archive.index, folder));
    assert.isTrue((await readFile(join(folder, "postgres/lib/library.so"))).equals(made.library));
    assert.strictEqual(await readlink(join(folder, "postgres/lib/library.so")), "library.so.5");
    assert.strictEqual((await stat(join(folder, "postgres/bin/server"))).mode & 0o777, 0o755);
    assert.strictEqual((await stat(join(folder, "postgres/lib/empty"))).mode & 0o777, 0o644);
  });

  it("takes the place of other builds, and of an unpacking that was cut short (running.executable)", async () => {
    const made = await world();
    const { archive, folder, parent } = made;
    await mkdir(join(parent, "new-cut"), { recursive: true });
    await mkdir(join(parent, "0123456789abcdef/postgres"), { recursive: true });
    await unpackArchive(archive.index, archive.compressed, folder);
    assert.deepStrictEqual(await readdir(parent), [archive.index.id]);
  });

  it("is unpacked again where a file is short, missing, or open to others (running.executable)", async () => {
    const made = await world();
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

  it("leaves nothing behind when the executable is damaged, nor what a kill before that left (running.executable)", async () => {
    const made = await world();
    const { archive, folder, parent } = made;
    await mkdir(join(parent, "new-cut"), { recursive: true });
    const cut = archive.compressed.subarray(0, archive.compressed.length / 2);
    const failure = await unpackArchive(archive.index, cut, folder).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.instanceOf(failure, Error);
    assert.deepStrictEqual(await readdir(parent), []);
  });
});

describe("the build", () => {
  it("takes a package only with the digest of the lockfile", () => {
    const bytes = Buffer.from("package");
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    assert.isTrue(isIntact(bytes, integrity));
    assert.isFalse(isIntact(Buffer.from("packaged"), integrity));
  });

  it("knows the packages of bundled files, nested ones too", () => {
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

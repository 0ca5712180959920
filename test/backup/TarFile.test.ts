import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { readTar, TarBroken, writeTar } from "../../src/backup/TarFile.ts";

const contents: ReadonlyArray<readonly [name: string, content: string]> = [
  ["manifest.json", "{}"],
  ["empty", ""],
  ["one-block", "x".repeat(512)],
  [`media/${"n".repeat(120)}`, "a name over 100 bytes"],
  [`${"ü".repeat(90)}/${"é".repeat(120)}`, "a name over 255 bytes"],
];

let home = "";
let path = "";

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "waypost-tar-"));
  path = join(home, "archive.tar.gz");
  const tar = writeTar(path, 1_700_000_000);
  for (const [name, content] of contents) await tar.add(name, Buffer.from(content));
  await tar.finish();
});

afterAll(() => rm(home, { recursive: true, force: true }));

const readAll = async (file: string) => {
  const found: Array<readonly [string, string]> = [];
  for await (const { name, pieces } of readTar(file)) found.push([name, await text(pieces)]);
  return found;
};

describe("tar archives", () => {
  it("an archive returns its files in order, with long names and empty content", async () => {
    assert.deepStrictEqual(await readAll(path), contents);
  });

  it("what is not read of an entry is skipped, and the entries after it are whole", async () => {
    // Several small entries and one of several chunks are buffered at once.
    const sizes = [40, 0, 70, 300_000, 70, 70, 200_000, 1, 512, 130_000, 2];
    const file = join(home, "sizes.tar.gz");
    const tar = writeTar(file, 1_700_000_000);
    for (const [index, size] of sizes.entries()) await tar.add(`${index}`, randomBytes(size));
    await tar.finish();
    const readings = ["nothing", "first piece", "everything"] as const;
    for (let start = 0; start < 60; start++) {
      const bytes: Array<number> = [];
      let index = 0;
      for await (const { pieces } of readTar(file)) {
        const reading = readings[(start * (index + 1) + (start >> 2) * index) % 3];
        let read = 0;
        if (reading !== "nothing")
          for await (const piece of pieces) {
            read += piece.length;
            if (reading === "first piece") break;
          }
        bytes.push(reading === "everything" ? read : (sizes[index] ?? 0));
        index++;
      }
      assert.deepStrictEqual(bytes, sizes);
    }
  });

  it("an archive that is damaged, truncated or of another format is refused", async () => {
    const packed = await readFile(path);
    const unpacked = gunzipSync(packed);
    const flipped = Buffer.from(unpacked);
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    for (const [bytes, message] of [
      [packed.subarray(0, -4), /damaged or truncated/],
      [gzipSync(unpacked.subarray(0, 1_024)), /damaged or truncated/],
      [gzipSync(unpacked.subarray(0, 300)), /damaged or truncated/],
      [Buffer.alloc(0), /damaged or truncated/],
      [gzipSync(flipped), /not a valid archive/],
      [gzipSync(Buffer.alloc(2_000, "x")), /not a valid archive/],
    ] as const) {
      const file = join(home, "broken.tar.gz");
      await writeFile(file, bytes);
      const error: unknown = await readAll(file).then(
        () => null,
        (reason: unknown) => reason,
      );
      assert.instanceOf(error, TarBroken);
      assert.match((error as Error).message, message);
    }
  });

  it("an error of the file system keeps its code", async () => {
    const codeOf = (promise: Promise<unknown>) =>
      promise.then(
        () => null,
        (error: unknown) => (error as { readonly code?: string }).code,
      );
    assert.strictEqual(await codeOf(readAll(join(home, "none"))), "ENOENT");
    assert.strictEqual(await codeOf(readAll(home)), "EISDIR");
    const existing = writeTar(path, 0);
    assert.strictEqual(await codeOf(existing.add("a", Buffer.from("a")).then(existing.finish)), "EEXIST");
  });

  it("a missing file is not added", async () => {
    const tar = writeTar(join(home, "other.tar.gz"), 0);
    assert.isFalse(await tar.addFile("a", join(home, "none")));
    assert.isTrue(await tar.addFile("a", path));
    await tar.finish();
    assert.lengthOf(tar.files(), 1);
  });
});

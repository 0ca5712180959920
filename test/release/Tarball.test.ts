import { unpackTar } from "modern-tar";
import { assert, describe, it } from "vitest";
import { gzipped, plainFile, type RootFile, tarOf, withFolders } from "../../scripts/release/tarball.ts";

const time = new Date("2026-11-24T00:00:00Z");
const files: ReadonlyArray<RootFile> = [
  plainFile("usr/bin/waypost", "program", "waypost", 0o755),
  plainFile("etc/passwd", "accounts"),
  { path: "lib64", mode: 0o777, content: { linkTo: "lib" }, part: "libc6" },
  { path: "data", mode: 0o700, content: "folder", part: "waypost", uid: 65_532 },
];

describe("archives of a release", () => {
  it("an archive depends on its files and its time, not on their order", async () => {
    const one = gzipped(await tarOf(withFolders(files), time));
    const other = gzipped(await tarOf(withFolders(files.toReversed()), time));
    assert.isTrue(one.equals(other));
    assert.isFalse(one.equals(gzipped(await tarOf(withFolders(files), new Date(0)))));
  });

  it("an archive has folders before their files, modes, owners and links", async () => {
    const entries = await unpackTar(await tarOf(withFolders(files), time));
    assert.deepStrictEqual(
      entries.map(({ header: { linkname, mode, name, uid } }) => [
        name,
        mode?.toString(8),
        uid,
        linkname ?? "",
      ]),
      [
        ["data/", "700", 65_532, ""],
        ["etc/", "755", 0, ""],
        ["etc/passwd", "644", 0, ""],
        ["lib64", "777", 0, "lib"],
        ["usr/", "755", 0, ""],
        ["usr/bin/", "755", 0, ""],
        ["usr/bin/waypost", "755", 0, ""],
      ],
    );
    assert.isTrue(entries.every(({ header }) => header.mtime?.getTime() === time.getTime()));
  });
});

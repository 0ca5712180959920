import { assert, describe, it } from "@effect/vitest";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { allSettings } from "../../src/config/SettingsTable.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const found = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, match = ""]) => match);

const packaging = read("packaging/nix/package.nix");
const nixModule = read("packaging/nix/module.nix");

// Nothing here evaluates Nix: these tests compare the files with the rest of the repository.
describe("the Nix package", () => {
  it("the Nix package has every file of the program that npm publishes, and all of them exist", () => {
    const taken = found(/fileset\.unions \(([^;]*);/.exec(packaging)?.[1] ?? "", /^\s+"([^"]+)"$/gm);
    assert.isNotEmpty(taken);
    assert.deepStrictEqual(
      taken.filter((path) => !existsSync(join(root, path))),
      [],
    );
    const published: ReadonlyArray<string> = JSON.parse(read("package.json")).files;
    const notTaken = published.filter((path) => !taken.includes(path));
    // The client is for programs that use the npm package, ARCHITECTURE.md for those who change the code.
    assert.deepStrictEqual(notTaken, ["dist", "!dist/waypost*", "ARCHITECTURE.md"]);
  });

  it("every path that the Nix package replaces is in the systemd unit", () => {
    const replaced = found(packaging, /--replace-fail (\S+)/g);
    assert.lengthOf(replaced, 2);
    for (const path of replaced) assert.include(read("packaging/systemd/waypost.service"), path);
  });

  it("the Nix package takes the hash of every npm package from the lockfile", () => {
    const lock: { packages: Record<string, { integrity?: string }> } = JSON.parse(read("package-lock.json"));
    const without = Object.entries(lock.packages).filter(([path, entry]) => path !== "" && !entry.integrity);
    assert.deepStrictEqual(without, []);
    assert.notMatch(packaging, /sha(256|512)-/);
  });
});

describe("the NixOS module", () => {
  it("the NixOS module has known settings, with the defaults of the program", () => {
    const named = new Set([
      ...found(nixModule, /\b(WAYPOST_[A-Z_]+|DATABASE_URL|PORT)\b/g),
      ...found(nixModule, /options\.([A-Z_]+) =/g),
    ]);
    const known = new Map(allSettings.map(({ name, default: value }) => [name, value]));
    assert.deepStrictEqual(
      [...named].filter((name) => !known.has(name)),
      [],
    );
    assert.include(nixModule, `default = ${known.get("PORT")?.replaceAll("`", "")};`);
    assert.include(nixModule, `default = "${known.get("WAYPOST_HOST")?.replaceAll("`", "")}";`);
  });
});

import { assert, describe, it } from "@effect/vitest";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { settings } from "../../src/config/SettingsTable.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const found = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, match = ""]) => match);

const packaging = read("packaging/nix/package.nix");
const nixModule = read("packaging/nix/module.nix");

// Nothing here reads Nix, so this holds what the rest of the repository could make untrue.
describe("The Nix package", () => {
  it("takes files that are there, all that npm would publish for the program among them", () => {
    const taken = found(/fileset\.unions \(([^;]*);/.exec(packaging)?.[1] ?? "", /^\s+"([^"]+)"$/gm);
    assert.isNotEmpty(taken);
    assert.deepStrictEqual(
      taken.filter((path) => !existsSync(join(root, path))),
      [],
    );
    const published: ReadonlyArray<string> = JSON.parse(read("package.json")).files;
    const notTaken = published.filter((path) => !taken.includes(path));
    // The client is for programs that depend on the npm package, and the tour of the code for who changes it.
    assert.deepStrictEqual(notTaken, ["dist", "!dist/waypost*", "ARCHITECTURE.md"]);
  });

  it("replaces paths that the unit of systemd has", () => {
    const replaced = found(packaging, /--replace-fail (\S+)/g);
    assert.lengthOf(replaced, 2);
    for (const path of replaced) assert.include(read("packaging/systemd/waypost.service"), path);
  });

  it("has one hash for each package: the lockfile's", () => {
    const lock: { packages: Record<string, { integrity?: string }> } = JSON.parse(read("package-lock.json"));
    const without = Object.entries(lock.packages).filter(([path, entry]) => path !== "" && !entry.integrity);
    assert.deepStrictEqual(without, []);
    assert.notMatch(packaging, /sha(256|512)-/);
  });
});

describe("The NixOS module", () => {
  it("names settings that the program reads, with its defaults", () => {
    const named = new Set([
      ...found(nixModule, /\b(WAYPOST_[A-Z_]+|DATABASE_URL|PORT)\b/g),
      ...found(nixModule, /options\.([A-Z_]+) =/g),
    ]);
    const known = new Map(settings.map(({ name, default: value }) => [name, value]));
    assert.deepStrictEqual(
      [...named].filter((name) => !known.has(name)),
      [],
    );
    assert.include(nixModule, `default = ${known.get("PORT")?.replaceAll("`", "")};`);
    assert.include(nixModule, `default = "${known.get("WAYPOST_HOST")?.replaceAll("`", "")}";`);
  });
});

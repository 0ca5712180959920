import { assert, describe, it } from "@effect/vitest";
import { readFileSync } from "node:fs";
import { platformEndpoints } from "../../src/client/generated/PlatformEndpoints.ts";

describe("docs/client.md", () => {
  it("the table of methods has each method of the platform API (client.others)", () => {
    const page = readFileSync(new URL("../../docs/client.md", import.meta.url), "utf8");
    const rowOf = (group: string): string => new RegExp(`^\\| \`${group}\` .*$`, "m").exec(page)?.[0] ?? "";
    const { me: _, ...groups } = platformEndpoints;
    const missing = Object.entries(groups).flatMap(([group, methods]) =>
      Object.keys(methods)
        .filter((name) => !rowOf(group).includes(`\`${name}(`))
        .map((name) => `${group}.${name}`),
    );
    assert.deepStrictEqual(missing, []);
  });
});

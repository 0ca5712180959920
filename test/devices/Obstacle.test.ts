import { assert, it } from "@effect/vitest";
import { readFileSync } from "node:fs";
import { obstacles, reasons } from "../../src/devices/Obstacle.ts";

it("the contract lists the reasons of explanations in order, and each has a sentence (S6.1)", () => {
  const contract = readFileSync(new URL("../../docs/contract/people.md", import.meta.url), "utf8");
  const row = contract.split("\n").find((line) => line.startsWith("| S6.1 |")) ?? "";
  const [listed = ""] = /(?<=`reason` of ).*?(?=\. )/.exec(row) ?? [];
  assert.deepStrictEqual(
    [...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    [...reasons],
  );
  for (const sentence of Object.values(obstacles)) assert.match(sentence, /^[A-Z].*\.$/);
});

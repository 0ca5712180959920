import { assert, describe, it } from "@effect/vitest";
import { createHash } from "node:crypto";
import { isHeldOut, unitKeyOf, unitOf, variantOf } from "../../../src/sending/arms/Arm.ts";
import { cases } from "../../FixedSeed.ts";

const campaign = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const notification = "01980a6c-3e77-7a18-b2c4-91d5e6f70a11";
const split = [
  { key: "b", weight: 33 },
  { key: "long_name-16chars", weight: 1 },
  { key: "c", weight: 16 },
];

/** The arithmetic as the contract publishes it. */
const h = (text: string): number =>
  Number(createHash("sha256").update(text, "utf8").digest().readBigUInt64BE(0)) / 2 ** 64;
const published = (unit: string): string => {
  if (h(`holdout:${campaign}:${unit}`) < 12.34 / 100) return "holdout";
  const number = h(`variant:${notification}:${unit}`) * 100;
  if (number < 33) return "b";
  if (number < 34) return "long_name-16chars";
  return number < 50 ? "c" : "control";
};

describe("Arms", () => {
  it("the arms of a million units are those of the published arithmetic, in their shares (U3)", () => {
    const counts = new Map<string, number>();
    const units = cases(1_000_000);
    let others = 0;
    for (let index = 0; index < units; index++) {
      const unit = unitOf("", `customer-${index}`);
      const arm = isHeldOut(campaign, 12.34, unit) ? "holdout" : variantOf(notification, split, unit);
      // Each one in ten is computed again as published: the hash is the same for the others.
      if (index % 10 === 0 && arm !== published(unit)) others++;
      counts.set(arm ?? "", (counts.get(arm ?? "") ?? 0) + 1);
    }
    assert.strictEqual(others, 0);
    const rest = 1 - 0.1234;
    const shares = [
      ["holdout", 0.1234],
      ["b", rest * 0.33],
      ["long_name-16chars", rest * 0.01],
      ["c", rest * 0.16],
      ["control", rest * 0.5],
    ] as const;
    for (const [arm, share] of shares) {
      const error = Math.sqrt(units * share * (1 - share));
      assert.isBelow(Math.abs((counts.get(arm) ?? 0) - units * share), 4 * error, arm);
    }
  });

  it("a unit is the person of a device, else the device, by a text and by a key (U3)", () => {
    const device = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b64";
    assert.strictEqual(unitOf(device, "Zoë "), "user:Zoë ");
    assert.strictEqual(unitOf(device, null), `device:${device}`);
    assert.deepStrictEqual([unitKeyOf(7, 9), unitKeyOf(7, null)], [-9, 7]);
  });

  it("without a holdout nobody is held out, and without variants there is no variant (U3)", () => {
    for (let index = 0; index < 1000; index++) {
      assert.isFalse(isHeldOut(campaign, 0, `user:${index}`));
      assert.isNull(variantOf(notification, [], `user:${index}`));
    }
  });

  it("the example of the documentation is right (U3)", () => {
    const unit = "user:customer-4711";
    assert.strictEqual(h(`holdout:${campaign}:${unit}`).toFixed(6), "0.070981");
    assert.strictEqual(h(`variant:${notification}:${unit}`).toFixed(6), "0.326970");
    assert.deepStrictEqual(
      [isHeldOut(campaign, 10, unit), isHeldOut(campaign, 7, unit), variantOf(notification, split, unit)],
      [true, false, "b"],
    );
  });
});

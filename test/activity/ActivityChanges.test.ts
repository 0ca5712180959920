import { assert, describe, it } from "@effect/vitest";
import { changesOf } from "../../src/activity/ActivityChanges.ts";

describe("changesOf", () => {
  it("a change has the old and the new value of each changed field, nested ones by dotted name (S5)", () => {
    const before = { id: "a", name: "Old", paused: false, targeting: { location_ids: ["x"], match: "any" } };
    const after = { ...before, name: "New", targeting: { location_ids: ["x", "y"], match: "any" } };
    assert.deepStrictEqual(changesOf(before, after), {
      name: { old: "Old", new: "New" },
      "targeting.location_ids": { old: ["x"], new: ["x", "y"] },
    });
  });

  it("a created resource has no old values, a deleted one no new values, and nulls are left out (S5)", () => {
    const fields = { name: "New", ends_at: null };
    assert.deepStrictEqual(changesOf(null, fields), { name: { old: null, new: "New" } });
    assert.deepStrictEqual(changesOf(fields, null), { name: { old: "New", new: null } });
  });

  it("equal fields, ids and instants of changes are no changes (S5)", () => {
    const fields = { id: "a", list: [{ a: 1 }], created_at: "1", updated_at: "1" };
    const same = { id: "b", list: [{ a: 1 }], created_at: "2", updated_at: "2", more: undefined };
    assert.deepStrictEqual(changesOf(fields, same), {});
    assert.deepStrictEqual(changesOf(null, null), {});
  });

  it("a field that becomes an object, or null, is a change of the object's fields (S5)", () => {
    const cap = { cap: { count: 3, period: "day" } };
    assert.deepStrictEqual(changesOf({ cap: null }, cap), {
      "cap.count": { old: null, new: 3 },
      "cap.period": { old: null, new: "day" },
    });
  });

  it("long texts and lists are shortened (S5)", () => {
    const { list, text } = changesOf(null, { text: "é".repeat(201), list: [...Array(25).keys()] });
    assert.deepStrictEqual(text?.new, `${"é".repeat(200)}…`);
    assert.deepStrictEqual(list?.new, [...Array(20).keys(), "… and 5 more"]);
    assert.deepStrictEqual(changesOf(null, { text: "é".repeat(200) })["text"]?.new, "é".repeat(200));
  });

  it("secret values are not shown: only the names of their fields are (S5)", () => {
    const before = { key_id: "K1", private_key: "one" };
    assert.deepStrictEqual(changesOf(before, { key_id: "K1", private_key: "two" }, true), {
      private_key: { old: null, new: null },
    });
  });

  it("tokens in texts, and signatures and passwords in addresses, are masked (S5)", () => {
    const shown = (text: string) => changesOf(null, { text })["text"]?.new;
    const token = `wps_${"a1B2".repeat(9)}`;
    assert.strictEqual(shown(`Use ${token}`), "Use wps_<redacted>");
    assert.strictEqual(
      shown("https://user:pw@cdn.example/a?utm_source=x&X-Amz-Signature=abc&exp=1#top"),
      "https://<redacted>@cdn.example/a?utm_source=x&X-Amz-Signature=<redacted>&exp=1#top",
    );
  });
});

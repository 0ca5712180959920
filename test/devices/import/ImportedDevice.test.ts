import { assert, describe, it } from "@effect/vitest";
import fc from "fast-check";
import { type ImportedRow, importedDevice } from "../../../src/devices/import/ImportedDevice.ts";
import { cases } from "../../FixedSeed.ts";

const some = (...values: ReadonlyArray<unknown>) => fc.constantFrom(...values);

/** The parts of a row, each with values that are accepted and values that are not. */
const parts = {
  platform: some("ios", "web", "symbian", null, 1, "").map((platform) => ({ platform })),
  locale: some("nl-NL", " nl ", "", null, "x".repeat(65), 7, "\uD800").map((locale) => ({ locale })),
  timezone: some("Europe/Paris", "UTC", "Mars/Base", null, 1, "").map((timezone) => ({ timezone })),
  userId: some("anna", " anna ", "", null, 7, "u".repeat(256), "a\0").map((user_id) => ({ user_id })),
  attributes: some(
    { plan: "gold", gone: null, list: ["a", " b "], visits: 3, beta: true },
    '{"plan":" gold "}',
    {},
    null,
    "",
    "{",
    [],
    "[1]",
    { nested: {} },
    { [" name "]: 1 },
    { ["n".repeat(65)]: 1 },
    { long: "x".repeat(8200) },
  ).map((attributes) => ({ attributes })),
  push: fc
    .tuple(
      some("fcm", "apns", "webpush", "inbox", "pigeon", null, undefined),
      some(
        { token: "t-1" },
        '{"token":" t-1 ","topic":"x.y"}',
        { token: "a b" },
        "t",
        [],
        {},
        null,
        undefined,
      ),
    )
    .map(([transport, address]) => ({ transport, address })),
};

const installation = { installation_id: "one" };
const noProblems = () => [];

/** A row whose parts are each parsed in a row of their own. */
const byParts = (rows: ReadonlyArray<ImportedRow>) => {
  const parsed = rows.map((row) => importedDevice({ ...installation, ...row }, noProblems));
  const reasons = parsed.flatMap((each) => ("device" in each ? [] : each.reasons));
  const devices = parsed.map((each) => ("device" in each ? Object.entries(each.device) : []));
  const fields = devices.flat().filter(([, value]) => value !== undefined);
  return reasons.length > 0 ? { reasons: reasons.toSorted() } : { device: Object.fromEntries(fields) };
};

const subsets: fc.Arbitrary<{ readonly [part: string]: ImportedRow }> = fc.record(parts, {
  requiredKeys: [],
});

const wholeRow = (rows: ReadonlyArray<ImportedRow>) => {
  const parsed = importedDevice(Object.assign({}, installation, ...rows) as ImportedRow, noProblems);
  return "device" in parsed ? parsed : { reasons: parsed.reasons.toSorted() };
};

/** Without the fields that are not given. */
const given = (parsed: object): unknown => JSON.parse(JSON.stringify(parsed));

describe("A row of an import", () => {
  it("a row of fcm has a token or a FID, and fails with the reason otherwise (T1.1)", () => {
    const parsed = (address: object) =>
      importedDevice({ ...installation, transport: "fcm", address }, noProblems);
    for (const address of [{ fid: "fBNn3pD5R3aGOUJzq0dq1w" }, { token: "t", fid: null }]) {
      const row = parsed(address);
      const kept = Object.fromEntries(Object.entries(address).filter(([, value]) => value !== null));
      assert.deepStrictEqual("device" in row ? row.device.push : row, { transport: "fcm", address: kept });
    }
    const reason = "The push address of fcm must have either a token or a fid, and not both.";
    for (const address of [{}, { token: "t", fid: "f" }, { token: null, fid: null }])
      assert.deepStrictEqual(parsed(address), { installationId: "one", reasons: [reason] });
    assert.property(parsed({ fid: "f".repeat(256) }), "reasons");
  });

  it("is accepted exactly if each of its columns is, with all reasons (Q4.3)", () => {
    fc.assert(
      fc.property(subsets, (subset) => {
        const rows = Object.values(subset);
        assert.deepEqual(given(wholeRow(rows)), given(byParts([{}, ...rows])));
      }),
      { numRuns: cases(1_000) },
    );
  });

  it("is refused for an address that may not be called, whatever else is in it (Q4.3)", () => {
    const row = { ...installation, transport: "fcm", address: { token: "t" } };
    const refuse = () => ["No."];
    assert.deepEqual(importedDevice(row, refuse), { installationId: "one", reasons: ["No."] });
    const both = importedDevice({ ...row, timezone: "nowhere" }, refuse);
    assert.lengthOf("reasons" in both ? both.reasons : [], 2);
  });
});

import { assert, describe, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import fc from "fast-check";
import { SegmentDraft } from "../../src/devices/Segment.ts";
import type { SegmentCondition, SegmentRule } from "../../src/devices/SegmentRule.ts";
import { audienceSql, ruleSql } from "../../src/devices/SegmentRuleSql.ts";
import { parseFields } from "../../src/wire/ParsedBody.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { meets, type RuledDevice } from "./SegmentOracle.ts";
import { cases } from "../FixedSeed.ts";

// Few values, similar to each other, so that devices often meet conditions or just miss them.
const texts = [
  "",
  "gold",
  "Gold",
  "golden",
  "5",
  "true",
  "é",
  "e\u0301",
  "\uffee",
  "😀",
  "a%_'\"\\b",
  "Z",
  "nl",
];
const numbers = [5, 5.5, -1, 0, 10, 1e21, 1e-7, 0.1 + 0.2, 0.3];
const names = ["plan", "tags", "visits", 'it\'s "x"', "__proto__", "platform", "$1", "a.b"];
const versions = [
  "4.9.0",
  "4.10",
  "v4.10.0",
  "4.10.0-beta",
  "4",
  "04.9",
  "beta",
  "10.0.0.1",
  "99999999999999999999.1",
];
const instants = [
  "2026-11-21T12:00:00Z",
  "2026-11-21T13:00:00.4+01:00",
  "2026-11-20",
  "2026-11-21T12:00:01Z",
];
const people = ["anna", "Anna", "gold"];
const locales = ["nl-NL", "nl", "en-US"];

const text = fc.constantFrom(...texts);
const scalar = fc.oneof(text, fc.constantFrom(...numbers), fc.boolean());

const device: fc.Arbitrary<RuledDevice> = fc.record({
  platform: fc.constantFrom("ios", "android", "web", "other"),
  locale: fc.option(fc.constantFrom(...locales)),
  timezone: fc.option(fc.constantFrom("UTC", "Europe/Amsterdam")),
  app_version: fc.option(fc.constantFrom(...versions)),
  user_id: fc.option(fc.constantFrom(...people)),
  subscribed: fc.boolean(),
  registered_at: fc.constantFrom(
    ...[0, 1, 999, 1000, -1, -86_400_000].map((ms) => Date.parse("2026-11-21T12:00:00Z") + ms),
  ),
  attributes: fc.dictionary(
    fc.constantFrom(...names.filter((name) => name !== "__proto__")),
    fc.oneof(scalar, fc.array(text, { maxLength: 3 })),
    { noNullPrototype: true },
  ),
});

const valueOf = (attribute: string, op: SegmentCondition["op"]): fc.Arbitrary<SegmentCondition["value"]> => {
  const one = ["locale", "timezone"].includes(attribute)
    ? fc.constantFrom(...locales, "UTC", "gold")
    : attribute === "platform"
      ? fc.constantFrom("ios", "web")
      : attribute === "app_version"
        ? fc.constantFrom(
            ...versions.filter((each) => op === "eq" || op === "ne" || op === "in" || each !== "beta"),
          )
        : attribute === "user_id"
          ? fc.constantFrom(...people, "ann")
          : attribute === "subscribed"
            ? fc.boolean()
            : attribute === "registered_at"
              ? fc.constantFrom(...instants)
              : op === "gt" || op === "gte" || op === "lt" || op === "lte"
                ? fc.oneof(text, fc.constantFrom(...numbers))
                : scalar;
  if (op === "exists") return fc.boolean();
  if (op === "contains") return fc.constantFrom(...texts.filter((each) => each !== ""), "ol", "l-N", ".10");
  return op === "in" ? fc.array(one, { minLength: 1, maxLength: 4 }) : one;
};

const condition: fc.Arbitrary<SegmentCondition> = fc
  .tuple(
    fc.constantFrom(...names, "locale", "timezone", "app_version", "registered_at", "user_id", "subscribed"),
    fc.constantFrom("eq", "ne", "in", "gt", "gte", "lt", "lte", "exists", "contains" as const),
  )
  .map(([attribute, op]) => {
    if (attribute === "registered_at" && op === "contains") return { attribute, op: "lt" } as const;
    const isFlag = attribute === "subscribed" && !["eq", "ne", "in", "exists"].includes(op);
    return { attribute, op: isFlag ? "ne" : op };
  })
  .chain(({ attribute, op }) => valueOf(attribute, op).map((value) => ({ attribute, op, value })));

const rule: fc.Arbitrary<SegmentRule> = fc.record({
  match: fc.constantFrom("all" as const, "any" as const),
  conditions: fc.array(condition, { minLength: 1, maxLength: 3 }),
});

/** Rules that compare one attribute several times. */
const listing: fc.Arbitrary<SegmentRule> = fc
  .tuple(
    fc.constantFrom(...names, "locale", "app_version", "registered_at", "user_id", "subscribed"),
    fc.array(fc.constantFrom("eq", "ne", "in" as const), { minLength: 2, maxLength: 5 }),
    condition,
  )
  .chain(([attribute, ops, other]) =>
    fc.record({
      match: fc.constantFrom("all" as const, "any" as const),
      conditions: fc
        .tuple(...ops.map((op) => valueOf(attribute, op).map((value) => ({ attribute, op, value }))))
        .map((listed) => [...listed, other]),
    }),
  );

const devices = fc.sample(device, { numRuns: 150, seed: 3 });

const selecting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const rows = devices.map(({ registered_at, ...rest }, id) => ({
    key: id,
    ...rest,
    registered_at: new Date(registered_at).toISOString(),
  }));
  yield* sql`
    CREATE TEMPORARY TABLE ruled (LIKE device INCLUDING DEFAULTS INCLUDING GENERATED) ON COMMIT DROP`;
  yield* sql`
    INSERT INTO ruled (workspace_id, environment, key, id, installation_id, platform, transport, locale,
      timezone, app_version, user_id, subscribed, registered_at, attributes, token_digest, last_seen_at)
    SELECT 1, 'sandbox', key, gen_random_uuid(), 'one', platform, 'inbox', locale, timezone, app_version,
      user_id, subscribed, registered_at, attributes, '', registered_at
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS d(key integer, platform text, locale text,
      timezone text, app_version text, user_id text, subscribed boolean, registered_at timestamptz,
      attributes jsonb)`;
  return (where: (sql: SqlClient.SqlClient) => ReturnType<typeof ruleSql>) =>
    Effect.map(
      sql<{ readonly key: number }>`SELECT d.key FROM ruled d WHERE ${where(sql)} ORDER BY d.key`,
      (found) => found.map(({ key }) => key),
    );
});

const idsWhere = (holds: (device: RuledDevice) => boolean) =>
  devices.flatMap((each, id) => (holds(each) ? [id] : []));

/** No rule of these tests asks for events. */
const scope = { tenant: { workspaceId: 0, environment: "sandbox" }, now: 0 } as const;

describe("A rule as SQL", () => {
  layer(TestDatabase.layer)((it) => {
    it.effect(
      "the SQL of a rule selects the devices of the rule, for all names, values and types " +
        "(L6.1, operator.segment_rule)",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient;
          yield* sql.withTransaction(
            Effect.gen(function* () {
              const select = yield* selecting;
              let held = 0;
              for (const each of [
                ...fc.sample(rule, { numRuns: cases(700), seed: 4 }),
                ...fc.sample(listing, { numRuns: cases(300), seed: 6 }),
              ]) {
                const read = parseFields(SegmentDraft, {
                  name: "Segment",
                  rule: JSON.parse(JSON.stringify(each)),
                });
                assert.deepStrictEqual(read.problems.fields, {}, JSON.stringify(each));
                const expected = idsWhere((one) => meets(one, each));
                assert.deepStrictEqual(
                  yield* select((client) => ruleSql(client, each, "d", scope)),
                  expected,
                  JSON.stringify(each),
                );
                if (expected.length > 0 && expected.length < devices.length) held++;
              }
              assert.isAbove(held, cases(300));
            }),
          );
        }),
    );

    it.effect("an audience is any or all of its rules, and everyone without rules (L6.1)", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        yield* sql.withTransaction(
          Effect.gen(function* () {
            const select = yield* selecting;
            for (const rules of fc.sample(fc.array(rule, { maxLength: 3 }), {
              numRuns: cases(100),
              seed: 5,
            })) {
              for (const match of ["any", "all"] as const) {
                const found = yield* select((client) => audienceSql(client, { match, rules }, "d", scope));
                const holds = (one: RuledDevice) => {
                  const each = rules.map((of) => meets(one, of));
                  return rules.length === 0 || (match === "all" ? each.every(Boolean) : each.some(Boolean));
                };
                assert.deepStrictEqual(found, idsWhere(holds), JSON.stringify({ match, rules }));
              }
            }
          }),
        );
      }),
    );
  });
});

import { assert, describe, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import fc from "fast-check";
import { campaignStatus } from "../../src/campaigns/CampaignStatus.ts";
import { statusSql } from "../../src/campaigns/CampaignStatusSql.ts";
import { TestDatabase } from "../database/TestDatabase.ts";
import { cases } from "../FixedSeed.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
// Close around the present, so that every order of the three instants and every tie comes up.
const instant = fc.integer({ min: -2, max: 2 }).map((ms) => NOW + ms);
const campaign = fc.record({
  startsAt: instant,
  endsAt: fc.option(instant),
  paused: fc.boolean(),
});

describe("campaignStatus and statusSql", () => {
  layer(TestDatabase.layerEmpty)((it) => {
    it.effect(
      "campaignStatus and statusSql agree on every campaign, at its bounds and at random instants " +
        "(campaigns.f_status, campaigns.s_same)",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient;
          const near = fc.sample(campaign, { numRuns: cases(300), seed: 1 });
          const far = fc.sample(
            fc.record({
              startsAt: fc.integer({ min: 0, max: 2 * NOW }),
              endsAt: fc.option(fc.integer({ min: 0, max: 2 * NOW })),
              paused: fc.boolean(),
            }),
            { numRuns: cases(300), seed: 2 },
          );
          const campaigns = [...near, ...far];
          const rows = campaigns.map(({ startsAt, endsAt, paused }, id) => ({
            id,
            starts_at: new Date(startsAt).toISOString(),
            ends_at: endsAt === null ? null : new Date(endsAt).toISOString(),
            paused,
          }));
          const found = yield* sql<{ readonly status: string }>`
          SELECT ${statusSql(sql, NOW, "c")} AS status
          FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
            AS c(id integer, starts_at timestamptz, ends_at timestamptz, paused boolean)
          ORDER BY c.id`;
          const expected = campaigns.map((one) => campaignStatus(one, NOW));
          assert.deepStrictEqual<ReadonlyArray<string>>(
            found.map((row) => row.status),
            expected,
          );
          assert.sameMembers([...new Set(expected)], ["active", "scheduled", "paused", "ended"]);
        }),
    );
  });
});

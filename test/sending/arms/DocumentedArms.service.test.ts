import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { readFileSync } from "node:fs";
import { TestDatabase } from "../../database/TestDatabase.ts";
import { armOf } from "./ArmsWorld.ts";

const page = readFileSync(new URL("../../../docs/experiments.md", import.meta.url), "utf8");
const codeOf = (language: string): string =>
  page.match(new RegExp(`\`\`\`${language}\\n(?<code>.*?)\`\`\``, "s"))?.groups?.["code"] ?? "";

const campaign = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const notification = "01980a6c-3e77-7a18-b2c4-91d5e6f70a11";
const units = Array.from({ length: 5_000 }, (_, index) => `user:Zoë ${index}`);

layer(TestDatabase.layer)("The arithmetic of arms in the documentation", (it) => {
  it.effect("in JavaScript it gives the arms of the program (U3)", () =>
    Effect.gen(function* () {
      const url = `data:text/javascript,${encodeURIComponent(codeOf("js"))}`;
      const documented = yield* Effect.promise(() => import(url));
      for (const unit of units)
        assert.strictEqual(
          documented.armOf(campaign, 10, notification, [{ key: "b", weight: 50 }], unit),
          armOf(campaign, 10, notification, unit),
        );
    }),
  );

  it.effect("in SQL it gives the arms of the program (U3)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const [definition = "", query = ""] = codeOf("sql").split(/(?<=\$\$;\n)/);
      yield* sql`${sql.literal(definition.replace("FUNCTION h", "FUNCTION pg_temp.h"))}`.unprepared;
      const asked = query
        .replaceAll(":campaign", `'${campaign}'`)
        .replaceAll(":notification", `'${notification}'`)
        .replaceAll("h('", "pg_temp.h('")
        .replace("'question'", "'b'")
        .replace("FROM units", "AS arm_of FROM unnest($units) AS u (unit)")
        .replace("AS arm\nAS arm_of", "AS arm");
      const [before = "", after = ""] = asked.replace(/;\s*$/, "").split("$units");
      const rows = yield* sql<{
        readonly arm: string;
      }>`${sql.literal(before)}${units}::text[]${sql.literal(after)}`.unprepared;
      assert.deepStrictEqual(
        rows.map(({ arm }) => arm),
        units.map((unit) => armOf(campaign, 10, notification, unit)),
      );
    }).pipe((work) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work))),
  );
});

import { assert, layer } from "@effect/vitest";
import { parse } from "csv-parse/sync";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { csvCell } from "../../../src/http/csv/Csv.ts";
import { answering, question } from "../../events/AnswerWorld.ts";
import { campaign, delivery, devices, event, locations, notification } from "../../reports/ReportHistory.ts";
import { reporting } from "../../reports/Reporting.ts";
import { type Answer, testStart, TestWaypost } from "../../TestWaypost.ts";

/** The records of a file, after its headers were checked. */
const records = ({ body, headers, status }: Answer, name: string): ReadonlyArray<Record<string, string>> => {
  assert.strictEqual(status, 200, JSON.stringify(body));
  assert.strictEqual(headers.get("content-type"), "text/csv; charset=utf-8");
  assert.strictEqual(headers.get("content-disposition"), `attachment; filename="${name}"`);
  assert.isTrue(String(body).endsWith("\r\n"));
  return parse(String(body), { columns: true, record_delimiter: "\r\n" });
};
/** A row of JSON as a record. */
const asRecord = (row: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (value === null) return [name, ""];
      if (Array.isArray(value)) return [name, value.join("; ")];
      return [name, typeof value === "object" ? JSON.stringify(value) : String(value)];
    }),
  );
const slug = (name: string) => name.toLowerCase().replace(" ", "-");

layer(TestWaypost.shared)("CSV files", (it) => {
  it.effect(
    "every report is a CSV file with the rows of its JSON, of the summary the days (M5.1, M5.2, M5.4)",
    () =>
      Effect.gen(function* () {
        const { operator } = yield* TestWaypost;
        const { sandbox, workspace } = yield* reporting({
          devices: devices(3),
          locations: locations(2),
          groups: [{ members: [0] }, { members: [0, 1] }],
          notifications: [notification("=SUM(A1)"), notification('Survey, "two"', { type: "survey" })],
          campaigns: [
            campaign("-Autumn\nsale", {
              locations: [0],
              notifications: [
                { notification: 0, trigger: "on_enter" },
                { notification: 1, trigger: "on_exit" },
              ],
            }),
          ],
          deliveries: [delivery(0, 0, { openedAt: testStart }), delivery(0, 1)],
          events: [event(0, 0), event(1, 1)],
        });
        const range = ["2026-11-01", "2026-11-21"];
        const search = `start=${range[0]}&end=${range[1]}`;
        for (const report of [
          "summary",
          "campaigns",
          "locations",
          "notifications",
          "interactions",
          "surveys",
        ]) {
          const { data } = (yield* sandbox(`/reports/${report}?${search}&format=json`)).body;
          const rows: ReadonlyArray<object> = report === "summary" ? data.daily : data;
          const name = `${report}-${slug(workspace.name)}-${range.join("-")}.csv`;
          const file = records(yield* sandbox(`/reports/${report}?${search}&format=csv`), name);
          const guarded = rows.map((row) => {
            const record = asRecord(row);
            return Object.fromEntries(
              Object.entries(record).map(([key, value]) => [key, /^[=-]/.test(value) ? `'${value}` : value]),
            );
          });
          assert.isAbove(rows.length, 0);
          assert.deepStrictEqual(file, guarded, report);
          const path = `/workspaces/${workspace.id}/sandbox/reports/${report}?${search}&format=csv`;
          assert.deepStrictEqual(records(yield* operator(path), name), guarded);
        }
        // No rows: the header alone.
        const empty = yield* sandbox("/reports/campaigns?campaign_status=ended&format=csv");
        assert.strictEqual(empty.body, "id,name,status,type,targets,delivered,engagement\r\n");
      }),
  );

  it.effect("the operator's lists are CSV files of all their rows, in order (M5.1, M5.2, M5.3, M5.4)", () =>
    Effect.gen(function* () {
      const { operator } = yield* TestWaypost;
      const sql = yield* SqlClient.SqlClient;
      const count = 230;
      const { workspace, workspaceId } = yield* reporting({
        devices: devices(count),
        notifications: [notification("Note")],
        campaigns: [campaign("Autumn", { notifications: [{ notification: 0, trigger: "on_enter" }] })],
        deliveries: Array.from({ length: count }, (_, index) =>
          delivery(0, index, {
            status: index % 7 === 0 ? "failed" : index % 5 === 0 ? "queued" : "delivered",
          }),
        ),
      });
      // The database makes these cells; `csvCell` makes all others.
      const errors = [
        '=cmd, "x"',
        "a;=b",
        "two\r\n@lines",
        "＝x",
        '; "+1',
        "-1",
        "a;-1",
        "a=b",
        "\n=1",
        "x\t ＠y",
      ];
      yield* sql`UPDATE delivery SET last_error = (${errors}::text[])[1 + (device_key % 10)]
        WHERE workspace_id = ${workspaceId} AND status = 'failed'`;
      yield* sql`UPDATE delivery SET content_key = (SELECT max(key) FROM content
        WHERE workspace_id = ${workspaceId}) WHERE workspace_id = ${workspaceId}`;
      yield* sql`UPDATE device SET attributes = '{"plan": "gold", "tags": ["a", "b"]}'
        WHERE workspace_id = ${workspaceId}`;
      yield* sql`
        INSERT INTO send (workspace_id, environment, id, campaign_id, campaign_key, notification_id,
          notification_key, due_at, status)
        SELECT workspace_id, environment, gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid(), 1,
          created_at, 'scheduled'
        FROM delivery WHERE workspace_id = ${workspaceId} LIMIT 3`;
      for (const list of ["deliveries", "devices", "sends"]) {
        const path = `/workspaces/${workspace.id}/sandbox/${list}`;
        const rows: Array<object> = [];
        for (let cursor: string | null = ""; cursor !== null;) {
          const page: any = yield* operator(`${path}?limit=100${cursor && `&cursor=${cursor}`}`);
          rows.push(...page.body.data);
          cursor = page.body.meta.next_cursor;
        }
        const name = `${list}-${slug(workspace.name)}-2026-11-21.csv`;
        const file = records(yield* operator(`${path}?format=csv`), name);
        const expected = rows.map((row) => {
          const record = asRecord(row);
          const error = record["last_error"] ?? "";
          return error === "" ? record : { ...record, last_error: String(parse(csvCell(error))[0]?.[0]) };
        });
        assert.lengthOf(rows, list === "sends" ? 3 : count);
        const shown = new Set(rows.map((row) => (row as { readonly last_error?: string }).last_error ?? ""));
        if (list === "deliveries") assert.sameMembers([...shown], ["", ...errors]);
        assert.deepStrictEqual(file, expected, list);
      }
      const failed = yield* operator(
        `/workspaces/${workspace.id}/sandbox/deliveries?status=failed&format=csv`,
      );
      assert.lengthOf(parse(String(failed.body)), 1 + Math.ceil(count / 7));
    }).pipe(Effect.orDie),
  );

  it.effect("results have a row for each question, answers a column (M5.3)", () =>
    Effect.gen(function* () {
      const choices = ["Bread", "Cheese", "Fish"];
      const world = yield* answering([
        question("MULTIPLE_CHOICE"),
        { ...question("OPEN_ENDED"), question_text: "=How?" },
        { ...question("RATING"), question_text: "=How?" },
        question("NUMBER"),
        question("BOOLEAN"),
      ]);
      yield* world.answer({ 0: ["Fish", "Bread"], 1: "-x", 2: 4, 3: -2.5, 4: true });
      const path = `/campaigns/${world.campaignId}/notifications/${world.notificationId}`;
      const workspace = slug(world.workspace.name);
      const [row, ...others] = records(
        yield* world.production.platform(`${path}/answers?format=csv`),
        `answers-${workspace}-2026-11-21.csv`,
      );
      assert.lengthOf(others, 0);
      const { id: _, ...cells } = row ?? {};
      assert.deepStrictEqual(cells, {
        device_id: world.phone.id,
        answered_at: "2026-11-21T12:00:00+00:00",
        first_answered_at: "2026-11-21T12:00:00+00:00",
        "MULTIPLE_CHOICE?": "Fish; Bread",
        "'=How?": "'-x",
        "'=How? (2)": "4",
        "NUMBER?": "-2.5",
        "BOOLEAN?": "true",
      });
      const ranged = yield* world.production.platform(
        `${path}/answers?format=csv&start=2026-11-20&end=2026-11-20`,
      );
      assert.lengthOf(records(ranged, `answers-${workspace}-2026-11-20-2026-11-20.csv`), 0);
      const results = records(
        yield* world.production.platform(`${path}/results?format=csv&start=2026-11-21&end=2026-11-21`),
        `results-${workspace}-2026-11-21-2026-11-21.csv`,
      );
      assert.lengthOf(results, 5);
      for (const [index, text] of choices.entries()) {
        const count = text === "Cheese" ? 0 : 1;
        assert.deepInclude(results[0], {
          [`choice_${index + 1}_text`]: text,
          [`choice_${index + 1}_count`]: String(count),
          [`choice_${index + 1}_share`]: String(100 * count),
          choice_4_text: "",
          mean: "",
        });
      }
      assert.deepInclude(results[2], { answered: "1", mean: "4", rating_4: "1", rating_5: "0", median: "" });
      assert.deepInclude(results[3], { mean: "-2.5", median: "-2.5", min: "-2.5", max: "-2.5" });
      assert.deepInclude(results[4], { true_count: "1", false_count: "0" });
    }),
  );

  it.effect("another format, or a page of a file, is 422 invalid_parameter (M5.6)", () =>
    Effect.gen(function* () {
      const { operator } = yield* TestWaypost;
      const world = yield* answering([question("RATING")]);
      const survey = `/campaigns/${world.campaignId}/notifications/${world.notificationId}`;
      const own = `/workspaces/${world.workspace.id}/production`;
      for (const [ask, paths] of [
        [
          world.production.platform,
          ["/reports/summary", "/reports/interactions", `${survey}/results`, `${survey}/answers`],
        ],
        [operator, [`${own}/deliveries`, `${own}/devices`, `${own}/sends`, `${own}/reports/surveys`]],
      ] as const) {
        for (const path of paths) {
          for (const [search, fields] of [
            ["format=xml", ["format"]],
            ["format=", ["format"]],
            ["format=csv&format=csv", ["format"]],
            ["format=csv&limit=5", ["limit"]],
            ["format=csv&limit=5&cursor=x", ["cursor", "limit"]],
          ] as const) {
            const { body, status } = yield* ask(`${path}?${search}`);
            assert.deepStrictEqual(
              [status, body.error?.code],
              [422, "invalid_parameter"],
              `${path}?${search}`,
            );
            assert.sameMembers(Object.keys(body.error.fields), [...fields]);
          }
        }
      }
    }),
  );
});

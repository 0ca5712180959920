import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { campaign, delivery, devices, event, locations, notification } from "../../reports/ReportHistory.ts";
import { reporting } from "../../reports/Reporting.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { commandLine } from "../CommandLine.ts";

const minute = 60_000;

/** A workspace with a campaign on one of two locations, a survey, deliveries and events. */
const reportWorld = Effect.gen(function* () {
  const { json, operator, run } = yield* commandLine;
  const { ids, sandbox, workspace } = yield* reporting({
    devices: devices(4),
    locations: locations(2),
    groups: [{ members: [0, 1] }],
    notifications: [notification("Hello"), notification("How was it", { type: "survey" })],
    campaigns: [
      campaign("Autumn", {
        locations: [0],
        notifications: [
          { notification: 0, trigger: "on_enter" },
          { notification: 1, trigger: "on_exit" },
        ],
      }),
    ],
    deliveries: [delivery(0, 0), delivery(0, 1), delivery(0, 2, { status: "failed" })],
    events: [
      event(0, 0, { occurredAt: testStart - 30 * minute }),
      event(0, 0, { type: "exit" }),
      event(1, 1),
    ],
  });
  const report = (line: string, columns: number | null = null) =>
    run(`report ${line} -w ${workspace.id} -e sandbox`, columns);
  return { ids, json, operator, report, sandbox, workspace };
});

layer(TestWaypost.shared)("waypost report", (it) => {
  it.effect("waypost report summary prints totals and a chart of days (cli.reports)", () =>
    Effect.gen(function* () {
      const { report } = yield* reportWorld;
      const { code, stderr, stdout } = yield* report("summary --start 2026-11-20", 60);
      assert.deepStrictEqual([code, stderr], [0, ""]);
      const bar = "█".repeat(45);
      assert.strictEqual(
        stdout,
        [
          "2026-11-20 to 2026-11-21 (UTC)",
          "",
          "delivered        2",
          "devices reached  2 of 4 registered now",
          "entries          2",
          "exits            1",
          "campaigns        1, 1 of them active now",
          "",
          "Delivered per day",
          "2026-11-20  0",
          `2026-11-21  2  ${bar}`,
          "",
        ].join("\n"),
      );
    }),
  );

  it.effect("the other four reports print their rows as tables (cli.reports)", () =>
    Effect.gen(function* () {
      const { report } = yield* reportWorld;
      const rows = (line: string) =>
        Effect.map(report(line), ({ stdout }) =>
          stdout
            .trimEnd()
            .split("\n")
            .slice(2)
            .map((row) => row.split(/ {2,}/)),
        );
      assert.deepStrictEqual(yield* rows("campaigns"), [
        ["NAME", "STATUS", "TYPE", "TARGETS", "DELIVERED", "ENGAGEMENT"],
        ["Autumn", "active", "geo", "1", "2", "50.0%"],
      ]);
      assert.deepStrictEqual(yield* rows("locations --status active"), [
        ["NAME", "STATUS", "GROUPS", "ENTRIES", "EXITS", "ENGAGEMENT", "DWELL"],
        ["Store 0", "active", "Group 0", "1", "1", "25.0%", "30 min"],
      ]);
      assert.deepStrictEqual(yield* rows("notifications --content-type message"), [
        ["NAME", "STATUS", "TYPE", "SENT", "DELIVERED", "REACH"],
        ["Hello", "active", "message", "3", "2", "50.0%"],
      ]);
      assert.deepStrictEqual(yield* rows("surveys"), [
        ["SURVEY", "CAMPAIGN", "STATUS", "TRIGGER", "QUESTIONS", "RESPONSES"],
        ["How was it", "Autumn", "active", "on_exit", "0", "0"],
      ]);
      assert.deepStrictEqual(yield* rows("surveys --campaign-status ended"), [["No survey matches."]]);
    }),
  );

  it.effect(
    "waypost report --json prints the response of the platform API (cli.reports, operator.reports)",
    () =>
      Effect.gen(function* () {
        const { ids, json, sandbox, workspace } = yield* reportWorld;
        const [group] = ids.groups;
        for (const [report, flags, query] of [
          [
            "summary",
            `--group ${group} --activation on_enter`,
            `location_group=${group}&activation=on_enter`,
          ],
          ["campaigns", `--campaign ${ids.campaigns[0]}`, `campaign=${ids.campaigns[0]}`],
          ["locations", `--location ${ids.locations[1]}`, `location=${ids.locations[1]}`],
          ["notifications", "--end 2026-11-20", "end=2026-11-20"],
          ["surveys", "", ""],
        ] as const) {
          const { body } = yield* sandbox(`/reports/${report}?${query}`);
          assert.deepStrictEqual(
            yield* json(`report ${report} -w ${workspace.id} -e sandbox ${flags}`),
            body,
          );
        }
      }),
  );

  it.effect("waypost report names every invalid filter (operator.reports)", () =>
    Effect.gen(function* () {
      const { operator, report, workspace } = yield* reportWorld;
      const { code, stderr } = yield* report("campaigns --start yesterday --campaign Autumn --status idle");
      assert.strictEqual(code, 1);
      for (const field of ["start", "campaign", "status"])
        assert.match(stderr, new RegExp(`^ {2}${field}: The`, "m"));
      assert.strictEqual(
        (yield* operator(`/workspaces/${workspace.id}/staging/reports/summary`)).status,
        404,
      );
    }),
  );

  it.effect(
    "--csv prints a report as the server writes it, and interactions are a report (cli.reports, M2, M5.9)",
    () =>
      Effect.gen(function* () {
        const { operator, report, workspace } = yield* reportWorld;
        const path = `/workspaces/${workspace.id}/sandbox/reports`;
        for (const name of ["summary", "campaigns", "interactions"]) {
          const { code, stderr, stdout } = yield* report(`${name} --csv --start 2026-11-20`);
          assert.deepStrictEqual([code, stderr], [0, ""]);
          const { body } = yield* operator(`${path}/${name}?start=2026-11-20&format=csv`);
          assert.strictEqual(stdout, body);
        }
        assert.include((yield* report("interactions")).stdout, "OPEN RATE");
        assert.strictEqual((yield* report("summary --csv --json")).code, 2);
        const refused = yield* report("summary --csv --start yesterday");
        assert.strictEqual(refused.code, 1);
        assert.include(refused.stderr, "start");
      }),
  );
});

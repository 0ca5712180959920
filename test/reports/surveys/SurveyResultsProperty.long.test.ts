import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import fc from "fast-check";
import type { Answer } from "../../../src/events/answers/Answer.ts";
import { AnswersSql } from "../../../src/events/answers/AnswersSql.ts";
import type { Question } from "../../../src/notifications/Survey.ts";
import { Rollups } from "../../../src/reports/rollups/Rollups.ts";
import { RollupSizes } from "../../../src/reports/rollups/RollupSizes.ts";
import { ParsedBody } from "../../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../../src/workspaces/Workspaces.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";
import { zones } from "../AnyHistory.ts";
import { campaign, devices, notification } from "../ReportHistory.ts";
import { reporting } from "../Reporting.ts";
import { assertRebuildIsSame } from "../rollups/StoredRollups.ts";
import { expectedQuestions, type PastAnswers } from "./SurveyOracle.ts";
import { DeviceKey, CampaignKey, NotificationKey, type ContentKey } from "../../../src/wire/Ids.ts";

const QUARTER = 900_000;
const id = (number: number) => `01980a6c-4c1d-7f10-9a41-3f1f5d7a2${String(number).padStart(3, "0")}`;
const choices = (...numbers: ReadonlyArray<number>) =>
  numbers.map((number) => ({ id: id(100 + number), text: `Choice ${number}` }));
const question = (number: number, type: Question["type"], of: Question["choices"] = []): Question => ({
  id: id(number),
  question_text: `Question ${number}`,
  type,
  required: false,
  choices: of,
});

/** The survey and two edits of it: choices and questions come, go and change their order. */
const revisions: ReadonlyArray<ReadonlyArray<Question>> = [
  [
    question(1, "SINGLE_CHOICE", choices(1, 2, 3)),
    question(2, "MULTIPLE_CHOICE", choices(4, 5, 6)),
    question(3, "NUMBER"),
    question(4, "RATING"),
    question(5, "BOOLEAN"),
  ],
  [
    question(2, "MULTIPLE_CHOICE", choices(6, 4, 7)),
    question(6, "SLIDER"),
    question(1, "SINGLE_CHOICE", choices(2, 8)),
    question(3, "NUMBER"),
    question(7, "OPEN_ENDED"),
  ],
  [question(3, "NUMBER"), question(1, "SINGLE_CHOICE", choices(1, 2)), question(5, "BOOLEAN")],
];

const anyValue = ({ choices: of, type }: Question): fc.Arbitrary<Answer["value"]> => {
  const ids = of.map((choice) => choice.id);
  switch (type) {
    case "SINGLE_CHOICE":
      return fc.constantFrom(...ids);
    case "MULTIPLE_CHOICE":
      return fc.shuffledSubarray(ids, { minLength: 1 });
    case "RATING":
      return fc.integer({ min: 1, max: 5 });
    case "SLIDER":
      return fc.integer({ min: 0, max: 100 });
    case "NUMBER":
      return fc.integer({ min: -3000, max: 5000 }).map((thousandths) => thousandths / 1000);
    case "BOOLEAN":
      return fc.boolean();
    case "OPEN_ENDED":
      return fc.constantFrom("Fine", "true", "5", "");
  }
};

/** A device's report at a time: answers to some of the questions of a revision. */
const anyAnswers = fc.integer({ min: 0, max: 2 }).chain((revision) =>
  fc.record({
    revision: fc.constant(revision),
    device: fc.nat({ max: 11 }),
    campaign: fc.constantFrom(0, 0, 0, 1),
    at: fc
      .tuple(fc.integer({ min: -40 * 96, max: 3 * 96 }), fc.constantFrom(-1, 0, 1))
      .map(([quarters, ms]) => Date.UTC(2026, 10, 21) + quarters * QUARTER + ms),
    values: fc.tuple(...(revisions[revision] ?? []).map((each) => fc.option(anyValue(each), { freq: 3 }))),
  }),
);

const ranges = [
  ["2026-10-12", "2026-11-24"],
  ["2026-10-22", "2026-11-21"],
  ["2026-10-25", "2026-10-25"],
  ["2026-10-31", "2026-11-02"],
  ["2026-11-01", "2026-11-30"],
] as const;

layer(TestWaypost.layer)("Results of surveys", (it) => {
  it.effect(
    "results follow the rules over zones, replaced answers and edits, however much is rolled up (M3)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const workspaces = yield* Workspaces;
        const answers = yield* Effect.provide(AnswersSql, AnswersSql.layer);
        const rollups = yield* Rollups;
        const step = Effect.provideService(rollups.step, RollupSizes, {
          deliveries: 7,
          events: 5,
          interactions: 9,
          rebuild: 6,
          periods: 2,
          rows: 9,
          bytes: 200,
        });
        const sent = fc.sample(anyAnswers, { numRuns: 6 * 60, seed: 20_261_122 })[Symbol.iterator]();
        const drawn = fc.sample(fc.nat({ max: 9999 }), { numRuns: 2000, seed: 3 })[Symbol.iterator]();
        const draw = (count: number) => (drawn.next().value ?? 0) % count;
        let withAnswers = 0;
        for (let world = 0; world < 6; world++) {
          let zone = zones[world % zones.length] ?? "UTC";
          const survey = { notifications: [{ notification: 0, trigger: "on_enter" as const }] };
          const { ids, sandbox, tenant, workspace, workspaceId } = yield* reporting(
            {
              devices: devices(12),
              notifications: [notification("Survey", { type: "survey" })],
              campaigns: [campaign("One", survey), campaign("Two", survey)],
            },
            zone,
          ).pipe(
            Effect.map((each) => ({
              ...each,
              tenant: { workspaceId: each.workspaceId, environment: "sandbox" } as never,
            })),
          );
          const [{ notificationKey } = { notificationKey: 0 }] = yield* sql<{
            readonly notificationKey: number;
          }>`SELECT key AS "notificationKey" FROM notification WHERE workspace_id = ${workspaceId}`;
          const campaignKeys = (yield* sql<{ readonly key: number }>`
            SELECT key FROM campaign WHERE workspace_id = ${workspaceId} ORDER BY name`).map(
            ({ key }) => key,
          );
          const contentKeys: Array<number> = [];
          for (const questions of revisions) {
            const [row] = yield* sql<{ readonly key: number }>`INSERT INTO content ${sql.insert({
              workspace_id: workspaceId,
              environment: "sandbox",
              notification_id: ids.notifications[0] ?? "",
              type: "survey",
              headline: "H",
              body: "B",
              questions: JSON.stringify(questions),
              created_at: new Date(testStart),
            })} RETURNING key`;
            contentKeys.push(row?.key ?? 0);
          }
          let asked = revisions[0] ?? [];
          const edit = (revision: number) =>
            Effect.suspend(() => {
              asked = revisions[revision] ?? [];
              return sql`UPDATE notification SET content_key = ${contentKeys[revision] ?? 0}
                WHERE workspace_id = ${workspaceId}`;
            });
          const kept = new Map<string, PastAnswers>();

          const answerSome = Effect.fnUntraced(function* (count: number) {
            for (let index = 0; index < count; index++) {
              const next = sent.next().value;
              if (next === undefined) return;
              const { at, campaign, device, revision, values } = next;
              const given = (revisions[revision] ?? []).flatMap((each, of): ReadonlyArray<Answer> => {
                const value = values[of] ?? null;
                return value === null || value === "" ? [] : [{ question_id: each.id, value }];
              });
              if (given.length === 0) continue;
              const key = `${campaign}/${device}`;
              kept.set(key, { firstAt: kept.get(key)?.firstAt ?? at, answers: given });
              const survey = {
                type: "survey" as const,
                questions: [],
                translations: null,
                locale: null,
                test: false,
                campaign_key: CampaignKey(campaignKeys[campaign] ?? 0),
                notification_key: NotificationKey(notificationKey),
                content_key: (contentKeys[revision] ?? 0) as ContentKey,
              };
              yield* answers.put(tenant, DeviceKey(device + 1), survey, given, at);
            }
          });
          const verify = Effect.fnUntraced(function* (moment: string) {
            for (const campaign of [0, 1]) {
              const [start, end] = ranges[draw(ranges.length)] ?? ranges[0];
              const calendar = new Intl.DateTimeFormat("en-CA", { timeZone: zone });
              const responses = [...kept].flatMap(([key, past]) => {
                const date = calendar.format(past.firstAt);
                return key.startsWith(`${campaign}/`) && date >= start && date <= end ? [past] : [];
              });
              const path = `/campaigns/${ids.campaigns[campaign]}/notifications/${ids.notifications[0]}`;
              const { body } = yield* sandbox(`${path}/results?start=${start}&end=${end}`);
              const questions = expectedQuestions(asked, responses);
              const expected = {
                data: { responses: responses.length, questions },
                meta: { start, end, timezone: zone },
              };
              const about = `world ${world}, ${moment} in ${zone}, campaign ${campaign}, ${start} to ${end}`;
              assert.deepStrictEqual(body, expected, about);
              withAnswers += responses.length;
            }
          });
          const rollUp = Effect.gen(function* () {
            while (yield* step);
          });

          yield* edit(0);
          yield* answerSome(20);
          yield* verify("nothing rolled up");
          yield* step;
          yield* step;
          yield* verify("some rolled up");
          yield* rollUp;
          yield* verify("all rolled up");
          yield* answerSome(20);
          yield* verify("more pending");
          yield* edit(1);
          yield* verify("edited");
          yield* rollUp;
          yield* verify("edited and rolled up");
          assert.isAbove(yield* assertRebuildIsSame(workspaceId, `world ${world}`), -1);
          zone = zones[(world + 1) % zones.length] ?? "UTC";
          yield* Effect.orDie(workspaces.update(workspace.id, ParsedBody.of({ timezone: zone as never })));
          yield* answerSome(20);
          yield* verify("another zone");
          yield* step;
          yield* step;
          yield* step;
          yield* edit(2);
          yield* verify("another zone, some rolled up");
          yield* rollUp;
          yield* verify("another zone, rolled up");
        }
        assert.isAtLeast(withAnswers, 300);
      }),
    120_000,
  );
});

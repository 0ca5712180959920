import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { Rollups } from "../../../src/reports/rollups/Rollups.ts";
import { RollupSizes } from "../../../src/reports/rollups/RollupSizes.ts";
import { answering, fieldsOf, question } from "../../events/AnswerWorld.ts";
import { testStart, TestWaypost } from "../../TestWaypost.ts";

const DAY = 86_400_000;
const types = ["OPEN_ENDED", "SINGLE_CHOICE", "MULTIPLE_CHOICE", "RATING", "BOOLEAN"] as const;

/** A survey with these questions, and functions that ask its results and answers. */
const surveying = (questions: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const world = yield* answering(questions);
    const path = `/campaigns/${world.campaignId}/notifications/${world.notificationId}`;
    const ask = (what: string, search = "") => world.production.platform(`${path}/${what}${search}`);
    return {
      ...world,
      path,
      ask,
      results: (search = "") => Effect.map(ask("results", search), ({ body }) => body.data),
      answers: (search = "") => Effect.map(ask("answers", search), ({ body }) => body.data),
      /** A new device that has received the survey, and answers values in the order of its questions. */
      another: Effect.gen(function* () {
        const phone = yield* world.production.phone();
        const [message] = (yield* phone.sees("enter", world.location)).deliveries;
        const answer = (values: Readonly<Record<number, unknown>>) =>
          world.send(
            {
              answers: Object.entries(values).map(([at, value]) => ({
                question_id: message.questions[Number(at)].id,
                value,
              })),
            },
            phone,
            message.id,
          );
        return { ...phone, message, answer };
      }),
    };
  });

layer(TestWaypost.layer)("Results of a survey", (it) => {
  it.effect("results have figures for each question by its type (M3.1, M3.2, M3.3, M3.5)", () =>
    Effect.gen(function* () {
      const world = yield* surveying(types.map((type) => question(type)));
      yield* world.answer({ 0: "Fine", 1: "Bread", 2: ["Cheese", "Bread"], 3: 5, 4: true });
      const other = yield* world.another;
      yield* other.answer({ 1: "Fish", 2: ["Cheese"], 3: 2 });
      const { body, status } = yield* world.ask("results");
      const id = (at: number) => world.id(at);
      const choice = (at: number, of: number) => world.message.questions[at].choices[of].id;
      const chosen = (at: number, counts: ReadonlyArray<readonly [string, number, number]>) =>
        counts.map(([text, count, share], of) => ({ id: choice(at, of), text, count, share }));
      const head = (at: number) => ({ id: id(at), question_text: `${types[at]}?`, type: types[at] });
      assert.deepStrictEqual(
        [status, body],
        [
          200,
          {
            data: {
              responses: 2,
              questions: [
                { ...head(0), answered: 1 },
                {
                  ...head(1),
                  answered: 2,
                  choices: chosen(1, [
                    ["Bread", 1, 50],
                    ["Cheese", 0, 0],
                    ["Fish", 1, 50],
                  ]),
                },
                {
                  ...head(2),
                  answered: 2,
                  choices: chosen(2, [
                    ["Bread", 1, 50],
                    ["Cheese", 2, 100],
                    ["Fish", 0, 0],
                  ]),
                },
                {
                  ...head(3),
                  answered: 2,
                  mean: 3.5,
                  distribution: [0, 1, 0, 0, 1].map((count, at) => ({ value: at + 1, count })),
                },
                { ...head(4), answered: 1, true_count: 1, false_count: 0 },
              ],
            },
            meta: { start: "2026-10-22", end: "2026-11-21", timezone: "UTC" },
          },
        ],
      );
    }),
  );

  it.effect("a response counts with its latest answers, on the day of its first (M3.7, K9.2)", () =>
    Effect.gen(function* () {
      const world = yield* surveying([question("NUMBER"), question("SLIDER")]);
      yield* world.answer({ 0: 1, 1: 0 });
      const other = yield* world.another;
      yield* other.answer({ 0: 2.5 });
      yield* TestClock.setTime(testStart + DAY);
      yield* world.answer({ 0: 4 });
      const empty = { answered: 0, mean: null, median: null, min: null, max: null };
      const [first, second] = (yield* world.results()).questions;
      assert.deepInclude(first, { answered: 2, mean: 3.25, median: 3.25, min: 2.5, max: 4 });
      assert.deepInclude(second, empty);
      assert.strictEqual((yield* world.results("?start=2026-11-21&end=2026-11-21")).responses, 2);
      const later = yield* world.results("?start=2026-11-22&end=2026-11-22");
      assert.strictEqual(later.responses, 0);
      assert.deepInclude(later.questions[0], empty);
    }),
  );

  it.effect("a rebuild adds up the answers of a day that it reads in parts (M3.7)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient;
      const world = yield* surveying([question("NUMBER")]);
      for (const [hours, value] of [1, 1, 2, 3].entries()) {
        yield* TestClock.setTime(testStart + hours * (DAY / 8));
        yield* (yield* world.another).answer({ 0: value });
      }
      const before = yield* world.results();
      yield* sql`UPDATE rollup_state SET timezone = ''`;
      const sizes = { ...RollupSizes.defaultValue(), rebuild: 1 };
      const step = Effect.provideService((yield* Rollups).step, RollupSizes, sizes);
      while (yield* step);
      assert.deepInclude(before.questions[0], { answered: 4, mean: 1.75, median: 1.5 });
      assert.deepStrictEqual(yield* world.results(), before);
    }),
  );

  it.effect("answers that answer nothing are no response, and replace none (K9.3)", () =>
    Effect.gen(function* () {
      const world = yield* surveying([question("RATING")]);
      assert.strictEqual((yield* world.send({ answers: [] })).status, 200);
      assert.deepStrictEqual([(yield* world.results()).responses, yield* world.answers()], [0, []]);
      yield* world.answer({ 0: 3 });
      assert.strictEqual((yield* world.send({ answers: [] })).status, 200);
      assert.deepInclude((yield* world.results()).questions[0], { answered: 1, mean: 3 });
    }),
  );

  it.effect("an edited survey keeps the answers to what it still asks (M3.8, F4.1)", () =>
    Effect.gen(function* () {
      const world = yield* surveying([question("SINGLE_CHOICE"), question("RATING")]);
      yield* world.answer({ 0: "Bread", 1: 4 });
      yield* (yield* world.another).answer({ 0: "Fish", 1: 2 });
      const edited = yield* world.production.platform(world.path, {
        method: "PATCH",
        body: {
          name: "Note",
          type: "survey",
          headline: "Hello",
          body: "World",
          trigger_type: "on_enter",
          questions: [
            { question_text: "New?", type: "BOOLEAN" },
            { ...question("SINGLE_CHOICE"), choices: [{ text: "Ham" }, { text: "Bread" }] },
          ],
        },
      });
      assert.strictEqual(edited.status, 200);
      const { questions, responses } = yield* world.results();
      assert.strictEqual(responses, 2);
      assert.deepInclude(questions[0], { question_text: "New?", answered: 0, true_count: 0 });
      assert.deepInclude(questions[1], { id: world.id(0), answered: 1 });
      assert.deepStrictEqual(
        questions[1].choices.map(({ count, share, text }: any) => [text, count, share]),
        [
          ["Ham", 0, 0],
          ["Bread", 1, 100],
        ],
      );
      assert.deepStrictEqual(
        (yield* world.answers()).map(({ answers }: any) => answers),
        [[], [{ question_id: world.id(0), value: "Bread" }]],
      );
    }),
  );

  it.effect("results and answers are of one survey on one campaign, else 404 or 422 (M3.9, M4.3, B1)", () =>
    Effect.gen(function* () {
      const world = yield* surveying([question("RATING")]);
      yield* world.answer({ 0: 1 });
      const second = yield* world.production.campaign({ location_ids: [world.location] });
      const message = yield* world.production.notification(world.campaignId);
      for (const what of ["results", "answers"]) {
        const ask = (campaign: string, notification: string, search = "") =>
          world.production.platform(`/campaigns/${campaign}/notifications/${notification}/${what}${search}`);
        for (const [campaign, notification] of [
          [second, world.notificationId],
          [randomUUID(), world.notificationId],
          [world.campaignId, randomUUID()],
          ["x", "y"],
        ] as const) {
          const { body, status } = yield* ask(campaign, notification, "?start=bad");
          assert.deepStrictEqual([status, body.error?.code], [404, "not_found"]);
        }
        const refused = yield* ask(world.campaignId, message, "?start=bad");
        assert.deepStrictEqual([refused.status, refused.body.error.code], [422, "validation_failed"]);
        assert.sameMembers([...fieldsOf(refused.body)], ["notification", "start"]);
        const order = yield* world.ask(what, "?start=2026-11-02&end=2026-11-01");
        assert.deepStrictEqual([order.status, fieldsOf(order.body)], [422, ["end"]]);
      }
      const long = yield* world.ask("results", "?start=2025-01-01&end=2026-11-01");
      assert.deepStrictEqual([long.status, fieldsOf(long.body)], [422, ["start"]]);
      yield* world.production.platform(`/campaigns/${world.campaignId}`, { method: "DELETE" });
      assert.strictEqual((yield* world.ask("results")).status, 404);
    }),
  );

  it.effect("they need reports:read, and in Production the full API (M3.9, M4.3)", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const path = `/campaigns/${randomUUID()}/notifications/${randomUUID()}`;
      const none = yield* waypost.tenant({ abilities: ["notifications:read", "campaigns:read"] });
      const early = yield* waypost.tenant({ enabled: false });
      for (const what of ["results", "answers"]) {
        const { body } = yield* none.sandbox(`${path}/${what}`);
        assert.strictEqual(body.error.code, "missing_ability");
        const refused = yield* early.production(`${path}/${what}`);
        assert.strictEqual(refused.body.error.code, "platform_api_not_enabled");
      }
    }),
  );

  it.effect(
    "answers are listed newest first by the first answer, page by page (M4.1, M4.2, M4.4, D1.2)",
    () =>
      Effect.gen(function* () {
        const world = yield* surveying([question("MULTIPLE_CHOICE"), question("OPEN_ENDED")]);
        yield* world.answer({ 0: ["Fish", "Bread"], 1: "First" });
        const devices = [world.phone.id];
        for (const hours of [1, 1, 24]) {
          yield* TestClock.setTime(testStart + hours * 3_600_000);
          const other = yield* world.another;
          yield* other.answer({ 1: `After ${hours}` });
          devices.unshift(other.id);
        }
        yield* TestClock.setTime(testStart + 2 * DAY);
        yield* world.answer({ 0: ["Bread"], 1: "Again" });
        const rows = yield* world.answers();
        assert.deepStrictEqual(
          rows.map(({ device_id }: any) => device_id),
          devices,
        );
        const last = rows[3];
        assert.deepStrictEqual(last, {
          id: last.id,
          device_id: world.phone.id,
          answered_at: "2026-11-23T12:00:00+00:00",
          first_answered_at: "2026-11-21T12:00:00+00:00",
          answers: [
            { question_id: world.id(0), value: ["Bread"] },
            { question_id: world.id(1), value: "Again" },
          ],
        });
        const paged: Array<unknown> = [];
        for (let cursor: string | null = ""; cursor !== null;) {
          const page: any = yield* world.ask("answers", `?limit=1${cursor && `&cursor=${cursor}`}`);
          paged.push(...page.body.data);
          cursor = page.body.meta.next_cursor;
          // A later response is on no later page, and a replaced one stays where it is.
          yield* world.answer({ 0: ["Bread"], 1: "Again" });
        }
        assert.deepStrictEqual(paged, rows);
        const counts = ["?start=2026-11-22", "?end=2026-11-21", "?start=2026-11-21&end=2026-11-21"];
        const lengths = yield* Effect.forEach(counts, (search) =>
          Effect.map(world.answers(search), ({ length }) => length),
        );
        assert.deepStrictEqual(lengths, [1, 3, 3]);
        const bad = yield* world.ask("answers", "?limit=0");
        assert.deepStrictEqual([bad.status, bad.body.error.code], [422, "invalid_parameter"]);
      }),
  );
});

import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { answers, localServer } from "../notifications/LocalServer.ts";
import { type Answer, TestWaypost } from "../TestWaypost.ts";
import { content, contentWorld } from "./ContentWorld.ts";

const nobody = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const codeOf = ({ body, status }: Answer) => [status, body.error?.code];
const rating = { question_text: "How was it?", type: "RATING" };

layer(TestWaypost.layer)("Content on no campaign", (it) => {
  it.effect("the operator creates, lists, shows, changes and deletes content (F7, operator.contents)", () =>
    Effect.gen(function* () {
      const { inSandbox, sandbox } = yield* contentWorld();
      // Fields of a trigger are ignored.
      const made = yield* inSandbox("/notifications", {
        body: content({ name: " Coffee ", trigger_type: "never" }),
      });
      assert.strictEqual(made.status, 201);
      const { id } = made.body.data;
      assert.deepStrictEqual(made.body.data, {
        id,
        name: "Coffee",
        type: "message",
        headline: "Hello",
        body: "Come in.",
        media_asset_id: null,
        media: null,
        cta_label: null,
        cta_url: null,
        questions: [],
        template: null,
        translations: null,
        push: null,
        variants: [],
        campaign_ids: [],
        created_at: "2026-11-21T12:00:00+00:00",
        updated_at: "2026-11-21T12:00:00+00:00",
      });
      assert.deepStrictEqual((yield* inSandbox(`/notifications/${id}`)).body, made.body);
      assert.deepStrictEqual((yield* inSandbox("/notifications")).body, {
        data: [made.body.data],
        meta: { next_cursor: null },
      });
      const unused = yield* sandbox("/reports/notifications?status=unused");
      assert.deepStrictEqual(
        unused.body.data.map((row: { id: string; status: string }) => [row.id, row.status]),
        [[id, "unused"]],
      );

      yield* TestClock.adjust("1 minute");
      const patch = (body: unknown) => inSandbox(`/notifications/${id}`, { method: "PATCH", body });
      const survey = yield* patch(content({ type: "survey", questions: [rating] }));
      assert.strictEqual(survey.status, 200, JSON.stringify(survey.body));
      const [question] = survey.body.data.questions;
      assert.deepInclude(question, { ...rating, required: false, choices: [] });
      assert.strictEqual(survey.body.data.updated_at, "2026-11-21T12:01:00+00:00");
      // An unchanged question keeps its id, as in the platform API (F4).
      const again = yield* patch(content({ type: "survey", questions: [rating], body: "Tell us." }));
      assert.strictEqual(again.body.data.questions[0].id, question.id);

      const gone = yield* inSandbox(`/notifications/${id}`, { method: "DELETE" });
      assert.deepStrictEqual([gone.status, gone.body], [200, { data: { id, deleted: true } }]);
      assert.deepStrictEqual(codeOf(yield* inSandbox(`/notifications/${id}`)), [404, "not_found"]);
    }),
  );

  it.effect(
    "content follows every rule of the platform API, with all problems together " +
      "(B4, F1, F2, F5, operator.contents)",
    () =>
      Effect.gen(function* () {
        const { inSandbox } = yield* contentWorld({ plan: { surveys: false } });
        const server = yield* localServer(answers({ "/gone": 410 }));
        const refused = yield* inSandbox("/notifications", {
          body: {
            name: "x".repeat(256),
            type: "survey",
            headline: "",
            media_asset_id: nobody,
            cta_url: `http://127.0.0.1:${server.port}/gone`,
            questions: [{ ...rating, choices: [{ text: "Yes" }] }, { type: "RANKING" }],
          },
        });
        assert.deepStrictEqual(codeOf(refused), [422, "validation_failed"]);
        assert.hasAllKeys(refused.body.error.fields, [
          "name",
          "type",
          "headline",
          "body",
          "media_asset_id",
          "cta_label",
          "cta_url",
          "questions.0.choices",
          "questions.1.question_text",
          "questions.1.type",
        ]);
        for (const body of ["not json", "[]", ""]) {
          const answer = yield* inSandbox("/notifications", { body });
          assert.deepStrictEqual(
            [...codeOf(answer), Object.keys(answer.body.error.fields)],
            [422, "validation_failed", ["body"]],
          );
        }
      }),
  );

  it.effect("content on no campaign counts toward max_notifications exactly (F8, operator.contents)", () =>
    Effect.gen(function* () {
      const { geo, inSandbox, notifications, sandbox } = yield* contentWorld({
        plan: { max_notifications: 5 },
      });
      const path = yield* geo();
      const platform = sandbox(path, { body: content({ trigger_type: "on_enter" }) });
      const made = yield* Effect.all(
        [
          ...Array.from({ length: 8 }, () => inSandbox("/notifications", { body: content() })),
          platform,
          platform,
        ],
        { concurrency: "unbounded" },
      );
      assert.lengthOf(
        made.filter(({ status }) => status === 201),
        5,
      );
      for (const answer of made.filter(({ status }) => status !== 201)) {
        assert.deepStrictEqual(codeOf(answer), [403, "limit_exceeded"]);
        assert.deepStrictEqual(answer.body.error.fields, {
          max_notifications: [
            "The plan allows 5 notifications in Sandbox, and there are 5: delete one first.",
          ],
        });
      }
      assert.lengthOf(yield* notifications, 5);
      const wrong = yield* inSandbox("/notifications", { body: content({ name: "" }) });
      assert.deepStrictEqual(codeOf(wrong), [422, "validation_failed"]);
    }),
  );

  it.effect(
    "contents are listed newest first in pages, including those on campaigns (D1, operator.contents)",
    () =>
      Effect.gen(function* () {
        const world = yield* contentWorld();
        const ids: Array<string> = [];
        for (let at = 0; at < 3; at++) ids.unshift(yield* world.content());
        const on = (yield* world.sandbox(yield* world.geo(), { body: content({ trigger_type: "on_exit" }) }))
          .body.data;
        const first = yield* world.inSandbox("/notifications?limit=2");
        const second = yield* world.inSandbox(`/notifications?limit=2&cursor=${first.body.meta.next_cursor}`);
        assert.isNull(second.body.meta.next_cursor);
        assert.deepStrictEqual(
          [...first.body.data, ...second.body.data].map((each) => [each.id, each.campaign_ids]),
          [[on.id, [on.campaign_id]], ...ids.map((id) => [id, []])],
        );
        const elsewhere = yield* world.inSandbox(`/segments?cursor=${first.body.meta.next_cursor}`);
        assert.deepStrictEqual(codeOf(elsewhere), [422, "invalid_cursor"]);
      }),
  );

  it.effect(
    "content belongs to one environment, and is 404 before problems of a body (A2, B1, operator.contents)",
    () =>
      Effect.gen(function* () {
        const mine = yield* contentWorld();
        const theirs = yield* contentWorld();
        const id = yield* mine.content();
        for (const path of [
          `${mine.base("production")}/notifications/${id}`,
          `${theirs.base("sandbox")}/notifications/${id}`,
          `${mine.base("sandbox")}/notifications/${nobody}`,
          `${mine.base("sandbox")}/notifications/mine`,
          `${mine.base("staging")}/notifications/${id}`,
        ]) {
          for (const ask of [{}, { method: "PATCH", body: "not json" }, { method: "DELETE" }]) {
            assert.deepStrictEqual(
              [path, ...codeOf(yield* mine.operator(path, ask))],
              [path, 404, "not_found"],
            );
          }
        }
        assert.deepStrictEqual(
          (yield* mine.operator(`${mine.base("production")}/notifications`)).body.data,
          [],
        );
        assert.strictEqual((yield* mine.inSandbox(`/notifications/${id}`)).status, 200);
      }),
  );
});

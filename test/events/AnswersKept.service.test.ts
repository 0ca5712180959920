import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { answering, fieldsOf, question } from "./AnswerWorld.ts";

layer(TestWaypost.layer)("Stored answers", (it) => {
  it.effect(
    "answers replace earlier ones to the survey, with the first date (K9.2, device.answers_replace)",
    () =>
      Effect.gen(function* () {
        const world = yield* answering([question("RATING"), question("OPEN_ENDED")]);
        yield* world.answer({ 0: 1, 1: "Bad" });
        yield* TestClock.setTime(testStart + 60_000);
        yield* world.answer({ 0: 2 });
        // Also through another message of the same survey and campaign.
        const [again] = (yield* world.phone.sees("enter", world.location)).deliveries;
        assert.notStrictEqual(again.id, world.message.id);
        yield* TestClock.setTime(testStart + 120_000);
        const last = yield* world.send(
          { answers: [{ question_id: world.id(1), value: "Good" }] },
          world.phone,
          again.id,
        );
        assert.strictEqual(last.body.data.answered_at, "2026-11-21T12:02:00+00:00");
        // Refused answers replace nothing.
        assert.strictEqual((yield* world.answer({ 0: 9 })).status, 422);
        const rows = yield* world.stored;
        assert.lengthOf(rows, 1);
        assert.deepStrictEqual(rows[0]?.answers, [{ question_id: world.id(1), value: "Good" }]);
        assert.deepStrictEqual(
          [Number(rows[0]?.first), Number(rows[0]?.last)],
          [testStart, testStart + 120_000],
        );
        // Answers of another device are separate.
        const other = yield* world.production.phone();
        const [theirs] = (yield* other.sees("enter", world.location)).deliveries;
        yield* world.send({ answers: [{ question_id: world.id(0), value: 3 }] }, other, theirs.id);
        assert.lengthOf(yield* world.stored, 2);
      }),
  );

  it.effect("concurrent answers of one device leave one complete row (K9)", () =>
    Effect.gen(function* () {
      const { answer, id, stored } = yield* answering([question("NUMBER"), question("OPEN_ENDED")]);
      const answers = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, at) => at),
        (at) => answer({ 0: at, 1: `Answer ${at}` }),
        { concurrency: "unbounded" },
      );
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        answers.map(() => 200),
      );
      const rows = yield* stored;
      assert.lengthOf(rows, 1);
      const [number] = rows[0]?.answers ?? [];
      assert.deepStrictEqual(rows[0]?.answers, [
        { question_id: id(0), value: number.value },
        { question_id: id(1), value: `Answer ${number.value}` },
      ]);
    }),
  );

  it.effect("answers are validated against the questions that were delivered (F4.4)", () =>
    Effect.gen(function* () {
      const { answer, campaignId, id, message, notificationId, production, stored } = yield* answering([
        question("SINGLE_CHOICE"),
        question("RATING"),
      ]);
      const revised = yield* production.platform(`/campaigns/${campaignId}/notifications/${notificationId}`, {
        method: "PATCH",
        body: {
          name: "Note",
          type: "survey",
          headline: "Hello",
          body: "World",
          trigger_type: "on_enter",
          questions: [
            { ...question("SINGLE_CHOICE"), choices: [{ text: "Bread" }, { text: "Ham" }] },
            { question_text: "New?", type: "BOOLEAN", required: true },
          ],
        },
      });
      assert.strictEqual(revised.status, 200);
      assert.deepStrictEqual(fieldsOf((yield* answer({ 0: "Ham" })).body), ["answers.0.value"]);
      const old = yield* answer({ 0: "Fish", 1: 4 });
      assert.deepStrictEqual(old.body.data.answers, [
        { question_id: id(0), value: message.questions[0].choices[2].id },
        { question_id: id(1), value: 4 },
      ]);
      assert.lengthOf(yield* stored, 1);
    }),
  );

  it.effect(
    "answers are stored during a pause, after the campaign's end and deletion (device.answers_late)",
    () =>
      Effect.gen(function* () {
        const { answer, campaignId, phone, production, stored } = yield* answering([question("NUMBER")], {
          ends_at: "2026-11-21 18:00",
        });
        yield* production.platform(`/campaigns/${campaignId}/pause`, { method: "POST" });
        assert.strictEqual((yield* answer({ 0: 1 })).status, 200);
        yield* TestClock.setTime(testStart + 24 * 3_600_000);
        assert.strictEqual((yield* answer({ 0: 2 })).status, 200);
        yield* production.platform(`/campaigns/${campaignId}`, { method: "DELETE" });
        assert.strictEqual((yield* answer({ 0: 3 })).status, 200);
        assert.lengthOf(yield* stored, 1);
        assert.lengthOf(yield* phone.inbox(), 1);
      }),
  );

  it.effect("a survey with answers cannot become a message, on any campaign (F4.5)", () =>
    Effect.gen(function* () {
      const { answer, campaignId, location, notificationId, production } = yield* answering([
        question("NUMBER"),
      ]);
      const change = (fields: object, notification = notificationId, campaign = campaignId) =>
        production.platform(`/campaigns/${campaign}/notifications/${notification}`, {
          method: "PATCH",
          body: { name: "Note", headline: "Hello", body: "World", trigger_type: "on_enter", ...fields },
        });
      const other = yield* production.notification(campaignId, {
        type: "survey",
        questions: [question("NUMBER")],
      });
      yield* answer({ 0: 1 });
      const refused = yield* change({ type: "message", headline: "" });
      assert.strictEqual(refused.status, 422);
      assert.deepStrictEqual(refused.body.error.fields.type, [
        "The type of a survey that has answers must stay survey: make a new notification for a message.",
      ]);
      assert.sameMembers([...fieldsOf(refused.body)], ["type", "headline"]);
      assert.strictEqual((yield* change({ type: "survey", questions: [question("RATING")] })).status, 200);
      // A survey without answers may change, also if another survey of the workspace has some.
      assert.strictEqual((yield* change({ type: "message" }, other)).status, 200);

      // On a second campaign the survey still has the answers of the first, even if that is deleted.
      const second = yield* production.campaign({ location_ids: [location] });
      const sql = yield* SqlClient.SqlClient;
      yield* sql`
        INSERT INTO campaign_notification (workspace_id, environment, campaign_id, notification_id, id,
          trigger_type, attached_at, updated_at)
        SELECT workspace_id, environment, ${second}, notification_id, ${randomUUID()}, trigger_type,
          attached_at, updated_at
        FROM campaign_notification WHERE campaign_id = ${campaignId} AND notification_id = ${notificationId}`;
      yield* production.platform(`/campaigns/${campaignId}`, { method: "DELETE" });
      const later = yield* change({ type: "message" }, notificationId, second);
      assert.deepStrictEqual(fieldsOf(later.body), ["type"]);
    }).pipe(Effect.orDie),
  );
});

import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { obstacles } from "../../../src/devices/Obstacle.ts";
import { at, drain, manualWorkers, start } from "../ManualWorkers.ts";
import { localServices } from "../push/LocalProviders.ts";
import { sendWorld } from "../sends/SendWorld.ts";

const fields = [
  "device_id",
  "installation_id",
  "user_id",
  "notification_id",
  "delivery_id",
  "status",
  "reason",
  "at",
  "opened_at",
  "clicked_at",
  "answered_at",
  "test",
];
const outcomes = ["delivered", "opened", "clicked", "answered", "held", "failed", "queued"];
const question = { question_text: "Well?", type: "RATING", required: false };

/** A campaign in Production that has reached phones of every outcome, and whom a list of it has. */
const recipientsOf = (type: "geo" | "push" | "event") =>
  Effect.gen(function* () {
    const world = yield* sendWorld();
    const { production, waypost, workspace } = world;
    const service = yield* localServices.webpush;
    yield* waypost.operator(`/workspaces/${workspace.id}/production/transports/webpush`, {
      method: "PUT",
      body: service.credentials,
    });
    const location = yield* production.location();
    const quiet_hours = { from: "21:00", to: "22:00", action: "hold" };
    const ofEvents = { type: "event", location_ids: [], quiet_hours };
    const onEvent = { trigger_type: "on_event", trigger_config: { event: "buy" } };
    const campaign = yield* type === "push"
      ? production.push({ quiet_hours })
      : production.campaign(type === "geo" ? { location_ids: [location], quiet_hours } : ofEvents);
    const survey = { type: "survey", questions: [question] };
    const notification = yield* type === "push"
      ? production.sent(campaign, "12:01", survey)
      : production.notification(campaign, type === "geo" ? survey : { ...survey, ...onEvent });
    const push = yield* Effect.promise(() => service.address("queued"));
    const named = (name: string, body: object = {}) =>
      Effect.map(production.phone(`${type}-${name}`, body), (phone) => ({ ...phone, name }));
    const phones = {
      delivered: yield* named("delivered", { user_id: "Ada" }),
      answered: yield* named("answered"),
      failed: yield* named("failed", { push: { transport: "fcm", token: "t" } }),
      held: yield* named("held", { timezone: "Asia/Tokyo" }),
      queued: yield* named("queued", { push }),
    };
    yield* at("2026-11-21T12:01:00Z");
    if (type === "geo") for (const phone of Object.values(phones)) yield* phone.sees("enter", location);
    const bought = { type: "custom", name: "buy", occurred_at: "2026-11-21T12:01:00Z" };
    if (type === "event")
      for (const phone of Object.values(phones)) yield* phone.report([{ id: randomUUID(), ...bought }]);
    yield* start;
    yield* drain;
    const path = `/campaigns/${campaign}/recipients`;
    const list = (query = "") =>
      Effect.map(production.platform(`${path}${query}`), ({ body, status }) => {
        assert.strictEqual(status, 200, JSON.stringify(body));
        return body.data as Array<any>;
      });
    const names = (query: string) =>
      Effect.map(list(query), (rows) => rows.map((row) => row.installation_id?.slice(type.length + 1)));
    yield* at("2026-11-21T12:02:00Z");
    const [message] = yield* phones.answered.inbox();
    const posted = (what: string, body?: object) =>
      phones.answered.ask(`/messages/${message.id}/${what}`, { method: "POST", ...(body && { body }) });
    yield* posted("opened");
    yield* at("2026-11-21T12:03:00Z");
    yield* posted("clicked");
    yield* posted("answers", { answers: [{ question_id: message.questions[0].id, value: 4 }] });
    return { ...world, campaign, notification, location, phones, message, path, list, names };
  });

layer(manualWorkers)("Recipients of a campaign", (it) => {
  for (const type of ["geo", "push", "event"] as const)
    it.effect(`each outcome of a campaign of type ${type} lists its recipients, newest first (CO5.1)`, () =>
      Effect.gen(function* () {
        const { list, message, names, notification, phones } = yield* recipientsOf(type);
        const all = ["queued", "held", "failed", "answered", "delivered"];
        assert.deepStrictEqual(yield* names(""), all);
        const expected = {
          delivered: ["answered", "delivered"],
          opened: ["answered"],
          clicked: ["answered"],
          answered: ["answered"],
          held: ["held"],
          failed: ["failed"],
          queued: ["queued"],
        };
        for (const outcome of outcomes)
          assert.deepStrictEqual(
            yield* names(`?outcome=${outcome}`),
            expected[outcome as keyof typeof expected],
            outcome,
          );
        const rows = yield* list();
        for (const row of rows) assert.deepStrictEqual(Object.keys(row), fields);
        const [queued, held, failed, answered, delivered] = rows;
        assert.deepStrictEqual(answered, {
          device_id: phones.answered.id,
          installation_id: `${type}-answered`,
          user_id: null,
          notification_id: notification,
          delivery_id: message.id,
          status: "delivered",
          reason: null,
          at: "2026-11-21T12:01:00+00:00",
          opened_at: "2026-11-21T12:02:00+00:00",
          clicked_at: "2026-11-21T12:03:00+00:00",
          answered_at: "2026-11-21T12:03:00+00:00",
          test: false,
        });
        assert.deepInclude(delivered, { user_id: "Ada", opened_at: null, answered_at: null });
        assert.deepInclude(failed, {
          status: "failed",
          reason: "No credentials are set for fcm in this environment.",
        });
        assert.deepInclude(held, { status: "held", reason: obstacles.quiet_hours });
        assert.deepInclude(queued, { status: "queued", reason: null });
      }),
    );

  it.effect("q finds parts of installation ids and user ids, with an outcome too (CO5.2)", () =>
    Effect.gen(function* () {
      const { names } = yield* recipientsOf("geo");
      assert.deepStrictEqual(yield* names("?q=GEO-del"), ["delivered"]);
      assert.deepStrictEqual(yield* names("?q=ada"), ["delivered"]);
      assert.deepStrictEqual(yield* names("?q=geo-&outcome=failed"), ["failed"]);
      assert.deepStrictEqual(yield* names("?q=geo-&outcome=answered"), ["answered"]);
      assert.deepStrictEqual(yield* names("?q=ada&outcome=failed"), []);
      assert.deepStrictEqual(yield* names("?q=%25"), []);
    }),
  );

  it.effect("pages follow each other, and the CSV file has the same rows (CO5.3)", () =>
    Effect.gen(function* () {
      for (const type of ["geo", "push"] as const) {
        const { list, path, production } = yield* recipientsOf(type);
        for (const query of ["", "&outcome=delivered", "&q=-"]) {
          const rows: Array<any> = [];
          let cursor: string | null = "";
          while (cursor !== null) {
            const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
            const { body } = yield* production.platform(`${path}?limit=1${query}${after}`);
            rows.push(...body.data);
            cursor = body.meta.next_cursor;
          }
          assert.deepStrictEqual(rows, yield* list(`?limit=100${query}`));
          const file = yield* production.platform(`${path}?format=csv${query}`);
          assert.match(
            file.headers.get("content-disposition") ?? "",
            /^attachment; filename="recipients-.*-2026-11-21\.csv"$/,
          );
          const [heading, ...lines] = String(file.body).trimEnd().split("\r\n");
          assert.strictEqual(heading, fields.join(","));
          const byKey = lines.map((line: string) => line.split(",")[4]);
          assert.deepStrictEqual(
            byKey,
            rows.map(({ delivery_id: id }) => id),
          );
        }
        const other = yield* production.platform(`${path}?limit=1`);
        const cursor = String(other.body.meta.next_cursor);
        const refused = yield* production.platform(`${path}?outcome=failed&cursor=${cursor}`);
        assert.strictEqual(refused.body.error.code, "invalid_cursor");
      }
    }),
  );

  it.effect("test messages are marked, and erased devices have no ids (CO5.4)", () =>
    Effect.gen(function* () {
      const { campaign, list, location, notification, phones, production, waypost, workspace } =
        yield* recipientsOf("geo");
      const test = yield* production.platform(`/campaigns/${campaign}/notifications/${notification}/test`, {
        body: { device_ids: [phones.delivered.id], location_id: location },
      });
      assert.strictEqual(test.status, 202);
      const [first] = yield* list();
      assert.deepInclude(first, { test: true, device_id: phones.delivered.id, status: "delivered" });
      const [message] = yield* phones.delivered.inbox();
      yield* phones.delivered.ask(`/messages/${message.id}/answers`, {
        body: { answers: [{ question_id: message.questions[0].id, value: 4 }] },
      });
      const answered = yield* list("?outcome=answered");
      assert.deepStrictEqual(
        answered.map((row) => [row.device_id, row.test]),
        [
          [phones.delivered.id, true],
          [phones.answered.id, false],
        ],
      );
      yield* waypost.operator(`/workspaces/${workspace.id}/production/devices/${phones.answered.id}`, {
        method: "DELETE",
      });
      const [, gone] = yield* list("?outcome=delivered");
      assert.deepInclude(gone, { device_id: null, installation_id: null, user_id: null });
      assert.deepStrictEqual(yield* list("?q=erased"), []);
    }),
  );

  it.effect("an unknown outcome and an unknown campaign are refused (CO5.5)", () =>
    Effect.gen(function* () {
      const { path, production } = yield* recipientsOf("geo");
      const unknown = yield* production.platform(`${path}?outcome=lost`);
      assert.strictEqual(unknown.status, 422);
      assert.strictEqual(unknown.body.error.code, "invalid_parameter");
      const [sentence] = unknown.body.error.fields.outcome;
      for (const outcome of outcomes) assert.include(sentence, outcome);
      for (const id of [randomUUID(), "none"])
        assert.strictEqual((yield* production.platform(`/campaigns/${id}/recipients`)).status, 404);
    }),
  );
});

import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { TestWaypost } from "../../TestWaypost.ts";
import { sendWorld } from "../sends/SendWorld.ts";

const unknownId = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const named = {
  template: "liquid",
  headline: "Hi {{ device.attributes.name }}",
  body: "{{ location.name }}/{{ campaign.name }}/{{ device.attributes.plan }}",
  translations: { nl: { headline: "Hoi {{ device.attributes.name }}" } },
};

const previewWorld = Effect.gen(function* () {
  const world = yield* sendWorld();
  const { production } = world;
  const location = yield* production.location();
  const campaign = yield* production.campaign({ name: "Autumn", location_ids: [location] });
  const notification = yield* production.notification(campaign, named);
  const attributes = { name: "Ada", plan: "gold" };
  const phone = yield* production.phone(randomUUID(), { attributes, locale: "nl-NL" });
  const preview = (body: object) => production.platform("/notifications/preview", { body });
  const ids = { campaign_id: campaign, notification_id: notification };
  return { ...world, location, phone, preview, ids };
});

layer(TestWaypost.shared)("Previews", (it) => {
  it.effect("a stored notification is shown as a device would get it, and nothing is stored (O3.1)", () =>
    Effect.gen(function* () {
      const { ids, location, phone, preview, production } = yield* previewWorld;
      const answer = yield* preview({ ...ids, device_id: phone.id, location_id: location });
      assert.strictEqual(answer.status, 200, JSON.stringify(answer.body));
      const { cut, failure, message, pushes } = answer.body.data;
      assert.deepStrictEqual([failure, cut], [null, []]);
      assert.deepStrictEqual(message, {
        id: null,
        ...ids,
        type: "message",
        headline: "Hoi Ada",
        body: "Store/Autumn/gold",
        media: null,
        cta_label: null,
        cta_url: null,
        questions: [],
        actions: null,
        data: null,
        delivered_at: null,
        opened_at: null,
        clicked_at: null,
        variant: null,
      });
      assert.strictEqual(pushes.fcm.payload.message.notification.title, "Hoi Ada");
      assert.strictEqual(pushes.apns.payload.aps.alert.title, "Hoi Ada");
      assert.strictEqual(pushes.webpush.payload.headline, "Hoi Ada");
      for (const push of [pushes.apns, pushes.webpush])
        assert.strictEqual(push.bytes, Buffer.byteLength(JSON.stringify(push.payload)));
      assert.deepStrictEqual(pushes.fcm.cut, []);
      const sql = yield* SqlClient.SqlClient;
      const stored = yield* Effect.orDie(
        sql`SELECT FROM delivery WHERE workspace_id = ${production.workspaceId}`,
      );
      assert.lengthOf(stored, 0);
    }),
  );

  it.effect("attributes are merged over the device's, and a locale stands for a device (O3.2)", () =>
    Effect.gen(function* () {
      const { ids, phone, preview } = yield* previewWorld;
      const shown = (body: object) =>
        Effect.map(preview({ ...ids, ...body }), ({ body: { data } }) => {
          const { message } = data;
          return `${message.headline}|${message.body}`;
        });
      const attributes = { name: "Grace", other: 1 };
      assert.strictEqual(yield* shown({ device_id: phone.id, attributes }), "Hoi Grace|/Autumn/gold");
      assert.strictEqual(yield* shown({ locale: "nl_BE", attributes }), "Hoi Grace|/Autumn/");
      assert.strictEqual(yield* shown({ attributes: { name: "Bo", plan: null } }), "Hi Bo|/Autumn/");
    }),
  );

  it.effect("a draft is shown before it is stored, with what its pushes leave out (O3.1, O3.3)", () =>
    Effect.gen(function* () {
      const { preview } = yield* previewWorld;
      const question = { question_text: "For {{ device.platform | default: 'you' }}?", type: "RATING" };
      const draft = { type: "survey", questions: [question], ...named, body: "b".repeat(6_000) };
      const answer = yield* preview({ notification: draft, attributes: { name: "A".repeat(70) } });
      assert.strictEqual(answer.status, 200, JSON.stringify(answer.body));
      const { cut, message, pushes } = answer.body.data;
      assert.strictEqual(message.headline, `Hi ${"A".repeat(62)}`);
      assert.deepStrictEqual(cut, ["headline"]);
      assert.strictEqual(message.questions[0].question_text, "For you?");
      assert.deepInclude(message, { campaign_id: null, notification_id: null });
      for (const name of ["fcm", "apns", "webpush"]) {
        assert.deepStrictEqual(pushes[name].cut, ["body"]);
        assert.isAtMost(pushes[name].bytes, 4_096);
      }
      const failing = yield* preview({
        notification: { template: "liquid", headline: "{{ nil }}", body: "x" },
      });
      assert.deepStrictEqual(failing.body.data, {
        failure: "The headline renders empty for this device.",
        message: null,
        cut: [],
        pushes: null,
      });
    }),
  );

  it.effect("a draft with too many tags is refused at its texts without being parsed (O1.11, O3.4)", () =>
    Effect.gen(function* () {
      const { preview } = yield* previewWorld;
      const body = "{{1}} ".repeat(16_500);
      const tags = ["nl", "de", "fr", "es", "it", "pt", "da", "sv", "fi"];
      const translations = Object.fromEntries(tags.map((tag) => [tag, { body }]));
      const answer = yield* preview({ notification: { ...named, body: "x", translations } });
      assert.strictEqual(answer.status, 422, JSON.stringify(answer.body));
      const { fields } = answer.body.error;
      const paths = tags.map((tag) => `notification.translations.${tag}.body`);
      assert.deepStrictEqual(Object.keys(fields).sort(), paths.sort());
      assert.include(fields["notification.translations.nl.body"][0], "at most 1,000 tags");
    }),
  );

  it.effect("contradictions, unknown ids and bad drafts are refused together (O3.4)", () =>
    Effect.gen(function* () {
      const { ids, phone, preview } = yield* previewWorld;
      const notification = { headline: "x", body: "y" };
      const refused: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
        [{ ...ids, notification }, ["campaign_id", "notification_id"]],
        [{ ...ids, device_id: phone.id, locale: "nl" }, ["locale"]],
        [{ ...ids, locale: "Dutch, please" }, ["locale"]],
        [{ notification, locale: "nl-" }, ["locale"]],
        [{}, ["campaign_id"]],
        [{ campaign_id: ids.campaign_id }, ["notification_id"]],
        [{ ...ids, notification_id: unknownId }, ["notification_id"]],
        [{ ...ids, device_id: unknownId, location_id: unknownId }, ["device_id", "location_id"]],
        [{ ...ids, attributes: 5 }, ["attributes"]],
        [{ notification: "x" }, ["notification"]],
        [
          { notification: { template: "liquid", headline: "{{ x }}" }, device_id: "x" },
          ["device_id", "notification.body", "notification.headline"],
        ],
      ];
      for (const [body, fields] of refused) {
        const answer = yield* preview(body);
        assert.strictEqual(answer.status, 422, JSON.stringify(answer.body));
        assert.deepStrictEqual(Object.keys(answer.body.error.fields).sort(), fields);
      }
    }),
  );

  it.effect("a preview is a read for the rate limit (O3.5)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld({ plan: { production_writes_per_minute: 1 } });
      const notification = { name: "Note", type: "message", headline: "Hello", body: "World" };
      for (let i = 0; i < 3; i++) {
        const answer = yield* production.platform("/notifications/preview?variant=b", {
          body: { notification: { ...notification, variants: [{ key: "b", weight: 50 }] } },
        });
        assert.strictEqual(answer.status, 200);
      }
    }),
  );
});

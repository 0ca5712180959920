import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { TestWaypost } from "../../TestWaypost.ts";
import { oneCampaign } from "../../events/EventWorld.ts";
import { armOf, experimentOf, personIn } from "./ArmsWorld.ts";

const variants = [
  {
    key: "b",
    weight: 50,
    headline: "Hello B {{ device.attributes.name }}",
    translations: { de: { headline: "Hallo B" } },
  },
];

const world = Effect.gen(function* () {
  const made = yield* oneCampaign({ holdout_percent: 20 }, { template: "liquid", variants });
  const { campaignId, notificationId, production } = made;
  const ids = { campaign_id: campaignId, notification_id: notificationId };
  return {
    ...made,
    personIn: (arm: string) => personIn(arm, campaignId, 20, notificationId),
    preview: (variant: string | null, more: object = ids) =>
      Effect.map(
        production.platform(`/notifications/preview${variant === null ? "" : `?variant=${variant}`}`, {
          body: more,
        }),
        ({ body, status }) =>
          status === 200
            ? [body.data.message.headline, body.data.message.variant]
            : [status, Object.keys(body.error.fields)],
      ),
    previewFor: (device_id: string) => ({ ...ids, device_id }),
    test: (device_id: string, variant?: string) =>
      Effect.map(
        production.platform(`/campaigns/${campaignId}/notifications/${notificationId}/test`, {
          body: { device_ids: [device_id], ...(variant !== undefined && { variant }) },
        }),
        ({ body, status }) => (status < 300 ? null : [status, Object.keys(body.error.fields)]),
      ),
  };
});

layer(TestWaypost.layer)("Chosen variants", (it) => {
  it.effect("a preview is of the chosen variant, else of the device's own, else of control (Z15)", () =>
    Effect.gen(function* () {
      const { campaignId, personIn, preview, previewFor, production } = yield* world;
      assert.deepStrictEqual(yield* preview(null), ["Hello", "control"]);
      assert.deepStrictEqual(yield* preview("b"), ["Hello B", "b"]);
      assert.deepStrictEqual(yield* preview("control"), ["Hello", "control"]);
      const own = { attributes: { name: "Ada" } };
      for (const arm of ["b", "control", "holdout"]) {
        const user_id = personIn(arm);
        const phone = yield* production.phone(randomUUID(), { ...own, user_id });
        const [headline, variant] = yield* preview(null, previewFor(phone.id));
        // Of a held-out device its variant.
        if (arm !== "holdout") assert.strictEqual(variant, arm);
        assert.strictEqual(headline, variant === "b" ? "Hello B Ada" : "Hello");
        assert.deepStrictEqual(yield* preview("b", previewFor(phone.id)), ["Hello B Ada", "b"]);
      }
      for (const wrong of ["holdout", "c", "B"])
        assert.deepStrictEqual(yield* preview(wrong), [422, ["variant"]]);
      assert.isEmpty((yield* experimentOf(campaignId)).enrolments);
    }),
  );

  it.effect("a draft is previewed with its variants, and one without takes no variant (Z15)", () =>
    Effect.gen(function* () {
      const { preview } = yield* world;
      const notification = {
        headline: "Draft",
        body: "World",
        variants: [{ key: "c", weight: 1, body: "C" }],
      };
      assert.deepStrictEqual(yield* preview("c", { notification }), ["Draft", "c"]);
      assert.deepStrictEqual(yield* preview(null, { notification }), ["Draft", "control"]);
      const plain = { notification: { headline: "Draft", body: "World" } };
      assert.deepStrictEqual(yield* preview(null, plain), ["Draft", null]);
      assert.deepStrictEqual(yield* preview("control", plain), [422, ["variant"]]);
    }),
  );

  it.effect(
    "a test message is of the chosen variant, else of the device's own, and enrols nobody (Z15)",
    () =>
      Effect.gen(function* () {
        const { campaignId, notificationId, personIn, production, test } = yield* world;
        const user_id = personIn("holdout");
        const phone = yield* production.phone(randomUUID(), { user_id, locale: "de" });
        assert.isNull(yield* test(phone.id));
        assert.isNull(yield* test(phone.id, "b"));
        assert.isNull(yield* test(phone.id, "control"));
        const own = armOf(campaignId, 0, notificationId, `user:${user_id}`);
        const inbox = (yield* phone.inbox()).map(({ headline, variant }) => [headline, variant]);
        const words = { b: ["Hallo B", "b"], control: ["Hello", "control"] } as Record<string, unknown>;
        assert.deepStrictEqual(inbox, [words["control"], words["b"], words[own]]);
        for (const wrong of ["holdout", "c"])
          assert.deepStrictEqual(yield* test(phone.id, wrong), [422, ["variant"]]);
        const { enrolments } = yield* experimentOf(campaignId);
        assert.isEmpty(enrolments);
      }),
  );

  it.effect("the explanation of a held-out device is holdout, now and in the past (U4, S6)", () =>
    Effect.gen(function* () {
      const { campaignId, location, personIn, production, waypost, workspace } = yield* world;
      const explain = (device: string, query = "") =>
        Effect.map(
          waypost.operator(
            `/workspaces/${workspace.id}/production/devices/${device}/explain?campaign=${campaignId}${query}`,
          ),
          ({ body }) => [body.data[0].reaches, body.data[0].reason],
        );
      const [held, other] = yield* Effect.forEach(["holdout", "b"], (arm) =>
        production.phone(randomUUID(), { user_id: personIn(arm) }),
      );
      if (held === undefined || other === undefined) return assert.fail("There are no devices.");
      for (const phone of [held, other]) yield* phone.sees("enter", location);
      assert.deepStrictEqual(yield* explain(held.id), [false, "holdout"]);
      assert.deepStrictEqual(yield* explain(other.id), [true, null]);
      assert.deepStrictEqual(yield* explain(held.id, "&at=2026-11-21T12:00:00Z"), [false, "holdout"]);
      assert.deepStrictEqual((yield* explain(other.id, "&at=2026-11-21T12:00:00Z"))[1], "already_sent");
    }),
  );
});

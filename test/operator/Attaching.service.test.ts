import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { type Answer, TestWaypost } from "../TestWaypost.ts";
import { content, contentWorld } from "./ContentWorld.ts";

const nobody = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";
const codeOf = ({ body, status }: Answer) => [status, body.error?.code];
const fixed = (sendAt: string) => ({ trigger_type: "fixed_time", trigger_config: { send_at: sendAt } });

layer(TestWaypost.shared)("Content on several campaigns", (it) => {
  it.effect(
    "shared content has a trigger of its own on each campaign and the same fields on all (F7.1)",
    () =>
      Effect.gen(function* () {
        const world = yield* contentWorld();
        const id = yield* world.content();
        const [geo, push] = [yield* world.geoCampaign(), yield* world.pushCampaign()];
        const window = { starts_at: "2026-11-25 09:00", ends_at: "2026-11-30" };
        const onGeo = yield* world.attach(geo, id, { trigger_type: "on_exit", ...window });
        assert.strictEqual(onGeo.status, 201, JSON.stringify(onGeo.body));
        assert.deepStrictEqual(onGeo.body.data, {
          id,
          campaign_id: geo,
          ...content(),
          media_asset_id: null,
          media: null,
          cta_label: null,
          cta_url: null,
          questions: [],
          template: null,
          translations: null,
          push: null,
          variants: [],
          trigger_type: "on_exit",
          trigger_config: null,
          starts_at: "2026-11-25T08:00:00+00:00",
          ends_at: "2026-11-30T22:59:59+00:00",
          created_at: "2026-11-21T12:00:00+00:00",
          updated_at: "2026-11-21T12:00:00+00:00",
        });
        const onPush = yield* world.attach(push, id, fixed("09:30"));
        assert.strictEqual(onPush.status, 201);
        assert.deepStrictEqual(onPush.body.data.trigger_config, { send_at: "2026-11-27 09:30" });
        for (const [campaign, shown] of [
          [geo, onGeo],
          [push, onPush],
        ] as const) {
          assert.deepStrictEqual(
            (yield* world.sandbox(`/campaigns/${campaign}/notifications/${id}`)).body,
            shown.body,
          );
        }
        const held = yield* world.inSandbox(`/notifications/${id}`);
        assert.deepStrictEqual(held.body.data.campaign_ids, [geo, push]);

        // Content changes for both campaigns, by either interface; a trigger only for its campaign.
        yield* world.sandbox(`/campaigns/${geo}/notifications/${id}`, {
          method: "PATCH",
          body: content({ headline: "Changed", trigger_type: "on_enter" }),
        });
        const changed = (yield* world.sandbox(`/campaigns/${push}/notifications/${id}`)).body.data;
        assert.deepInclude(changed, { headline: "Changed", trigger_type: "fixed_time" });
        yield* world.inSandbox(`/notifications/${id}`, {
          method: "PATCH",
          body: content({ headline: "Again" }),
        });
        const again = (yield* world.sandbox(`/campaigns/${geo}/notifications/${id}`)).body.data;
        assert.deepInclude(again, { headline: "Again", trigger_type: "on_enter", starts_at: null });
      }),
  );

  it.effect(
    "detached content is kept, also from its last campaign, and can be attached again " +
      "(F7, K3, operator.detach)",
    () =>
      Effect.gen(function* () {
        const world = yield* contentWorld();
        const id = yield* world.content();
        const [here, there] = [yield* world.geoCampaign(), yield* world.geoCampaign()];
        for (const campaign of [here, there]) yield* world.attach(campaign, id);
        const refused = yield* world.inSandbox(`/notifications/${id}`, { method: "DELETE" });
        assert.deepStrictEqual(codeOf(refused), [422, "validation_failed"]);
        assert.deepStrictEqual(refused.body.error.fields, {
          notification: [`The notification is on campaigns (${here}, ${there}): detach it from them first.`],
        });
        const first = yield* world.detach(here, id);
        assert.strictEqual(first.status, 200);
        assert.deepInclude(first.body.data, { id, name: "Coffee", campaign_ids: [there] });
        assert.deepStrictEqual(codeOf(yield* world.detach(here, id)), [404, "not_found"]);
        assert.deepStrictEqual((yield* world.sandbox(`/campaigns/${here}/notifications`)).body.data, []);
        assert.deepStrictEqual((yield* world.detach(there, id)).body.data.campaign_ids, []);
        const rows = yield* world.sandbox("/reports/notifications");
        assert.deepStrictEqual(
          rows.body.data.map((row: { id: string; status: string }) => [row.id, row.status]),
          [[id, "unused"]],
        );
        // The filter by campaign has no row for content on no campaign.
        assert.deepStrictEqual(
          (yield* world.sandbox("/reports/notifications?activation=on_enter")).body.data,
          [],
        );
        assert.strictEqual((yield* world.attach(here, id, { trigger_type: "on_exit" })).status, 201);
        const used = yield* world.sandbox("/reports/notifications?activation=on_exit");
        assert.deepInclude(used.body.data[0], { id, status: "active" });
      }),
  );

  it.effect("content is deleted with its last campaign by the platform API (E10)", () =>
    Effect.gen(function* () {
      const world = yield* contentWorld();
      const [here, there] = [yield* world.geoCampaign(), yield* world.geoCampaign()];
      const [one, two, spare] = [yield* world.content(), yield* world.content(), yield* world.content()];
      for (const id of [one, two]) for (const campaign of [here, there]) yield* world.attach(campaign, id);
      const remove = (path: string) => world.sandbox(path, { method: "DELETE" });
      yield* remove(`/campaigns/${here}/notifications/${one}`);
      assert.deepStrictEqual((yield* world.inSandbox(`/notifications/${one}`)).body.data.campaign_ids, [
        there,
      ]);
      yield* remove(`/campaigns/${there}/notifications/${one}`);
      assert.strictEqual((yield* world.inSandbox(`/notifications/${one}`)).status, 404);
      yield* remove(`/campaigns/${here}`);
      assert.deepStrictEqual((yield* world.inSandbox(`/notifications/${two}`)).body.data.campaign_ids, [
        there,
      ]);
      yield* remove(`/campaigns/${there}`);
      assert.deepStrictEqual(yield* world.notifications, [spare]);
    }),
  );

  it.effect(
    "each push campaign sends shared content at its own time, and not once it is detached " +
      "(E10, operator.detach)",
    () =>
      Effect.gen(function* () {
        const world = yield* contentWorld();
        const id = yield* world.content();
        const [one, two] = [yield* world.pushCampaign(), yield* world.pushCampaign()];
        yield* world.attach(one, id, fixed("09:30"));
        yield* world.attach(two, id, fixed("10:00"));
        const sends = Effect.map(world.inSandbox("/sends"), ({ body }) =>
          body.data.map((send: { campaign_id: string; due_at: string; status: string }) => [
            send.campaign_id,
            send.due_at,
            send.status,
          ]),
        );
        const of = (campaign: string, time: string, status: string) => [
          campaign,
          `2026-11-27T${time}:00+00:00`,
          status,
        ];
        assert.sameDeepMembers(yield* sends, [of(one, "08:30", "scheduled"), of(two, "09:00", "scheduled")]);
        yield* world.detach(one, id);
        assert.sameDeepMembers(yield* sends, [of(one, "08:30", "cancelled"), of(two, "09:00", "scheduled")]);
        yield* world.attach(one, id, fixed("11:00"));
        assert.sameDeepMembers(yield* sends, [
          of(one, "08:30", "cancelled"),
          of(one, "10:00", "scheduled"),
          of(two, "09:00", "scheduled"),
        ]);
      }),
  );

  it.effect(
    "attaching happens once per campaign, and all problems of its trigger are reported together " +
      "(B4, F2, F7.1)",
    () =>
      Effect.gen(function* () {
        const world = yield* contentWorld();
        const id = yield* world.content();
        const [geo, push] = [
          yield* world.geoCampaign({ ends_at: "2026-11-28" }),
          yield* world.pushCampaign(),
        ];
        const fields = (answer: Answer) => {
          assert.deepStrictEqual(codeOf(answer), [422, "validation_failed"]);
          return Object.keys(answer.body.error.fields).toSorted();
        };
        assert.deepStrictEqual(fields(yield* world.attach(geo, id, {})), ["trigger_type"]);
        assert.deepStrictEqual(fields(yield* world.attach(geo, id, fixed("09:30"))), [
          "trigger_config.send_at",
          "trigger_type",
        ]);
        assert.deepStrictEqual(fields(yield* world.attach(push, id)), [
          "trigger_config.send_at",
          "trigger_type",
        ]);
        const outside = { trigger_type: "on_enter", starts_at: "2026-11-20", ends_at: "2026-11-29" };
        assert.deepStrictEqual(fields(yield* world.attach(geo, id, outside)), ["ends_at", "starts_at"]);
        assert.deepStrictEqual(fields(yield* world.attach(geo, id, "not json")), ["body"]);
        assert.deepStrictEqual((yield* world.inSandbox(`/notifications/${id}`)).body.data.campaign_ids, []);

        assert.strictEqual((yield* world.attach(geo.toUpperCase(), id.toUpperCase())).status, 201);
        const twice = yield* world.attach(geo, id, { trigger_type: "never", starts_at: "2026-02-30" });
        assert.deepStrictEqual(fields(twice), ["notification", "starts_at", "trigger_type"]);
        assert.deepStrictEqual(twice.body.error.fields.notification, [
          "The notification is on this campaign already: change its trigger there, or detach it first.",
        ]);
      }),
  );

  it.effect("concurrent attaches respect max_notifications_per_campaign exactly (F7.1, F8)", () =>
    Effect.gen(function* () {
      const world = yield* contentWorld({ plan: { max_notifications_per_campaign: 3 } });
      const campaign = yield* world.geoCampaign();
      const ids: Array<string> = [];
      for (let at = 0; at < 6; at++) ids.push(yield* world.content());
      const answers = yield* Effect.all(
        [...ids, ...ids].map((id) => world.attach(campaign, id)),
        { concurrency: "unbounded" },
      );
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        3,
      );
      const list = yield* world.sandbox(`/campaigns/${campaign}/notifications`);
      assert.lengthOf(list.body.data, 3);
      const on = new Set(list.body.data.map((each: { id: string }) => each.id));
      const left = ids.find((id) => !on.has(id)) ?? "";
      const refused = yield* world.attach(campaign, left);
      assert.deepStrictEqual(codeOf(refused), [403, "limit_exceeded"]);
      assert.deepStrictEqual(refused.body.error.fields, {
        max_notifications_per_campaign: [
          "The plan allows 3 notifications on a campaign, and this one has 3: take one off first.",
        ],
      });
      // Problems of the request are reported before the plan (B1).
      assert.deepStrictEqual(codeOf(yield* world.attach(campaign, left, {})), [422, "validation_failed"]);
    }),
  );

  it.effect(
    "campaign and content must exist in the environment before the body is checked (A2, B1, F7.1)",
    () =>
      Effect.gen(function* () {
        const mine = yield* contentWorld();
        const theirs = yield* contentWorld();
        const [id, campaign] = [yield* mine.content(), yield* mine.geoCampaign()];
        const [foreign, elsewhere] = [yield* theirs.content(), yield* theirs.geoCampaign()];
        const pairs = [
          [mine.base("production"), campaign, id],
          [mine.base("staging"), campaign, id],
          [theirs.base("sandbox"), campaign, id],
          [mine.base("sandbox"), elsewhere, id],
          [mine.base("sandbox"), campaign, foreign],
          [mine.base("sandbox"), nobody, id],
          [mine.base("sandbox"), campaign, nobody],
          [mine.base("sandbox"), "mine", id],
          [mine.base("sandbox"), campaign, "mine"],
        ] as const;
        for (const [base, on, what] of pairs) {
          const path = `${base}/campaigns/${on}/notifications/${what}`;
          const attach = yield* mine.operator(`${path}/attach`, { body: "not json" });
          assert.deepStrictEqual([path, ...codeOf(attach)], [path, 404, "not_found"]);
          const detach = yield* mine.operator(`${path}/detach`, { method: "POST" });
          assert.deepStrictEqual([path, ...codeOf(detach)], [path, 404, "not_found"]);
        }
        // The content exists, but is not on the campaign.
        assert.deepStrictEqual(codeOf(yield* mine.detach(campaign, id)), [404, "not_found"]);
        assert.deepStrictEqual((yield* mine.inSandbox(`/notifications/${id}`)).body.data.campaign_ids, []);
      }),
  );
});

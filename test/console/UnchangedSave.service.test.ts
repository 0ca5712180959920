import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { copyOf, draftOf, valuesOf } from "../../console/campaigns/CampaignForm.ts";
import {
  copyOfMessage,
  messageDraftOf,
  valuesOfMessage,
} from "../../console/notifications/NotificationForm.ts";
import { ruleOf, typedRuleOf, typeOfAttribute } from "../../console/segments/RuleModel.ts";
import { campaignWorld } from "../campaigns/CampaignWorld.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";
import { setServerTime } from "../../console/data/ServerTime.ts";

const dates = { timezone: "Europe/Amsterdam", starts_at: "2026-12-01 09:00" };
const geoCampaign = {
  ...dates,
  name: "Opening week",
  type: "geo",
  ends_at: "2026-12-08",
  frequency_cap_count: 3,
  frequency_cap_period: "day",
  cap_by: "user",
  quiet_hours: { from: "22:00", to: "07:00", action: "hold" },
  cooldown_minutes: 90,
  holdout_percent: 12.5,
  goal: { type: "clicked", within_hours: 48 },
};
const pushCampaign = {
  ...dates,
  name: "Morning",
  type: "push",
  quiet_hours: { enabled: false },
  goal: { type: "event", within_hours: 5, event: "order.placed" },
};

const eventCampaign = { ...dates, name: "Basket", type: "event" };
const onEvent = {
  trigger_type: "on_event",
  trigger_config: {
    event: "basket.filled",
    where: {
      match: "any",
      conditions: [
        { attribute: "total", op: "gte", value: 49.5 },
        { attribute: "currency", op: "in", value: ["EUR", 5, true, "7"] },
        { attribute: "first", op: "exists", value: false },
      ],
    },
    delay_minutes: 60,
    unless_event: "order.placed",
  },
};

const texts = {
  name: "Hello",
  type: "message",
  headline: "Hi {{ device.attributes.name }}",
  body: "Line one\nline two",
  template: "liquid",
  cta_label: "See",
  cta_url: "acme://offer",
  translations: {
    nl: { headline: "Hoi", cta_label: "Bekijk", cta_url: "acme://aanbod" },
    "pt-BR": { body: "Olá" },
  },
  push: {
    sound: "none",
    badge: 3,
    priority: "normal",
    ttl_seconds: 0,
    collapse_key: "offer",
    interruption_level: "passive",
    channel_id: "offers",
    category: "OFFER",
    actions: [
      { id: "save", title: "Save it", url: "acme://save" },
      { id: "later", title: "Later" },
    ],
    data: { offer: "a=b", " spaced ": " x " },
  },
};
const variants = [
  { key: "b", weight: 30, headline: "Other words", translations: { nl: { headline: "Anders" } } },
  { key: "c", weight: 20, body: "Shorter.", push: { badge: 1 } },
];
const stay = { trigger_type: "on_dwell", trigger_config: { minutes: 10, max_silence_minutes: 5 } };
const local = { trigger_type: "fixed_time", trigger_config: { send_at: "09:30", local: true, late: "send" } };
const survey = {
  name: "Visit",
  type: "survey",
  headline: "How was it?",
  body: "Two questions.",
  questions: [
    { question_text: "How was it?", type: "RATING", required: true },
    {
      question_text: "What did you buy?",
      type: "SINGLE_CHOICE",
      choices: [{ text: "Bread" }, { text: "Milk" }],
    },
  ],
  push: { data: { "a=b": "two\nlines" }, ttl_seconds: 60 },
  translations: {
    nl: { headline: "Hoe was het?", questions: [{}, { choices: [null, "Melk"] }] },
    de: { questions: [{ question_text: "Wie war es?" }, {}] },
  },
};

/** A resource without the fields that a save changes in any case. */
const lasting = (resource: object): object => ({ ...resource, updated_at: null });

// A copy of something that has begun begins today, so "today" is that of the server.
setServerTime(new Date(testStart).toISOString());

layer(TestWaypost.layer)("an unchanged save in the console", (it) => {
  it.effect("an unchanged edit and a copy of a campaign keep every field (console.campaign_editor)", () =>
    Effect.gen(function* () {
      const { location, sandbox, segment } = yield* campaignWorld();
      for (const draft of [
        { ...geoCampaign, location_ids: [yield* location()] },
        { ...pushCampaign, segmentation_ids: [yield* segment("Gold")], segment_match: "all" },
      ]) {
        const { body } = yield* sandbox("/campaigns", { body: draft });
        const made = body.data;
        const saved = yield* sandbox(`/campaigns/${made.id}`, {
          method: "PATCH",
          body: draftOf(valuesOf(made, ""), undefined),
        });
        assert.deepStrictEqual(lasting(saved.body.data), lasting(made));
        const copy = yield* sandbox("/campaigns", { body: draftOf(copyOf(made), false) });
        const { created_at, id } = copy.body.data;
        assert.deepStrictEqual(lasting(copy.body.data), {
          ...lasting(made),
          id,
          created_at,
          name: `Copy of ${made.name}`,
        });
      }
    }),
  );

  it.effect("an unchanged edit and a copy of a notification keep every field (console.campaign_editor)", () =>
    Effect.gen(function* () {
      const { location, sandbox } = yield* campaignWorld();
      const make = (body: object) =>
        Effect.map(sandbox("/campaigns", { body }), (answer) => answer.body.data);
      const geo = yield* make({ ...geoCampaign, location_ids: [yield* location()] });
      const push = yield* make(pushCampaign);
      const event = yield* make(eventCampaign);
      for (const [campaign, draft] of [
        [geo, { ...texts, ...stay, variants, starts_at: "2026-12-02 10:00", ends_at: "2026-12-05" }],
        [geo, { ...survey, trigger_type: "on_exit" }],
        [push, { ...texts, ...local }],
        [event, { ...texts, ...onEvent }],
      ]) {
        const list = `/campaigns/${campaign.id}/notifications`;
        const { body, status } = yield* sandbox(list, { body: draft });
        assert.strictEqual(status, 201, JSON.stringify(body));
        const made = body.data;
        const saved = yield* sandbox(`${list}/${made.id}`, {
          method: "PATCH",
          body: messageDraftOf(valuesOfMessage(made, campaign, "")),
        });
        assert.deepStrictEqual(lasting(saved.body.data), lasting(made));
        const copy = yield* sandbox(list, { body: messageDraftOf(copyOfMessage(made, campaign)) });
        const { created_at, id, questions } = copy.body.data;
        assert.deepStrictEqual(lasting(copy.body.data), { ...lasting(made), id, created_at, questions });
        assert.deepStrictEqual(
          questions.map((question: { readonly id: string }) => ({ ...question, id: null })),
          made.questions.map((question: { readonly id: string }) => ({ ...question, id: null })),
        );
      }
    }),
  );

  it("an unchanged edit of a segment keeps its rule (console.segments)", () => {
    const rule = {
      match: "any",
      conditions: [
        { attribute: "subscribed", op: "eq", value: false },
        { attribute: "user_id", op: "in", value: ["kim", "17"] },
        { attribute: "visits", op: "gte", value: 2.5 },
        { attribute: "beta", op: "exists", value: false },
        { attribute: "size", op: "in", value: ["S", 38] },
        { event: "app.opened", op: "happened", within_days: 7, where: null },
        {
          event: "order.placed",
          op: "not_happened",
          within_days: 90,
          where: { match: "any", conditions: [{ attribute: "total", op: "gt", value: 5 }] },
        },
      ],
    } as const;
    assert.deepStrictEqual(ruleOf(typedRuleOf(rule)), rule);
    assert.strictEqual(typeOfAttribute("subscribed", []), "boolean");
  });
});

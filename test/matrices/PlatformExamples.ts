import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { questionIdKinds } from "./ContentExamples.ts";
import { about, type Example, type Examples, plain, type ValidRequest, withNew } from "./Example.ts";
import { type MatrixFixture, upload } from "./MatrixFixture.ts";

const onCampaign = withNew("geoCampaign", (campaign) => ({ params: { campaign } }));
const onNotification = withNew("messageOnCampaign", (params) => ({ params }));
const onSurvey = withNew("surveyed", ({ campaign, survey }) => ({
  params: { campaign, notification: survey },
}));
/** On a campaign for which this was asked before. */
const onCampaignAfter = (action: string): Example => ({
  request: ({ make, platform }) =>
    Effect.gen(function* () {
      const campaign = yield* make.geoCampaign;
      yield* platform(`/campaigns/${campaign}/${action}`, { method: "POST" });
      return { params: { campaign } };
    }),
});

const report = about(
  (idOf) => ({
    query: {
      start: "2026-11-01",
      end: "2026-11-30",
      campaign: idOf("campaign"),
      location: idOf("location"),
      location_group: idOf("locationGroup"),
    },
  }),
  { "?campaign": "campaign", "?location": "location", "?location_group": "locationGroup" },
);

const campaignBody = ({ make }: MatrixFixture) =>
  Effect.map(make.location, ({ group, location, locationGroup }) => ({
    name: `Campaign ${randomUUID()}`,
    type: "geo",
    timezone: "Europe/Amsterdam",
    starts_at: "2026-12-01",
    ends_at: "2026-12-31 18:00",
    frequency_cap_count: 2,
    frequency_cap_period: "day",
    location_ids: [location],
    location_group_ids: [locationGroup],
    location_group_names: [group],
    goal: { type: "visit", within_hours: 72 },
  }));
const campaignIdKinds = {
  "location_ids.0": "location",
  "location_group_ids.0": "locationGroup",
  "goal.location_ids.0": "location",
  "goal.location_group_ids.0": "locationGroup",
  "segmentation_ids.0": "segment",
};

const survey = (more: object = {}) => ({
  name: "Survey",
  type: "survey",
  headline: "A question",
  body: "Tell us",
  trigger_type: "on_enter",
  starts_at: "2026-12-02",
  ends_at: "2026-12-03 12:00",
  questions: [
    { question_text: "Which?", type: "SINGLE_CHOICE", choices: [{ text: "Bread" }, { text: "Cheese" }] },
    { question_text: "Why?", type: "OPEN_ENDED", required: true },
  ],
  ...more,
});
const rule = { match: "all", conditions: [{ attribute: "platform", op: "eq", value: "ios" }] };
const onSegment = (body?: object) => withNew("segment", (segment) => ({ params: { segment }, body }));
const onDevice = (request: ValidRequest = {}) =>
  withNew("device", ({ device }) => ({ params: { device }, ...request }));
const onMedia = withNew("media", (media) => ({ params: { media } }));

/** How to use the other endpoints of the platform API. */
export const platformExamples: Examples = {
  "GET /me": plain(),
  "GET /reports/summary": report,
  "GET /reports/campaigns": report,
  "GET /reports/interactions": report,
  "GET /campaigns/:campaign/notifications/:notification/results": onSurvey,
  "GET /campaigns/:campaign/notifications/:notification/answers": onSurvey,
  "GET /reports/locations": report,
  "GET /reports/notifications": report,
  "GET /reports/surveys": report,

  "GET /campaigns": plain({ query: { limit: "2", updated_since: "2026-11-21" } }),
  "POST /campaigns": {
    request: (fixture) => Effect.map(campaignBody(fixture), (body) => ({ body })),
    idKinds: campaignIdKinds,
  },
  "GET /campaigns/:campaign": onCampaign,
  "PATCH /campaigns/:campaign": {
    request: (fixture) =>
      Effect.gen(function* () {
        const { make, resources } = fixture;
        const campaign = yield* make.campaign({
          starts_at: "2026-11-29",
          location_ids: [resources["location"]],
        });
        return { params: { campaign }, body: yield* campaignBody(fixture) };
      }),
    idKinds: campaignIdKinds,
  },
  "DELETE /campaigns/:campaign": onCampaign,
  "POST /campaigns/:campaign/pause": onCampaign,
  "POST /campaigns/:campaign/archive": onCampaign,
  "POST /campaigns/:campaign/unarchive": onCampaignAfter("archive"),
  "POST /campaigns/:campaign/copy": {
    request: ({ environment, make }) =>
      Effect.map(make.geoCampaign, (campaign) => ({ params: { campaign }, body: { environment } })),
  },
  "POST /campaigns/:campaign/publish": onCampaignAfter("pause"),

  "GET /campaigns/:campaign/notifications": onCampaign,
  "POST /campaigns/:campaign/notifications": withNew(
    "geoCampaign",
    (campaign) => ({ params: { campaign }, body: survey() }),
    questionIdKinds,
  ),
  "GET /campaigns/:campaign/notifications/:notification": onNotification,
  "PATCH /campaigns/:campaign/notifications/:notification": withNew(
    "surveyed",
    ({ campaign, question, survey: notification }) => {
      const choices = [{ text: "Bread" }, { text: "Milk" }];
      const questions = [{ id: question, question_text: "Which?", type: "SINGLE_CHOICE", choices }];
      return { params: { campaign, notification }, body: survey({ headline: "Again", questions }) };
    },
    questionIdKinds,
  ),
  "DELETE /campaigns/:campaign/notifications/:notification": onNotification,
  "POST /campaigns/:campaign/notifications/:notification/test": {
    request: ({ make, resources }) =>
      Effect.gen(function* () {
        const campaign = yield* make.geoCampaign;
        const notification = yield* make.notification(campaign, survey());
        const { device } = yield* make.device;
        return {
          params: { campaign, notification },
          body: { device_ids: [device], location_id: resources["location"] ?? "" },
        };
      }),
    idKinds: { "device_ids.0": "device", location_id: "location" },
  },
  "POST /notifications/preview": {
    request: ({ make, resources }) =>
      Effect.gen(function* () {
        const campaign = yield* make.geoCampaign;
        const notification_id = yield* make.notification(campaign, survey());
        const { device } = yield* make.device;
        return {
          body: {
            campaign_id: campaign,
            notification_id,
            device_id: device,
            location_id: resources["location"] ?? "",
            attributes: { name: "Ada" },
          },
        };
      }),
    idKinds: {
      campaign_id: "campaign",
      notification_id: "notification",
      device_id: "device",
      location_id: "location",
      "notification.media_asset_id": "media",
      "notification.variants.0.media_asset_id": "media",
      "notification.questions.0.id": "question",
      "notification.questions.0.choices.0.id": "choice",
    },
  },

  "GET /segments": plain({ query: { limit: "2" } }),
  "POST /segments": about(() => ({ body: { name: `Segment ${randomUUID()}`, rule } })),
  "POST /segments/count": plain({ body: { rule } }),
  "POST /campaigns/estimate": {
    request: (fixture) => Effect.map(campaignBody(fixture), (body) => ({ body })),
    idKinds: campaignIdKinds,
  },
  "GET /segments/:segment": onSegment(),
  "PATCH /segments/:segment": onSegment({ rule: { ...rule, match: "any" } }),
  "DELETE /segments/:segment": onSegment(),
  "GET /devices": plain({ query: { limit: "2", approved: "true", platform: "ios", q: "a" } }),
  "GET /devices/:device": onDevice(),
  "PATCH /devices/:device": onDevice({ body: { approved: false } }),
  "GET /devices/:device/messages": onDevice({ query: { limit: "2" } }),
  "GET /devices/:device/events": onDevice({ query: { limit: "2" } }),
  "GET /events": about((idOf) => ({ query: { limit: "2", device_id: idOf("device") } }), {
    "?device_id": "device",
  }),
  "GET /events/names": plain({ query: { days: "2" } }),
  "GET /events/properties": plain({ query: { name: "basket.filled" } }),
  "POST /events": withNew(
    "device",
    ({ device }) => ({
      body: {
        events: [{ id: randomUUID(), device_id: device, name: "basket.filled", properties: { a: 1 } }],
      },
    }),
    { "events.0.device_id": "device" },
  ),
  "GET /devices/:device/explain": withNew(
    "device",
    ({ device }, idOf) => ({ params: { device }, query: { campaign: idOf("campaign") } }),
    { "?campaign": "campaign" },
  ),
  "GET /campaigns/:campaign/occurrences": about((idOf) => ({
    params: { campaign: idOf("campaign") },
    query: { limit: "2" },
  })),
  "GET /campaigns/:campaign/experiment": onCampaign,
  "GET /campaigns/:campaign/experiment/days": onCampaign,
  "POST /campaigns/:campaign/experiment/stop": {
    request: ({ make, resources }) =>
      Effect.gen(function* () {
        const campaign = yield* make.campaign({ location_ids: [resources["location"]] });
        const variants = [{ key: "b", weight: 50 }];
        const notification_id = yield* make.notification(campaign, { variants });
        return { params: { campaign }, body: { winner: { notification_id, key: "b" } } };
      }),
    idKinds: { "winner.notification_id": "notification" },
  },
  "GET /campaigns/:campaign/recipients": about((idOf) => ({
    params: { campaign: idOf("campaign") },
    query: { limit: "2", outcome: "delivered", q: "a" },
  })),
  "GET /attributes": plain(),
  "GET /sends": about((idOf) => ({ query: { campaign: idOf("campaign"), status: "scheduled" } }), {
    "?campaign": "campaign",
  }),
  "GET /sends/:send": withNew("send", (send) => ({ params: { send } })),
  "GET /activity": plain({ query: { limit: "2", actor: "token", resource: "campaign", action: "create" } }),

  "GET /media": plain({ query: { limit: "2", type: "image" } }),
  "POST /media": about(() => ({ body: upload() })),
  "GET /media/:media": onMedia,
  "DELETE /media/:media": onMedia,
};

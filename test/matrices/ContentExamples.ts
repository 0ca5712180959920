import { Effect } from "effect";
import { message } from "../given/GivenBodies.ts";
import { about, type Examples, plain, withNew } from "./Example.ts";

/** The kinds of the ids in a content. */
export const questionIdKinds = {
  media_asset_id: "media",
  "variants.0.media_asset_id": "media",
  "questions.0.id": "question",
  "questions.0.choices.0.id": "choice",
};

/** The body of a content. */
const contentBody = {
  ...message,
  type: "survey",
  questions: [
    { question_text: "Which?", type: "SINGLE_CHOICE", choices: [{ text: "Bread" }, { text: "Cheese" }] },
  ],
};

const onContent = (body?: object) =>
  withNew("content", (notification) => ({ params: { notification }, body }));

/** How to use the platform API's endpoints of contents, test sends, deliveries and usage. */
export const contentExamples: Examples = {
  "POST /notifications": { ...plain({ body: contentBody }), idKinds: questionIdKinds },
  "GET /notifications": plain({ query: { limit: "2" } }),
  "GET /notifications/:notification": onContent(),
  "PATCH /notifications/:notification": { ...onContent(contentBody), idKinds: questionIdKinds },
  "DELETE /notifications/:notification": onContent(),
  "POST /campaigns/:campaign/notifications/:notification/attach": {
    joins: true,
    request: ({ make }) =>
      Effect.gen(function* () {
        const params = { campaign: yield* make.geoCampaign, notification: yield* make.content };
        return { params, body: { trigger_type: "on_enter" } };
      }),
  },
  "POST /campaigns/:campaign/notifications/:notification/detach": withNew("messageOnCampaign", (params) => ({
    params,
  })),
  "GET /campaigns/:campaign/notifications/:notification/test/:test": {
    request: ({ make, platform }) =>
      Effect.gen(function* () {
        const params = yield* make.messageOnCampaign;
        const { device } = yield* make.device;
        const path = `/campaigns/${params.campaign}/notifications/${params.notification}/test`;
        const { body } = yield* platform(path, { body: { device_ids: [device] } });
        return { params: { ...params, test: body.data.id as string } };
      }),
  },
  "GET /deliveries": about(
    (idOf) => ({
      query: {
        campaign: idOf("campaign"),
        notification: idOf("notification"),
        device: idOf("device"),
        status: "delivered",
      },
    }),
    { "?campaign": "campaign", "?notification": "notification", "?device": "device" },
  ),
  "GET /usage": plain(),
};

import { Clock, Effect } from "effect";
import { randomUUID } from "node:crypto";
import { dateAt, utcText } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import { type Access, pick } from "./DemoClient.ts";
import type { DemoContext } from "./DemoContext.ts";
import { eventReceiver } from "./EventReceiver.ts";
import { at } from "./ExpectedFigures.ts";
import type { DemoWorkspace } from "./WorkspaceChapters.ts";

const zone = "Europe/Amsterdam";
const timezone = zone as TimeZoneName;

const counter = { longitude: 4.9003, latitude: 52.3791 };

/** The counter of Acme, as GeoJSON. */
const counterFile = {
  type: "FeatureCollection",
  features: [
    {
      type: "Feature",
      geometry: { type: "Point", coordinates: [counter.longitude, counter.latitude] },
      properties: { name: "Acme Central Station", radius: 100 },
    },
  ],
};

/** The answers of Anna and Ben. */
const answers = [
  { name: "Anna", coffee: "Good", rating: 5 },
  { name: "Ben", coffee: "Too cold", rating: 2 },
] as const;

/** The survey that devices get at the counter. Returns its path. */
const prepareSurvey = Effect.fnUntraced(function* ({ send }: DemoContext, production: Access) {
  const imported = yield* send(production, "POST /locations/import", {
    headers: { "content-type": "application/geo+json" },
    file: { name: "counter.geojson", text: JSON.stringify(counterFile) },
    show: ["results"],
  });
  const location = yield* imported.text("results", 0, "id");
  const campaign = yield* send(production, "POST /campaigns", {
    body: {
      name: "How was the coffee?",
      type: "geo",
      timezone: zone,
      starts_at: dateAt(timezone, yield* Clock.currentTimeMillis),
      location_ids: [location],
    },
    status: 201,
    show: ["id", "name", "status"],
  });
  const campaignPath = `/campaigns/${yield* campaign.text("id")}` as const;
  const survey = yield* send(production, `POST ${campaignPath}/notifications`, {
    body: {
      name: "Coffee survey",
      type: "survey",
      headline: "How was the coffee?",
      body: "Two questions.",
      trigger_type: "on_enter",
      questions: [
        {
          question_text: "How was it?",
          type: "SINGLE_CHOICE",
          choices: [{ text: "Good" }, { text: "Too cold" }],
        },
        { question_text: "And the service?", type: "RATING" },
      ],
    },
    status: 201,
    show: ["id", "headline", "questions"],
  });
  const notificationId = yield* survey.text("id");
  return { location, notificationId, path: `${campaignPath}/notifications/${notificationId}` as const };
});

/** Anna and Ben come to the counter, open the survey and answer it. */
const answerSurvey = Effect.fnUntraced(function* (
  { figures, narrator, operator, send }: DemoContext,
  { app, workspaceId }: DemoWorkspace,
  location: string,
) {
  yield* narrator.say(
    "Anna and Ben register in Production, where no device needs an approval. " +
      "They come to the counter and answer.",
  );
  const key = yield* send(operator, `POST /workspaces/${workspaceId}/production/sdk-keys`, {
    body: { name: "Acme app" },
    status: 201,
    show: ["id", "sdk_key"],
  });
  const sdk = yield* key.access(app.base, "PRODUCTION_SDK_KEY", "sdk_key");
  yield* narrator.variables([sdk.credential]);
  for (const { coffee, name, rating } of answers) {
    const registered = yield* send(sdk, `PUT /devices/${name.toLowerCase()}s-phone`, {
      body: { platform: "ios" },
      status: 201,
      show: ["id", "approved", "device_token"],
    });
    const device = yield* registered.access(
      app.base,
      `${name.toUpperCase()}_PRODUCTION_TOKEN`,
      "device_token",
    );
    yield* narrator.variables([device.credential]);
    const occurred_at = utcText(yield* Clock.currentTimeMillis);
    const entered = yield* send(device, "POST /events", {
      body: { events: [{ id: randomUUID(), type: "enter", location_id: location, occurred_at }] },
      show: (response) => pick(response.data("deliveries", 0), ["id", "type", "headline"]),
    });
    yield* figures.check(`the surveys for ${name}`, entered.data("deliveries", "length"), 1);
    const message = yield* entered.text("deliveries", 0, "id");
    yield* send(device, `POST /messages/${message}/opened`, { show: ["opened_at"] });
    yield* send(device, `POST /messages/${message}/answers`, {
      body: {
        answers: [
          { question_id: yield* entered.text("deliveries", 0, "questions", 0, "id"), value: coffee },
          { question_id: yield* entered.text("deliveries", 0, "questions", 1, "id"), value: rating },
        ],
      },
      show: ["answered_at"],
    });
  }
});

/** Reads the results as figures, as a file, and as the share of devices that opened the survey. */
const readResults = Effect.fnUntraced(function* (
  { figures, narrator, send }: DemoContext,
  production: Access,
  path: `/${string}`,
) {
  yield* narrator.say("The results of the survey, in figures.");
  const results = yield* send(production, `GET ${path}/results`);
  yield* figures.check("the responses to the survey", results.data("responses"), 2);
  yield* figures.check(
    "the counts of the choices",
    [0, 1].map((choice) => results.data("questions", 0, "choices", choice, "count")),
    [1, 1],
  );
  yield* figures.check("the mean rating", results.data("questions", 1, "mean"), 3.5);

  yield* narrator.say("Each answer, as a file for a spreadsheet. Every report and list is also CSV.");
  const file = yield* send(production, `GET ${path}/answers?format=csv`, {
    show: (response) => response.body,
  });
  const lines = String(file.body).trimEnd().split("\r\n");
  yield* figures.check("the headings of the questions in the file", lines[0]?.split(",").slice(-2), [
    "How was it?",
    "And the service?",
  ]);
  yield* figures.check(
    "the answers in the file",
    lines.slice(1).map((line) => line.split(",").slice(-2)),
    [
      ["Too cold", "2"],
      ["Good", "5"],
    ],
  );

  yield* narrator.say("How many of those who got it have opened it.");
  const interactions = yield* send(production, "GET /reports/interactions");
  yield* figures.check(
    "the opens of the survey",
    pick(interactions.data(0), ["delivered", "opened", "open_rate"]),
    { delivered: 2, opened: 2, open_rate: 100 },
  );
});

/**
 * A survey in Production: its results, and a webhook that reports the answers. Returns the survey and where
 * devices get it.
 */
export const resultsChapter = Effect.fnUntraced(function* (context: DemoContext, workspace: DemoWorkspace) {
  const { figures, narrator, send } = context;
  const { production } = workspace;
  yield* narrator.chapter(
    "Results",
    "In Production, Acme asks the people at its counter how the coffee was. " +
      "It reads the results, and a webhook sends each answer to its own system.",
  );
  const receiver = yield* eventReceiver;
  const webhook = yield* send(production, "POST /webhooks", {
    body: { url: receiver.url, events: ["survey.answered"] },
    status: 201,
    show: ["id", "events", "status", "secret"],
  });
  const { location, notificationId, path } = yield* prepareSurvey(context, production);
  yield* answerSurvey(context, workspace, location);
  yield* readResults(context, production, path);

  const events = yield* receiver.events(yield* webhook.text("secret"), answers.length);
  yield* narrator.say("The webhook has sent each answer to Acme's system, with a right signature.");
  const answered = events.map((event) =>
    [0, 1].map((index) => at(event, "data", "answers", index, "value") as string | number),
  );
  yield* narrator.table(
    ["event", "How was it?", "And the service?"],
    answered.map((values) => ["survey.answered", ...values]),
  );
  yield* figures.check(
    "the answers that the webhook sent",
    answered.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    answers.map(({ coffee, rating }) => [coffee, rating]),
  );
  return { counter, notificationId };
});

import { Clock, Effect } from "effect";
import { randomUUID } from "node:crypto";
import { utcText } from "../time/LocalTime.ts";
import type { Offer } from "./CampaignChapter.ts";
import type { Variable } from "./DemoClient.ts";
import { type DemoStage, pick } from "./DemoContext.ts";
import { at, textAt } from "./ExpectedFigures.ts";
import type { Places } from "./LocationsChapter.ts";
import type { Credentials } from "./WorkspaceChapters.ts";

/** The two devices of the story: Anna's is approved for tests, Ben's is not. */
export interface Devices {
  readonly anna: Variable;
  readonly ben: Variable;
}

/** Two devices register; the operator approves one of them for Sandbox. */
export const devicesChapter = Effect.fnUntraced(function* (stage: DemoStage, credentials: Credentials) {
  const { ask, device, figures, narrator, operator, operatorKey } = stage;
  yield* narrator.chapter(
    "Two devices",
    "The app registers the devices of Anna and Ben with the SDK key; from then on each speaks with a token of its own. In " +
      "Sandbox a campaign reaches only devices that the operator has approved: Anna's.",
  );
  const register = Effect.fnUntraced(function* (name: string, platform: string) {
    const answer = yield* ask({
      method: "PUT",
      base: device,
      path: `/devices/${name.toLowerCase()}s-phone`,
      credential: credentials.sdkKey,
      body: { platform, locale: "nl-NL", app_version: "1.0.0", attributes: { name } },
      status: 201,
      show: (body) => pick(at(body, "data"), "id", "installation_id", "approved", "device_token"),
    });
    yield* figures.is(
      `whether ${name}'s device is approved at first`,
      at(answer.body, "data", "approved"),
      false,
    );
    return {
      id: yield* textAt(answer.body, "data", "id"),
      token: {
        name: `${name.toUpperCase()}_TOKEN`,
        value: yield* textAt(answer.body, "data", "device_token"),
      },
    };
  });
  const anna = yield* register("Anna", "ios");
  const ben = yield* register("Ben", "android");
  const approved = yield* ask({
    method: "PATCH",
    base: operator,
    path: `/workspaces/${credentials.workspaceId}/sandbox/devices/${anna.id}`,
    credential: operatorKey,
    body: { approved: true },
    status: 200,
    show: (answer) => pick(at(answer, "data"), "installation_id", "transport", "approved"),
  });
  yield* figures.is("whether Anna's device is approved", at(approved.body, "data", "approved"), true);
  const devices: Devices = { anna: anna.token, ben: ben.token };
  yield* narrator.variables([devices.anna, devices.ben]);
  return devices;
});

/** Devices enter and leave; the message comes in the same answer and waits in the inbox. */
export const visitsChapter = Effect.fnUntraced(function* (
  stage: DemoStage,
  devices: Devices,
  places: Places,
  offer: Offer,
) {
  const { ask, device, figures, narrator } = stage;
  yield* narrator.chapter(
    "People walk by",
    "The app reports that a device entered or left a location. What that sets off comes back in the same answer.",
  );
  const event = Effect.fnUntraced(function* (type: "enter" | "exit") {
    const now = yield* Clock.currentTimeMillis;
    return { id: randomUUID(), type, location_id: places.cityId, occurred_at: utcText(now) };
  });
  const report = Effect.fnUntraced(function* (
    who: string,
    credential: Variable,
    body: { readonly events: ReadonlyArray<unknown> },
    expected: { readonly accepted: number; readonly duplicates: number; readonly messages: number },
  ) {
    const { body: answer } = yield* ask({
      method: "POST",
      base: device,
      path: "/events",
      credential,
      body,
      status: 200,
      show: (shown) => {
        const data = at(shown, "data");
        const fired = at(data, "deliveries");
        return {
          ...pick(data, "accepted", "duplicates", "rejected"),
          deliveries: Array.isArray(fired)
            ? fired.map((each) => pick(each, "id", "headline", "cta_url", "delivered_at"))
            : fired,
        };
      },
    });
    yield* figures.is(`the accepted events of ${who}`, at(answer, "data", "accepted"), expected.accepted);
    yield* figures.is(`the repeated events of ${who}`, at(answer, "data", "duplicates"), expected.duplicates);
    yield* figures.is(
      `the messages to ${who}`,
      at(answer, "data", "deliveries", "length"),
      expected.messages,
    );
    return answer;
  });

  yield* narrator.say("Ben enters Amsterdam. His device is not approved: it counts, and nothing is sent.");
  const bens = { events: [yield* event("enter")] };
  yield* report("Ben", devices.ben, bens, { accepted: 1, duplicates: 0, messages: 0 });

  yield* narrator.say("Anna enters Amsterdam, and has the message at once.");
  const annas = { events: [yield* event("enter")] };
  const fired = yield* report("Anna", devices.anna, annas, { accepted: 1, duplicates: 0, messages: 1 });
  yield* figures.is(
    "the headline that Anna got",
    at(fired, "data", "deliveries", 0, "headline"),
    offer.headline,
  );

  yield* narrator.say("Her app lost the answer and sends the same report again: nothing happens twice.");
  yield* report("Anna, sent again", devices.anna, annas, { accepted: 0, duplicates: 1, messages: 0 });

  yield* narrator.say(
    "Anna leaves and comes back. The campaign reaches a device once a day, so that was it for today.",
  );
  const walk = { events: [yield* event("exit"), yield* event("enter")] };
  yield* report("Anna, later", devices.anna, walk, { accepted: 2, duplicates: 0, messages: 0 });

  yield* narrator.say("The message waits in Anna's inbox. She opens it.");
  const inbox = yield* ask({
    base: device,
    path: "/messages",
    credential: devices.anna,
    status: 200,
    show: (answer) =>
      pick(at(answer, "data", 0), "id", "headline", "body", "media", "cta_label", "cta_url", "opened_at"),
  });
  yield* figures.is(
    "the picture that Anna sees",
    at(inbox.body, "data", 0, "media", "url"),
    offer.pictureUrl,
  );
  yield* figures.is("the messages in Anna's inbox", at(inbox.body, "data", "length"), 1);
  const messageId = yield* textAt(inbox.body, "data", 0, "id");
  yield* figures.is("the id of Anna's message", messageId, at(fired, "data", "deliveries", 0, "id"));
  yield* ask({
    method: "POST",
    base: device,
    path: `/messages/${messageId}/opened`,
    credential: devices.anna,
    status: 200,
    show: (answer) => pick(at(answer, "data"), "id", "opened_at"),
  });
});

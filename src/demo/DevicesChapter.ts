import { Clock, Effect } from "effect";
import { randomUUID } from "node:crypto";
import { utcText } from "../time/LocalTime.ts";
import type { DemoCampaign } from "./CampaignChapter.ts";
import { type Access, pick } from "./DemoClient.ts";
import type { DemoContext } from "./DemoContext.ts";
import type { DemoLocations } from "./LocationsChapter.ts";
import type { DemoWorkspace } from "./WorkspaceChapters.ts";

/** Two devices register. The operator approves one of them for Sandbox. */
export const devicesChapter = Effect.fnUntraced(function* (
  context: DemoContext,
  { app, workspaceId }: DemoWorkspace,
) {
  const { figures, narrator, operator, sandbox, send } = context;
  yield* narrator.chapter(
    "Two devices",
    "The app registers the devices of Anna and Ben with the SDK key. Each device then has its own token. " +
      "In Sandbox, campaigns reach only devices that the operator has approved. Here that is Anna's device.",
  );
  const register = Effect.fnUntraced(function* (name: string, platform: string) {
    const device = yield* send(app, `PUT /devices/${name.toLowerCase()}s-phone`, {
      body: { platform, locale: "nl-NL", app_version: "1.0.0", attributes: { name } },
      status: 201,
      show: ["id", "installation_id", "approved", "device_token"],
    });
    yield* figures.check(`whether ${name}'s device is approved at first`, device.data("approved"), false);
    const access = yield* device.access(app.base, `${name.toUpperCase()}_TOKEN`, "device_token");
    return { id: yield* device.text("id"), access };
  });
  const anna = yield* register("Anna", "ios");
  const ben = yield* register("Ben", "android");
  const operatorInSandbox = { base: sandbox, credential: operator.credential };
  const approved = yield* send(operatorInSandbox, `PATCH /devices/${anna.id}`, {
    headers: { "Waypost-Workspace": workspaceId },
    body: { approved: true },
    show: ["installation_id", "transport", "approved"],
  });
  yield* figures.check("whether Anna's device is approved", approved.data("approved"), true);
  yield* narrator.variables([anna.access.credential, ben.access.credential]);
  return { anna: anna.access, ben: ben.access };
});

/** Devices enter and leave a location. Messages are in the response, and stay in the inbox. */
export const visitsChapter = Effect.fnUntraced(function* (
  { figures, narrator, send }: DemoContext,
  { anna, ben }: DemoDevices,
  locations: DemoLocations,
  campaign: DemoCampaign,
) {
  yield* narrator.chapter(
    "People walk by",
    "The app reports that a device entered or left a location. " +
      "The response holds the messages that this triggered.",
  );
  const event = Effect.fnUntraced(function* (type: "enter" | "exit") {
    const now = yield* Clock.currentTimeMillis;
    return { id: randomUUID(), type, location_id: locations.cityId, occurred_at: utcText(now) };
  });
  const report = Effect.fnUntraced(function* (
    name: string,
    device: Access,
    events: ReadonlyArray<unknown>,
    expected: { readonly accepted: number; readonly duplicates: number; readonly messages: number },
  ) {
    const response = yield* send(device, "POST /events", {
      body: { events },
      show: (shown) => {
        const deliveries = shown.data("deliveries");
        return {
          ...pick(shown.data(), ["accepted", "duplicates", "rejected"]),
          deliveries: Array.isArray(deliveries)
            ? deliveries.map((each) => pick(each, ["id", "headline", "cta_url", "delivered_at"]))
            : deliveries,
        };
      },
    });
    yield* figures.check(`the accepted events of ${name}`, response.data("accepted"), expected.accepted);
    yield* figures.check(`the repeated events of ${name}`, response.data("duplicates"), expected.duplicates);
    yield* figures.check(`the messages to ${name}`, response.data("deliveries", "length"), expected.messages);
    return response;
  });

  yield* narrator.say(
    "Ben enters Amsterdam. His device is not approved, so the entry is counted, but no message is sent.",
  );
  yield* report("Ben", ben, [yield* event("enter")], { accepted: 1, duplicates: 0, messages: 0 });

  yield* narrator.say("Anna enters Amsterdam and gets the message immediately.");
  const entry = [yield* event("enter")];
  const triggered = yield* report("Anna", anna, entry, { accepted: 1, duplicates: 0, messages: 1 });
  yield* figures.check(
    "the headline of Anna's message",
    triggered.data("deliveries", 0, "headline"),
    campaign.headline,
  );

  yield* narrator.say("Her app loses the response and sends the same event again. Nothing happens twice.");
  yield* report("Anna, sent again", anna, entry, { accepted: 0, duplicates: 1, messages: 0 });

  yield* narrator.say(
    "Anna leaves and comes back. The campaign sends a device one message a day, so she gets no second one.",
  );
  const walk = [yield* event("exit"), yield* event("enter")];
  yield* report("Anna, later", anna, walk, { accepted: 2, duplicates: 0, messages: 0 });

  yield* narrator.say("The message is also in Anna's inbox. She opens it.");
  const inbox = yield* send(anna, "GET /messages", {
    show: (response) =>
      pick(response.data(0), ["id", "headline", "body", "media", "cta_label", "cta_url", "opened_at"]),
  });
  yield* figures.check("the picture of Anna's message", inbox.data(0, "media", "url"), campaign.pictureUrl);
  yield* figures.check("the messages in Anna's inbox", inbox.data("length"), 1);
  const messageId = yield* inbox.text(0, "id");
  yield* figures.check("the id of Anna's message", messageId, triggered.data("deliveries", 0, "id"));
  yield* send(anna, `POST /messages/${messageId}/opened`, { show: ["message_id", "opened_at"] });
});

/** The devices of the demo. Anna's is an approved test device, Ben's is not. */
export type DemoDevices = Effect.Success<ReturnType<typeof devicesChapter>>;

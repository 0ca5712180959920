import { Clock, Effect } from "effect";
import { dateAt } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { DemoContext } from "./DemoContext.ts";
import { demoPicture } from "./DemoPicture.ts";
import { at } from "./ExpectedFigures.ts";
import type { DemoLocations } from "./LocationsChapter.ts";
import type { DemoWorkspace } from "./WorkspaceChapters.ts";

const zone = "Europe/Amsterdam";
const headline = "Coffee is on us";

/** Creates a geo campaign on a location group, with a message that has a picture and a button. */
export const campaignChapter = Effect.fnUntraced(function* (
  { figures, landingPage, narrator, send }: DemoContext,
  { sandbox }: DemoWorkspace,
  locations: DemoLocations,
) {
  yield* narrator.chapter(
    "A campaign and its message",
    `This geo campaign targets all ${locations.groupSize} locations of ${locations.groupName}. ` +
      "It starts today and sends each device at most one message a day. The message has a button. " +
      "Waypost checks the button's address when the message is saved.",
  );
  const campaign = yield* send(sandbox, "POST /campaigns", {
    headers: { "Idempotency-Key": "acme-coffee-1" },
    body: {
      name: "Coffee in Noord-Holland",
      type: "geo",
      timezone: zone,
      starts_at: dateAt(zone as TimeZoneName, yield* Clock.currentTimeMillis),
      location_group_names: [locations.groupName],
      frequency_cap_count: 1,
      frequency_cap_period: "day",
    },
    status: 201,
    show: ["id", "name", "type", "status", "starts_at", "ends_at", "targeting"],
  });
  const campaignId = yield* campaign.text("id");
  yield* figures.check("the status of the campaign", campaign.data("status"), "active");
  yield* figures.check("the groups of the campaign", campaign.data("targeting", "location_group_ids"), [
    locations.groupId,
  ]);

  yield* narrator.say("A message with mistakes is refused. The response names every mistake.");
  const invalid = yield* send(sandbox, `POST /campaigns/${campaignId}/notifications`, {
    body: { name: "Welcome", type: "message", headline: "", trigger_type: "fixed_time", cta_label: "Open" },
    status: 422,
  });
  yield* figures.check(
    "the invalid fields of the message",
    Object.keys(at(invalid.body, "error", "fields") ?? {}).toSorted(),
    ["body", "cta_url", "headline", "trigger_type"],
  );

  yield* narrator.say("The message shows a picture. It is uploaded first.");
  const picture = yield* send(sandbox, "POST /media", {
    headers: { "Idempotency-Key": "acme-cup-1" },
    upload: { name: "cup.png", bytes: demoPicture(480) },
    status: 201,
    show: ["id", "name", "type", "size_bytes", "width", "height", "url"],
  });
  yield* figures.check("the width of the picture", picture.data("width"), 480);

  const notification = yield* send(sandbox, `POST /campaigns/${campaignId}/notifications`, {
    headers: { "Idempotency-Key": "acme-welcome-1" },
    body: {
      name: "Welcome",
      type: "message",
      headline,
      body: "Show this message at the counter and choose a cup.",
      media_asset_id: yield* picture.text("id"),
      cta_label: "Find the counter",
      cta_url: landingPage,
      trigger_type: "on_enter",
    },
    status: 201,
    show: ["id", "headline", "media", "cta_label", "cta_url", "trigger_type"],
  });
  return {
    campaignId,
    notificationId: yield* notification.text("id"),
    headline,
    pictureUrl: yield* picture.text("url"),
  };
});

/** The campaign of the demo, and its message. */
export type DemoCampaign = Effect.Success<ReturnType<typeof campaignChapter>>;

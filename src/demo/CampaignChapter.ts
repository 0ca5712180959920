import { Clock, Effect } from "effect";
import { dateAt } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import { demoPicture } from "./DemoPicture.ts";
import { type DemoStage, pick } from "./DemoContext.ts";
import { at, textAt } from "./ExpectedFigures.ts";
import type { Places } from "./LocationsChapter.ts";
import type { Credentials } from "./WorkspaceChapters.ts";

/** The campaign that the rest of the story is about, and its one message. */
export interface Offer {
  readonly campaignId: string;
  readonly notificationId: string;
  readonly headline: string;
  /** Address of its picture. */
  readonly pictureUrl: string;
}

const zone = "Europe/Amsterdam";
const headline = "Coffee is on us";

/** A geo campaign on a group of locations, with a message that has a button. */
export const campaignChapter = Effect.fnUntraced(function* (
  stage: DemoStage,
  credentials: Credentials,
  places: Places,
) {
  const { ask, figures, landingPage, narrator, sandbox } = stage;
  const credential = credentials.sandboxToken;
  yield* narrator.chapter(
    "A campaign and its message",
    `A geo campaign on all ${places.groupSize} locations of ${places.groupName}, from today on, at most once a day for ` +
      "each device. Its message has a button, whose address is checked when it is saved.",
  );
  const today = dateAt(zone as TimeZoneName, yield* Clock.currentTimeMillis);
  const campaign = yield* ask({
    method: "POST",
    base: sandbox,
    path: "/campaigns",
    credential,
    headers: { "Idempotency-Key": "acme-coffee-1" },
    body: {
      name: "Coffee in Noord-Holland",
      type: "geo",
      timezone: zone,
      starts_at: today,
      location_group_names: [places.groupName],
      frequency_cap_count: 1,
      frequency_cap_period: "day",
    },
    status: 201,
    show: (answer) =>
      pick(at(answer, "data"), "id", "name", "type", "status", "starts_at", "ends_at", "targeting"),
  });
  const campaignId = yield* textAt(campaign.body, "data", "id");
  yield* figures.is("the status of the campaign", at(campaign.body, "data", "status"), "active");
  yield* figures.is(
    "the groups that the campaign targets",
    at(campaign.body, "data", "targeting", "location_group_ids"),
    [places.groupId],
  );

  const wrong = yield* ask({
    method: "POST",
    base: sandbox,
    path: `/campaigns/${campaignId}/notifications`,
    credential,
    body: { name: "Welcome", type: "message", headline: "", trigger_type: "fixed_time", cta_label: "Open" },
    status: 422,
  });
  yield* figures.is(
    "the fields that a wrong message is told of",
    Object.keys(at(wrong.body, "error", "fields") ?? {}).toSorted(),
    ["body", "cta_url", "headline", "trigger_type"],
  );

  yield* narrator.say("The message shows a picture, which is uploaded first.");
  const picture = yield* ask({
    method: "POST",
    base: sandbox,
    path: "/media",
    credential,
    headers: { "Idempotency-Key": "acme-cup-1" },
    upload: { name: "cup.png", bytes: demoPicture(480) },
    status: 201,
    show: (answer) => pick(at(answer, "data"), "id", "name", "type", "size_bytes", "width", "height", "url"),
  });
  yield* figures.is("the width of the picture", at(picture.body, "data", "width"), 480);

  const notification = yield* ask({
    method: "POST",
    base: sandbox,
    path: `/campaigns/${campaignId}/notifications`,
    credential,
    headers: { "Idempotency-Key": "acme-welcome-1" },
    body: {
      name: "Welcome",
      type: "message",
      headline,
      body: "Show this message at the counter and choose a cup.",
      media_asset_id: yield* textAt(picture.body, "data", "id"),
      cta_label: "Find the counter",
      cta_url: landingPage,
      trigger_type: "on_enter",
    },
    status: 201,
    show: (answer) =>
      pick(at(answer, "data"), "id", "headline", "media", "cta_label", "cta_url", "trigger_type"),
  });
  const offer: Offer = {
    campaignId,
    notificationId: yield* textAt(notification.body, "data", "id"),
    headline,
    pictureUrl: yield* textAt(picture.body, "data", "url"),
  };
  return offer;
});

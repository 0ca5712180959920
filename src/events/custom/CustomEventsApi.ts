import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api";
import { Needs } from "../../access/Access.ts";
import { alsoAsCsv } from "../../http/csv/CsvParameters.ts";
import { Idempotency } from "../../http/Idempotency.ts";
import { bodyErrors, Unprocessable } from "../../wire/ApiError.ts";
import { Data, PageOf, PageQuery } from "../../wire/Envelope.ts";
import { EventName } from "../../wire/EventName.ts";
import { sentList } from "../../wire/Parts.ts";
import { exactParameter } from "../../wire/SearchText.ts";
import { idFilter } from "../../wire/ShownFields.ts";
import { wholeParameter } from "../../wire/Text.ts";
import { EventsOutcome } from "../EventsApi.ts";
import { CustomEvent, CustomEventDraft } from "./CustomEvent.ts";
import { EventSummaries, maxDays, PropertySummary } from "./EventSummary.ts";

/** Request body. */
export const CustomEventsBody = Schema.Struct({
  events: sentList(CustomEventDraft, 500, "events").annotate({
    description: "1 to 500 events, in any order.",
  }),
}).annotate({ identifier: "CustomEventsReport" });
export type CustomEventsBody = typeof CustomEventsBody.Type;

const { accepted, duplicates, later, rejected } = EventsOutcome.fields;

/** Response. */
const CustomEventsOutcome = Schema.Struct({ accepted, duplicates, rejected, later }).annotate({
  identifier: "CustomEventsOutcome",
});

/** The query parameters that select events. */
const filters = {
  name: Schema.optionalKey(EventName.annotate({ description: "Only events with this name." })),
  device_id: idFilter("Only events of the device with this id.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  user_id: exactParameter("Only events of the person with this id of the app.", "customer-8151"),
};

const days = Schema.optionalKey(
  wholeParameter({
    min: 1,
    max: maxDays,
    description: "The number of days to count, today included: by default 14.",
    example: 7,
  }),
);

/** The platform API's endpoints of custom events (contract V3). */
export class CustomEventsApi extends HttpApiGroup.make("customEvents")
  .add(
    HttpApiEndpoint.post("report", "/events", {
      payload: CustomEventsBody,
      success: Data(CustomEventsOutcome),
      error: [...bodyErrors],
    })
      .middleware(Idempotency)
      .annotate(Needs, "events:write")
      .annotate(OpenApi.Summary, "Report custom events")
      .annotate(
        OpenApi.Description,
        "Event campaigns fire at once. An event is of a device, or of a person who has one: `device_id` or " +
          "`user_id`, not both. Of a person the 100 devices that were seen last are checked, with a " +
          "delay those of its minute; the 101st is not. One that cannot be taken is rejected alone. " +
          "Without `occurred_at` it happens now. Sending the same events again is safe: they are " +
          "duplicates. Those that the request has no time for are listed as `later`.",
      ),
    HttpApiEndpoint.get("list", "/events", {
      query: { ...PageQuery, ...filters },
      success: PageOf(CustomEvent),
      error: [Unprocessable],
    })
      .annotate(Needs, "devices:read")
      .annotate(OpenApi.Transform, alsoAsCsv)
      .annotate(OpenApi.Summary, "List custom events")
      .annotate(OpenApi.Description, "Newest first by when they were received; kept 90 days, by default."),
    HttpApiEndpoint.get("names", "/events/names", {
      query: { days, name: filters.name },
      success: EventSummaries,
      error: [Unprocessable],
    })
      .annotate(Needs, "devices:read")
      .annotate(OpenApi.Summary, "List the names of custom events, counted by day")
      .annotate(
        OpenApi.Description,
        "The names of all events that are kept, those with the most events on these days first. An event " +
          "counts on the day on which it occurred, in the workspace's time zone. At most 1,000 names.",
      ),
    HttpApiEndpoint.get("properties", "/events/properties", {
      query: { name: EventName.annotate({ description: "The name of the events." }) },
      success: Data(Schema.Array(PropertySummary)),
      error: [Unprocessable],
    })
      .annotate(Needs, "devices:read")
      .annotate(OpenApi.Summary, "List the properties of the events of a name")
      .annotate(
        OpenApi.Description,
        "Those of the newest 1,000 events of this name, the most frequent first, each with up to 20 of its " +
          "most frequent values.",
      ),
  )
  .annotate(OpenApi.Title, "Custom events")
  .annotate(OpenApi.Description, "Events that devices and servers report under names of their own.") {}

import { Clock, Context, Effect, Layer, Stream } from "effect";
import { Settings } from "../../config/Settings.ts";
import { pruneInPages } from "../../database/Pruning.ts";
import { csvLines } from "../../http/csv/Csv.ts";
import { type CsvFile, csvName, todayOf } from "../../http/csv/CsvFile.ts";
import { anyEvent } from "../../outbox/EventType.ts";
import { DAY_MS } from "../../time/DayNumbers.ts";
import type { PagePosition } from "../../wire/PagePosition.ts";
import type { ParsedBody } from "../../wire/ParsedBody.ts";
import { Worker } from "../../workers/Worker.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { EventRequest } from "../IncomingEvent.ts";
import { Events } from "../Events.ts";
import { laterFrom } from "../EventParts.ts";
import { CustomEvent, type ReadCustomEvent, readCustomEvent } from "./CustomEvent.ts";
import type { CustomEventsBody } from "./CustomEventsApi.ts";
import { type CustomEventFilters, CustomEventsSql, type NamedDevice } from "./CustomEventsSql.ts";

const pageSize = 1000;

const noDevice = "There is no registered device with this id in this workspace and environment.";
const wrongSubject = "An event is of a device or of a person: send device_id or user_id, and not both.";
const noPerson = "No registered device in this workspace and environment has this user_id.";

/** Reads an event, which names one device or one person (contract Z26). */
const readDraft = (input: unknown, now: number, keptDays: number) => {
  const reading = readCustomEvent(input, now, keptDays, true);
  if ("reasons" in reading) return reading;
  const { device_id, user_id } = reading.event;
  const isOne = ((device_id ?? null) === null) !== ((user_id ?? null) === null);
  return isOne ? reading : { reasons: [wrongSubject] };
};

/** Whom an event names, as the key of a map: each is looked up once. */
const subjectOf = ({ device_id, user_id }: ReadCustomEvent): string => JSON.stringify([device_id, user_id]);

/** Custom events of an environment: those that servers report, and all of them in a list (contract V3). */
export class CustomEvents extends Context.Service<CustomEvents>()("waypost/events/CustomEvents", {
  make: Effect.gen(function* () {
    const repository = yield* CustomEventsSql;
    const events = yield* Events;
    const { customEventRetentionDays: keptDays } = yield* Settings;

    return {
      /** Records 1 to 500 events, in parts. One that cannot be taken is rejected alone. @throws 422 */
      report: Effect.fnUntraced(function* (tenant: Tenant, body: ParsedBody<CustomEventsBody>) {
        const sent = (yield* body.complete).events;
        const now = yield* Clock.currentTimeMillis;
        const rejected = new Map<number, ReadonlyArray<string>>();
        const read = sent.flatMap((input, index) => {
          const reading = readDraft(input, now, keptDays);
          if ("reasons" in reading) rejected.set(index, reading.reasons);
          return "reasons" in reading ? [] : [{ index, reading }];
        });
        const subjects = new Map(read.map(({ reading: { event } }) => [subjectOf(event), event]));
        const names = [...subjects.keys()];
        const found = yield* repository.devices(tenant, [...subjects.values()]);
        const named = Map.groupBy(found, ({ ord }) => names[ord - 1]);
        const known = read.flatMap(({ index, reading }) => {
          const request = requestOf(tenant, now, reading, named.get(subjectOf(reading.event)) ?? []);
          if (request === null) rejected.set(index, [reading.event.user_id ? noPerson : noDevice]);
          return request === null ? [] : [{ index, request }];
        });
        const outcomes = yield* events.record(known.map(({ request }) => request));
        const end = known[outcomes.length]?.index ?? sent.length;
        let [accepted, duplicates] = [0, 0];
        outcomes.forEach((outcome, position) => {
          const index = known[position]?.index ?? 0;
          accepted += outcome?.accepted.length ?? 0;
          duplicates += outcome?.duplicates ?? 0;
          // Null where the device has unregistered meanwhile.
          for (const { reasons } of outcome?.rejected ?? [{ reasons: [noDevice] }])
            rejected.set(index, reasons);
        });
        return {
          accepted,
          duplicates,
          rejected: [...rejected]
            .filter(([index]) => index < end)
            .sort(([a], [b]) => a - b)
            .map(([index, reasons]) => ({ index, reasons })),
          ...laterFrom(end, sent.length),
        };
      }),

      /** Events, newest received first; `id` is that of their position. */
      page: Effect.fn("CustomEvents.page")(function* (
        tenant: Tenant,
        { before, limit }: PagePosition,
        filters: CustomEventFilters,
      ) {
        const rows = yield* repository.page(tenant, before, limit, filters);
        return rows.map(({ key, ...event }) => ({ id: key, event }));
      }),

      /** All of them as CSV, in the order of the pages. */
      file: Effect.fn("CustomEvents.file")(function* (tenant: Tenant, filters: CustomEventFilters) {
        const columns = Object.keys(CustomEvent.fields);
        return {
          name: csvName("events", tenant, todayOf(tenant, yield* Clock.currentTimeMillis)),
          heading: columns,
          records: Effect.map(
            repository.all(tenant, filters),
            Stream.map((rows) => csvLines(columns, rows)),
          ),
        } satisfies CsvFile;
      }),

      /** Deletes the events that are past their time, page by page; gives how many. */
      prune: Effect.gen(function* () {
        const before = (yield* Clock.currentTimeMillis) - keptDays * DAY_MS;
        return yield* pruneInPages("custom_events", pageSize, (limit) =>
          Effect.flatMap(repository.expiredWorkspaces(before, limit), (workspaces) =>
            Effect.map(
              Effect.forEach(workspaces, (id) => repository.deleteExpired(id, before, limit)),
              (counts) => counts.reduce((sum, count) => sum + count, 0),
            ),
          ),
        );
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(CustomEvents, CustomEvents.make).pipe(
    Layer.provide(CustomEventsSql.layer),
  );
}

/** The event as a report of its device, or of the device of its person that was seen last. */
const requestOf = (
  tenant: Tenant,
  now: number,
  reading: EventRequest["events"][number] & { readonly event: ReadCustomEvent },
  devices: ReadonlyArray<NamedDevice>,
): EventRequest | null => {
  const [first] = devices;
  if (first === undefined) return null;
  const { deviceId, deviceKey, userKey } = first;
  const { environment, workspace, workspaceId } = tenant;
  const isOfPerson = (reading.event.user_id ?? null) !== null && userKey !== null;
  return {
    // Which webhooks listen is read with the outbox.
    caller: { workspaceId, environment, workspace, deviceId, deviceKey, webhookEvents: [anyEvent] },
    now,
    events: [reading],
    person: isOfPerson ? { userKey, deviceKeys: devices.map((device) => device.deviceKey) } : null,
  };
};

/** The job that prunes custom events. Two workers share the rows. */
export const customEventPruning = Layer.effectDiscard(
  Effect.flatMap(CustomEvents, ({ prune }) => Worker.every("custom_event_pruning", "1 hour", prune)),
);

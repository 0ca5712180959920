import { Clock, Effect } from "effect";
import { randomUUID } from "node:crypto";
import { abilities } from "../access/Ability.ts";
import { addDays } from "../time/DayNumbers.ts";
import { dateAt, utcText } from "../time/LocalTime.ts";
import type { TimeZoneName } from "../time/TimeZone.ts";
import { type Access, type SendRequest, silentClient } from "./DemoClient.ts";
import type { DemoContext } from "./DemoContext.ts";
import type { DemoWorkspace } from "./WorkspaceChapters.ts";

const zone = "Europe/Amsterdam" as TimeZoneName;
const group = "Acme counters";
const dayMillis = 86_400_000;
/** The days of visits before today. */
const pastDays = 45;

/** The counters of Acme: name, longitude and latitude. */
const counters = [
  ["Acme Utrecht Central", 5.1101, 52.0894],
  ["Acme Rotterdam Central", 4.4689, 51.9249],
  ["Acme The Hague", 4.3242, 52.0808],
  ["Acme Eindhoven", 5.4815, 51.4433],
  ["Acme Groningen", 6.5641, 53.2107],
  ["Acme Arnhem", 5.9009, 51.9851],
  ["Acme Haarlem", 4.6387, 52.3878],
  ["Acme Zwolle", 6.0919, 52.5055],
] as const;

/** The people of the month: they visit the first counters more often than the last. */
const people = [
  ..."Ada Bram Cato Daan Elin Finn Gijs Hanna Ivo Jip Koen Lotte Mees Nina Otis Pim Roos Sam Tess".split(" "),
  ..."Udo Vera Wout Xem Yara Zoë".split(" "),
];

/** Makes a visit whole: the device enters a counter and leaves it after some minutes. */
const visit = (location: string | undefined, at: number, minutes: number) => [
  { id: randomUUID(), type: "enter", location_id: location, occurred_at: utcText(at) },
  { id: randomUUID(), type: "exit", location_id: location, occurred_at: utcText(at + minutes * 60_000) },
];

/** The visits of a person before today: more at weekends, and more from week to week. */
const pastVisits = (person: number, locations: ReadonlyArray<string>, now: number) =>
  Array.from({ length: pastDays }, (_, index) => pastDays - index).flatMap((daysAgo) => {
    const isWeekend = new Date(now - daysAgo * dayMillis).getUTCDay() % 6 === 0;
    const share = (isWeekend ? 5 : 3) + Math.floor((pastDays - daysAgo) / 12);
    const draw = (person * 37 + daysAgo * 53 + ((person * daysAgo) % 11) * 7) % 17;
    if (draw >= share) return [];
    const counter = Math.floor(((draw * 3 + person * 5 + daysAgo) % 16) ** 2 / 32);
    return visit(locations[counter], now - daysAgo * dayMillis - draw * 1_200_000, 10 + draw * 2);
  });

/** The counters, the campaigns and a segment. Returns the ids of the counters. */
const prepare = Effect.fnUntraced(function* (send: SendRequest, production: Access, now: number) {
  const imported = yield* send(production, "POST /locations/import", {
    headers: { "content-type": "application/geo+json" },
    body: {
      type: "FeatureCollection",
      features: counters.map(([name, longitude, latitude]) => ({
        type: "Feature",
        geometry: { type: "Point", coordinates: [longitude, latitude] },
        properties: { name, radius: 150, external_id: name, group },
      })),
    },
  });
  const today = dateAt(zone, now);
  const create = Effect.fnUntraced(function* (campaign: object, message: object) {
    const made = yield* send(production, "POST /campaigns", {
      body: { timezone: zone, ...campaign },
      status: 201,
    });
    const id = yield* made.text("id");
    yield* send(production, `POST /campaigns/${id}/notifications`, {
      body: { type: "message", ...message },
      status: 201,
    });
  });
  yield* create(
    {
      name: "Second cup at half price",
      type: "geo",
      starts_at: today,
      ends_at: addDays(today, 20),
      location_group_names: [group],
      frequency_cap_count: 1,
      frequency_cap_period: "day",
    },
    {
      name: "Half price",
      headline: "Your second cup is half price",
      body: "Show this message at the counter.",
      trigger_type: "on_enter",
    },
  );
  const menuDay = addDays(today, 3);
  yield* create(
    { name: "Winter menu", type: "push", starts_at: menuDay },
    {
      name: "The winter menu is here",
      headline: "Cinnamon is back",
      body: "From today at every counter.",
      trigger_type: "fixed_time",
      trigger_config: { send_at: `${menuDay} 10:00` },
    },
  );
  yield* create(
    { name: "Come back", type: "geo", starts_at: today, location_group_names: [group], paused: true },
    {
      name: "Goodbye",
      headline: "See you tomorrow",
      body: "Your tenth cup is on us.",
      trigger_type: "on_exit",
    },
  );
  return yield* Effect.forEach(counters, (_, index) => imported.text("results", index, "id"));
});

/**
 * People visit the counters for some weeks, so that the console has something to show. The requests are those
 * of the chapters before, so they are not printed.
 */
export const consoleChapter = Effect.fnUntraced(function* (
  { narrator, operator }: DemoContext,
  { app, production, workspaceId }: DemoWorkspace,
) {
  yield* narrator.chapter(
    "A month at the counters",
    `${people.length} people visit the ${counters.length} counters of Acme in Production, where two ` +
      "campaigns run. The requests are like those above, so they are not printed.",
  );
  const send = silentClient;
  const now = yield* Clock.currentTimeMillis;
  const issued = yield* send(operator, `POST /workspaces/${workspaceId}/tokens`, {
    body: { name: "Counter system", environment: "production", abilities },
    status: 201,
  });
  const access = yield* issued.access(production.base, "COUNTER_TOKEN", "token");
  const locations = yield* prepare(send, access, now);
  const key = yield* send(operator, `POST /workspaces/${workspaceId}/production/sdk-keys`, {
    body: { name: "Counter app" },
    status: 201,
  });
  const sdk = yield* key.access(app.base, "COUNTER_SDK_KEY", "sdk_key");
  for (const [person, name] of people.entries()) {
    const device = yield* send(sdk, `PUT /devices/${encodeURIComponent(name.toLowerCase())}s-phone`, {
      body: {
        platform: person % 3 === 0 ? "android" : "ios",
        locale: person % 4 === 0 ? "en-GB" : "nl-NL",
        attributes: { name, tier: ["gold", "silver", "bronze"][person % 3], cups: (person * 7) % 30 },
      },
      status: 201,
    });
    const phone = yield* device.access(app.base, "PHONE", "device_token");
    const events = pastVisits(person, locations, now);
    for (let from = 0; from < events.length; from += 100)
      yield* send(phone, "POST /events", { body: { events: events.slice(from, from + 100) } });
    const [entry] = visit(locations[person % 5], now, 0);
    const entered = yield* send(phone, "POST /events", { body: { events: [entry] } });
    if (person % 3 > 0)
      yield* send(phone, `POST /messages/${yield* entered.text("deliveries", 0, "id")}/opened`);
  }
});

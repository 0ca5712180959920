import { assert, describe, it } from "@effect/vitest";
import type { Fix, Geofence } from "../../sdk/core/Geofence.ts";
import {
  follow,
  maxFences,
  needsFences,
  type Tracking,
  unknown,
  withFences,
} from "../../sdk/core/Tracking.ts";
import { toIndexedLocation } from "../../src/locations/geometry/IndexedLocation.ts";
import { LocationIndex } from "../../src/locations/geometry/LocationIndex.ts";
import type { Ring } from "../../src/locations/Location.ts";
import { type DeviceLocationState, follow as serverFollow } from "../../src/positions/DeviceLocationState.ts";
import { isCoarse } from "../../src/positions/Position.ts";
import { LocationKey } from "../../src/wire/Ids.ts";
import { cases, fixedSeed } from "../FixedSeed.ts";
import { Dice } from "../sending/Dice.ts";

const count = 10_000;
const south = 52;
const west = 4;
/** Degrees of a square of about 70 by 70 km. */
const height = 0.63;
const width = 1.03;
const metersNorth = 111_195;
const metersEast = metersNorth * Math.cos((52.3 * Math.PI) / 180);

const random = new Dice(fixedSeed).next;
const shapes = Array.from({ length: count }, (_, index) => {
  const longitude = west + random() * width;
  const latitude = south + random() * height;
  const radius = 30 + random() * 170;
  const corners = 5 + Math.floor(random() * 6);
  const isPolygon = index % 2 === 1;
  const ring: Ring = Array.from({ length: corners + 1 }, (_, at) => {
    const angle = ((at % corners) / corners) * 2 * Math.PI;
    return [
      longitude + (Math.cos(angle) * radius * 0.99) / metersEast,
      latitude + (Math.sin(angle) * radius * 0.99) / metersNorth,
    ] as const;
  });
  return { key: LocationKey(index + 1), longitude, latitude, radius, ring: isPolygon ? ring : null };
});
const index = LocationIndex.of(
  new Map(
    shapes.map(({ key, latitude, longitude, radius, ring }) => [
      key,
      toIndexedLocation({
        key,
        id: String(key),
        revision: 0,
        longitude,
        latitude,
        radius_meters: radius,
        rings: ring && [ring],
      }),
    ]),
  ),
);
const all = [...index.locations.keys()];

/** The answer of `GET /geofences`. */
const geofencesAt = ({ latitude, longitude }: Fix): ReadonlyArray<Geofence> =>
  index.nearest([longitude, latitude], all, maxFences).map(({ location, meters }) => {
    const { radius = 0, ring = null } = shapes[location.key - 1] ?? {};
    return {
      location_id: location.id,
      type: ring === null ? "circle" : "polygon",
      center: { latitude: location.latitude, longitude: location.longitude },
      radius_meters: radius,
      geometry: { type: "Polygon", coordinates: ring === null ? [] : [ring] },
      distance_meters: meters,
    };
  });

/** A server that follows the fixes that it gets. Returns the transitions that a fix shows. */
const server = () => {
  const state: DeviceLocationState = { lastAt: -Infinity, presences: new Map() };
  return (fix: Fix): ReadonlyArray<string> => {
    const position = {
      latitude: fix.latitude,
      longitude: fix.longitude,
      accuracy_meters: fix.accuracy,
      recorded_at: fix.at,
    };
    const locations = isCoarse(position) ? [] : index.at([fix.longitude, fix.latitude]);
    if (isCoarse(position)) return [];
    return serverFollow(state, { position, locations }, index.locations).map(
      ({ at, location, type }) => `${type} ${location.id} ${at}`,
    );
  };
};

/** A walk at 1 to 30 m/s with rests, a fix every 10 seconds, with noise as its accuracy says. */
const walk = (seed: number, length: number): ReadonlyArray<Fix> => {
  const next = new Dice(seed).next;
  let latitude = south + (0.2 + next() * 0.6) * height;
  let longitude = west + (0.2 + next() * 0.6) * width;
  let heading = next() * 2 * Math.PI;
  let speed = 1.4;
  return Array.from({ length }, (_, step) => {
    if (next() < 0.02) speed = [0, 0, 1.4, 1.4, 5, 30][Math.floor(next() * 6)] ?? 0;
    heading += (next() - 0.5) * 0.6;
    latitude += (Math.cos(heading) * speed * 10) / metersNorth;
    longitude += (Math.sin(heading) * speed * 10) / metersEast;
    const accuracy = next() < 0.03 ? 250 : 3 + next() * 60;
    const noise = speed === 0 ? 0 : accuracy / 4;
    return {
      latitude: latitude + ((next() - 0.5) * noise) / metersNorth,
      longitude: longitude + ((next() - 0.5) * noise) / metersEast,
      accuracy,
      at: 1_796_000_000_000 + step * 10_000,
    };
  });
};

describe("Positions of a browser", () => {
  it("walks among 10,000 locations miss no enter or exit, with a tenth of the requests (BW5, L9)", () => {
    let fixes = 0;
    let requests = 0;
    let transitions = 0;
    for (let seed = 1; seed <= cases(8); seed++) {
      const [everyFix, sentFixes] = [server(), server()];
      let tracking: Tracking = unknown;
      for (const fix of walk(fixedSeed + seed, 1_500)) {
        fixes += 1;
        const expected = everyFix(fix);
        transitions += expected.length;
        if (needsFences(tracking, fix)) {
          tracking = withFences(tracking, geofencesAt(fix), fix);
          requests += 1;
        }
        const followed = follow(tracking, fix);
        ({ tracking } = followed);
        if (followed.isSent) requests += 1;
        assert.deepStrictEqual(followed.isSent ? sentFixes(fix) : [], expected);
      }
    }
    assert.isAbove(transitions, cases(200));
    assert.isAtMost(requests, fixes / 10, `${requests} requests, ${transitions} transitions`);
  });
});

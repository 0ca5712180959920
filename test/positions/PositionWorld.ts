import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { type Answer, testStart } from "../TestWaypost.ts";
import { collection, pointFeature } from "../locations/Features.ts";
import { fromNow } from "../given/GivenBodies.ts";
import { type GivenOptions, givenWorkspace } from "../given/GivenWorkspace.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import { ok } from "../given/Given.ts";

/** A point in degrees. */
export type Point = readonly [longitude: number, latitude: number];

/** Metres per degree of latitude on a sphere with the mean radius of the earth. */
const degreeMeters = (6371008.8 * Math.PI) / 180;

/** A point so many metres to the north. */
export const northOf = ([longitude, latitude]: Point, meters: number): Point => [
  longitude,
  latitude + meters / degreeMeters,
];

export const dam: Point = [4.9, 52.37];

/** The response of `POST /positions`, with location names instead of ids. */
export interface Followed {
  readonly accepted: number;
  readonly stale: number;
  readonly rejected: ReadonlyArray<{ index: number; reasons: ReadonlyArray<string> }>;
  /** Such as "enter Dam". */
  readonly moves: ReadonlyArray<string>;
  readonly deliveries: ReadonlyArray<any>;
  readonly later?: ReadonlyArray<number>;
}

/** A workspace whose devices report positions. */
export const positionWorld = (options: GivenOptions = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(testStart);
    const world = yield* givenWorkspace(options);
    const names = new Map<string, string>();
    const importTo =
      (environment: Environment) =>
      (...features: ReadonlyArray<object>) =>
        Effect.map(
          world.platform[environment]("/locations/import", { body: collection(...features) }),
          (answer) => {
            const results: Array<{ id: string; name: string }> = answer.body.data.results;
            for (const { id, name } of results) names.set(id, name);
            return results.map(({ id }) => id);
          },
        );
    const phoneOf = (environment: Environment) =>
      Effect.gen(function* () {
        const phone = yield* world[environment].phone(randomUUID());
        const post = (positions: unknown): Effect.Effect<Answer> =>
          phone.ask("/positions", { body: { positions } });
        const read = (answer: Answer): Followed => {
          const { transitions, ...rest } = ok(answer);
          return {
            ...rest,
            moves: transitions.map(
              (move: { type: string; location_id: string }) =>
                `${move.type} ${names.get(move.location_id) ?? move.location_id}`,
            ),
          };
        };
        const now = yield* fromNow(0);
        let seconds = 0;
        return {
          ...phone,
          post,
          read,
          /** Reports positions as given. */
          reports: (positions: ReadonlyArray<object>) => Effect.map(post(positions), read),
          /** Reports a point with an accuracy, one second after the previous one. */
          isAt: ([longitude, latitude]: Point, accuracy_meters?: number) =>
            Effect.suspend(() => {
              const recorded_at = new Date(Date.parse(now) + ++seconds * 1000).toISOString();
              return Effect.map(post([{ latitude, longitude, recorded_at, accuracy_meters }]), read);
            }),
        };
      });
    const side = (environment: Environment) => ({
      ...world[environment],
      imports: importTo(environment),
      tracked: phoneOf(environment),
    });
    return { ...world, sandbox: side("sandbox"), production: side("production") };
  });

/** The same with the location "Dam" and a device, in Production. */
export const damWorld = () =>
  Effect.gen(function* () {
    const world = yield* positionWorld();
    const [location = ""] = yield* world.production.imports(pointFeature());
    return { ...world, location, phone: yield* world.production.tracked };
  });

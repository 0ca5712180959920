import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { type Example, type Examples, plain } from "./Example.ts";
import { circle } from "./MatrixFixture.ts";

const onLocation: Example = {
  request: ({ make }) => Effect.map(make.location, ({ location }) => ({ params: { location } })),
};

/** The endpoints of locations and their groups. */
export const locationExamples: Examples = {
  "GET /locations": plain({ query: { limit: "2", updated_since: "2026-11-21T00:00:00Z" } }),
  "GET /locations/points": plain({ query: { group: "Nobody", q: "shop" } }),
  "POST /locations/import": {
    request: () =>
      Effect.sync(() => ({
        query: { dry_run: "0" },
        body: {
          type: "FeatureCollection",
          features: [circle({ external_id: randomUUID(), group: `Group ${randomUUID()}` }), circle()],
        },
      })),
  },
  "GET /locations/:location": onLocation,
  "PATCH /locations/:location": {
    request: ({ make }) =>
      Effect.map(make.location, ({ location }) => ({
        params: { location },
        body: { name: "Renamed", address: "Dam 1", external_id: randomUUID() },
      })),
  },
  "PUT /locations/:location/shape": {
    request: ({ make }) =>
      Effect.map(make.location, ({ location }) => ({
        params: { location },
        body: { geometry: { type: "Point", coordinates: [5, 52] }, radius_meters: 75 },
      })),
  },
  "PUT /locations/:location/groups": {
    request: ({ make }) =>
      Effect.map(make.location, ({ location }) => ({
        params: { location },
        body: { groups: [`Group ${randomUUID()}`] },
      })),
  },
  "DELETE /locations/:location": onLocation,
  "GET /location-groups": plain({ query: { limit: "1", name: "Nobody" } }),
  "GET /location-groups/:locationGroup": {
    request: ({ make }) => Effect.map(make.location, ({ locationGroup }) => ({ params: { locationGroup } })),
  },
};

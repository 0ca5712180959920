import { randomUUID } from "node:crypto";
import { collection, pointFeature } from "../locations/Features.ts";
import { about, type Examples, plain, type ValidRequest, withNew } from "./Example.ts";

const onLocation = (body?: () => ValidRequest["body"]) =>
  withNew("location", ({ location }) => ({ params: { location }, body: body?.() }));
const newGroup = () => `Group ${randomUUID()}`;
const shape = { geometry: { type: "Point", coordinates: [5, 52] }, radius_meters: 75 };

/** The endpoints of locations and their groups. */
export const locationExamples: Examples = {
  "GET /locations": plain({ query: { limit: "2", updated_since: "2026-11-21T00:00:00Z" } }),
  "GET /locations/points": plain({ query: { group: "Nobody", q: "shop" } }),
  "POST /locations/import": about(() => ({
    query: { dry_run: "0" },
    body: collection(pointFeature({ external_id: randomUUID(), group: newGroup() }), pointFeature()),
  })),
  "GET /locations/:location": onLocation(),
  "PATCH /locations/:location": onLocation(() => ({
    name: "Renamed",
    address: "Dam 1",
    external_id: randomUUID(),
  })),
  "PUT /locations/:location/shape": onLocation(() => shape),
  "PUT /locations/:location/groups": onLocation(() => ({ groups: [newGroup()] })),
  "DELETE /locations/:location": onLocation(),
  "GET /location-groups": plain({ query: { limit: "1", name: "Nobody" } }),
  "GET /location-groups/:locationGroup": withNew("location", ({ locationGroup }) => ({
    params: { locationGroup },
  })),
};

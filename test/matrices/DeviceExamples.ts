import { randomUUID } from "node:crypto";
import { testStart } from "../TestWaypost.ts";
import { about, type Examples, plain, withNew } from "./Example.ts";

const now = new Date(testStart).toISOString();

const asDevice = (body?: unknown) => withNew("device", ({ token }) => ({ credential: token, body }));
const onMessage = (body?: unknown) =>
  withNew("surveyed", ({ message, token }) => ({ params: { message }, credential: token, body }));

/** How to use each endpoint of the device interface. */
export const deviceExamples: Examples = {
  "PUT /devices/:installation_id": about(() => ({
    params: { installation_id: randomUUID() },
    body: {
      platform: "web",
      push: { transport: "fcm", token: "a-token" },
      attributes: { plan: "gold", visits: 3, tags: ["a"], member: true },
      locale: "nl-NL",
      timezone: "Europe/Amsterdam",
      app_version: "1.2.3",
    },
  })),
  "PATCH /devices/me": asDevice({ attributes: { plan: null }, locale: "de-DE" }),
  "DELETE /devices/me": asDevice(),
  "POST /devices/me/rotate": asDevice(),
  "POST /events": withNew(
    "device",
    ({ token }, idOf) => ({
      credential: token,
      body: {
        events: [{ id: randomUUID(), type: "enter", location_id: idOf("location"), occurred_at: now }],
      },
    }),
    { "events.0.location_id": "location" },
  ),
  "GET /messages": plain({ query: { limit: "1" } }),
  "POST /messages/:message/opened": onMessage(),
  "POST /messages/:message/clicked": onMessage({ occurred_at: now }),
  "POST /messages/:message/answers": withNew(
    "surveyed",
    ({ choice, message, question, token }) => ({
      params: { message },
      credential: token,
      body: { answers: [{ question_id: question, value: choice }] },
    }),
    { "answers.0.question_id": "question", "answers.0.value": "choice" },
  ),
  "GET /push-key": plain(),
  "GET /geofences": plain({ query: { lat: "52.37", lng: "4.9", limit: "5" } }),
  "POST /positions": asDevice({
    positions: [{ latitude: 52.37, longitude: 4.9, accuracy_meters: 10, recorded_at: now }],
  }),
};

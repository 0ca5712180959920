import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { testStart } from "../TestWaypost.ts";
import type { Example, Examples } from "./Example.ts";

const now = new Date(testStart).toISOString();

const asDevice = (body?: unknown): Example => ({
  request: ({ make }) => Effect.map(make.device, ({ token }) => ({ credential: token, body })),
});

const onMessage: Example = {
  request: ({ make }) =>
    Effect.map(make.surveyed, ({ message, token }) => ({ params: { message }, credential: token })),
};

/** How to use each endpoint of the device interface. */
export const deviceExamples: Examples = {
  "PUT /devices/:installation_id": {
    request: () =>
      Effect.sync(() => ({
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
  },
  "PATCH /devices/me": asDevice({ attributes: { plan: null }, locale: "de-DE" }),
  "DELETE /devices/me": asDevice(),
  "POST /devices/me/rotate": asDevice(),
  "POST /events": {
    request: ({ make, resources }) =>
      Effect.map(make.device, ({ token }) => ({
        credential: token,
        body: {
          events: [{ id: randomUUID(), type: "enter", location_id: resources["location"], occurred_at: now }],
        },
      })),
    idKinds: { "events.0.location_id": "location" },
  },
  "GET /messages": { request: () => Effect.succeed({ query: { limit: "1" } }) },
  "POST /messages/:message/opened": onMessage,
  "POST /messages/:message/clicked": {
    request: ({ make }) =>
      Effect.map(make.surveyed, ({ message, token }) => ({
        params: { message },
        credential: token,
        body: { occurred_at: now },
      })),
  },
  "POST /messages/:message/answers": {
    request: ({ make }) =>
      Effect.map(make.surveyed, ({ choice, message, question, token }) => ({
        params: { message },
        credential: token,
        body: { answers: [{ question_id: question, value: choice }] },
      })),
    idKinds: { "answers.0.question_id": "question", "answers.0.value": "choice" },
  },
  "GET /push-key": { request: () => Effect.succeed({}) },
  "GET /geofences": { request: () => Effect.succeed({ query: { lat: "52.37", lng: "4.9", limit: "5" } }) },
  "POST /positions": {
    request: ({ make }) =>
      Effect.map(make.device, ({ token }) => ({
        credential: token,
        body: { positions: [{ latitude: 52.37, longitude: 4.9, accuracy_meters: 10, recorded_at: now }] },
      })),
  },
};

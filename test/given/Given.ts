import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { collection, pointFeature } from "../locations/Features.ts";
import type { Answer, Ask } from "../TestWaypost.ts";
import { campaignBody, gold, message, notificationBody, sentBody } from "./GivenBodies.ts";

/** Sends requests to an interface. */
export type Asks = (path: string, ask?: Ask) => Effect.Effect<Answer>;

/** The data of a success. Throws for a refusal. */
export const ok = ({ body, status }: Answer): any => {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
};

/** Makers in one environment through its platform API. Each takes fields that differ from its defaults. */
export const given = (platform: Asks) => {
  /** Makes a resource; gives its id. */
  const made = (path: string, body: object) =>
    Effect.map(platform(path, { body }), (answer) => ok(answer).id as string);
  const locations = (...features: ReadonlyArray<object>) =>
    Effect.map(platform("/locations/import", { body: collection(...features) }), (answer) =>
      (ok(answer).results as Array<{ readonly id: string }>).map(({ id }) => id),
    );
  const campaign = (fields: object = {}) => made("/campaigns", campaignBody(fields));
  const onto = (id: string, body: object) => made(`/campaigns/${id}/notifications`, body);
  return {
    platform,
    locations,
    location: (properties: object = {}) =>
      Effect.map(locations(pointFeature({ name: "Store", ...properties })), ([id = ""]) => id),
    campaign,
    /** A push campaign, by default of today in UTC. */
    push: (fields: object = {}) => campaign({ type: "push", ...fields }),
    /** A message on a campaign, by default on entering. */
    notification: (id: string, fields: object = {}) => onto(id, notificationBody(fields)),
    /** A message on a push campaign at a time of day. */
    sent: (id: string, at: string, fields: object = {}) => onto(id, sentBody(at, fields)),
    /** Replaces the fields of a campaign. */
    change: (id: string, fields: object = {}) =>
      platform(`/campaigns/${id}`, { method: "PATCH", body: campaignBody(fields) }),
    /** Replaces the fields of a message on a campaign. */
    edit: (id: string, notification: string, fields: object = {}) =>
      platform(`/campaigns/${id}/notifications/${notification}`, {
        method: "PATCH",
        body: notificationBody(fields),
      }),
    /** A message on no campaign. */
    content: (fields: object = {}) => made("/notifications", { ...message, ...fields }),
    /** By default, of the devices whose plan is gold. */
    segment: (fields: object = {}) =>
      made("/segments", { name: `Segment ${randomUUID()}`, rule: gold, ...fields }),
  };
};

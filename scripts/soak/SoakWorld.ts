/** The workspace of a soak test, made by the API alone. */
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import {
  ask,
  dayFromNow,
  newWorkspace,
  note,
  pushCampaign,
  registerDevices,
  send,
  type ServiceWorkspace,
} from "../bench/ServiceApi.ts";

/** The workspace of a soak test. */
export interface SoakWorld extends ServiceWorkspace {
  readonly deviceTokens: ReadonlyArray<string>;
  readonly locationIds: ReadonlyArray<string>;
  readonly segmentId: string;
}

/** Locations lie on a grid of this many columns, a hundredth of a degree apart, from this corner on. */
export const grid = { columns: 20, rows: 10, step: 0.01, latitude: 52, longitude: 4.5 };

const locationGrid = () => ({
  type: "FeatureCollection",
  features: Array.from({ length: grid.columns * grid.rows }, (_, index) => ({
    type: "Feature",
    geometry: {
      type: "Point",
      coordinates: [
        Number((grid.longitude + (index % grid.columns) * grid.step).toFixed(4)),
        Number((grid.latitude + Math.floor(index / grid.columns) * grid.step).toFixed(4)),
      ],
    },
    properties: { name: `Store ${index}`, radius: 200, group: `Region ${index % 4}`, external_id: index },
  })),
});

/** Creates a workspace with devices, a grid of locations, four geo campaigns, segment and webhook. */
export const soakWorld = Effect.fnUntraced(function* (origin: string, receiver: string, devices: number) {
  const nouns = ["campaigns", "notifications", "locations", "webhooks", "segments", "devices"];
  const workspace = yield* newWorkspace(origin, [
    "reports:read",
    "sends:read",
    ...nouns.flatMap((noun) => [`${noun}:read`, `${noun}:write`]),
  ]);
  const { platform, token } = workspace;
  const { results } = yield* ask(`${platform}/locations/import`, token, locationGrid());
  for (let region = 0; region < 4; region++) {
    const campaign = yield* ask(`${platform}/campaigns`, token, {
      name: `Region ${region}`,
      type: "geo",
      timezone: "Europe/Amsterdam",
      starts_at: dayFromNow(0),
      location_group_names: [`Region ${region}`],
      ...(region === 0 ? {} : { frequency_cap_count: region * 5, frequency_cap_period: "day" }),
    });
    const message = { ...note, trigger_type: region === 3 ? "on_exit" : "on_enter" };
    yield* ask(`${platform}/campaigns/${campaign.id}/notifications`, token, message);
  }
  const rule = { match: "all", conditions: [{ attribute: "vip", op: "eq", value: true }] };
  const segment = yield* ask(`${platform}/segments`, token, { name: "vip", rule });
  yield* ask(`${platform}/webhooks`, token, { url: receiver, events: ["*"], batch: true });
  const registered = yield* registerDevices(workspace, devices, (index) => ({
    attributes: { vip: index % 5 === 0 },
  }));
  return {
    ...workspace,
    deviceTokens: registered.map(({ device_token }) => device_token),
    locationIds: results.map(({ id }) => id),
    segmentId: segment.id,
  } satisfies SoakWorld;
});

/** Plans a send to the devices of the segment for two minutes from now. */
export const planSend = (world: SoakWorld): Promise<string> => {
  const due = new Date(Date.now() + 120_000).toISOString();
  const fields = {
    name: `Send of ${due}`,
    starts_at: due.slice(0, 10),
    segmentation_ids: [world.segmentId],
  };
  return Effect.runPromise(pushCampaign(world, fields, due.slice(11, 16)));
};

/** Creates a campaign four times at once with one key, deletes it, and fails unless all four are one. */
export const createOnce = async ({ platform, token }: SoakWorld): Promise<void> => {
  const key = randomUUID();
  const body = { name: key, type: "push", timezone: "UTC", starts_at: "2099-01-01" };
  const create = () =>
    send("POST", `${platform}/campaigns`, token, body, { "idempotency-key": key }).then(({ id }) => id);
  const ids = new Set([...(await Promise.all([create(), create(), create()])), await create()]);
  if (ids.size !== 1) throw new Error(`One key has created ${ids.size} campaigns`);
  await send("DELETE", `${platform}/campaigns/${[...ids][0] ?? ""}`, token);
};

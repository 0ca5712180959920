/** The workspace of a soak test, made by the API alone. */
import { createHash, randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { exchange } from "../bench/PacedLoad.ts";

/** The operator key of the service under test. */
export const operatorKey = "soak-operator-key-of-the-process-0123456789";

/** Addresses and credentials of the workspace. */
export interface SoakWorld {
  readonly platform: string;
  readonly device: string;
  /** The workspace in the operator interface. */
  readonly operator: string;
  readonly token: string;
  readonly deviceTokens: ReadonlyArray<string>;
  readonly locationIds: ReadonlyArray<string>;
  readonly segmentId: string;
}

/** Locations lie on a grid of this many columns, a hundredth of a degree apart, from this corner on. */
export const grid = { columns: 20, rows: 10, step: 0.01, latitude: 52, longitude: 4.5 };

interface Created {
  readonly id: string;
  readonly token: string;
  readonly sdk_key: string;
  readonly device_token: string;
  readonly results: ReadonlyArray<{ readonly id: string }>;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Sends a request, and gives its `data`. Fails unless it succeeds. */
export const ask = async (
  method: string,
  url: string,
  token: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Created> => {
  const sent = { method, url, token, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const { status, text } = await exchange(agent, sent);
  if (status < 200 || status > 299) throw new Error(`${method} ${url} is answered ${status}: ${text}`);
  return (text === "" ? {} : (JSON.parse(text) as { readonly data: Created }).data) as Created;
};

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

/** The text of a message. */
const note = { name: "Note", type: "message", headline: "Hello", body: "World" };

/** Creates a workspace with devices, a grid of locations, four geo campaigns, segment and webhook. */
export const soakWorld = async (origin: string, receiver: string, devices: number): Promise<SoakWorld> => {
  const workspaces = `${origin}/operator/v1/workspaces`;
  const plan = {
    max_campaigns: null,
    production_requests_per_minute: null,
    production_writes_per_minute: null,
    production_requests_per_day: null,
  };
  const { id } = await ask("POST", workspaces, operatorKey, { name: `Soak ${randomUUID()}`, plan });
  const operator = `${workspaces}/${id}`;
  await ask("PATCH", operator, operatorKey, { platform_api_enabled: true });
  const abilities = ["campaigns", "notifications", "locations", "webhooks", "segments", "devices"];
  const { token } = await ask("POST", `${operator}/tokens`, operatorKey, {
    name: "Soak",
    environment: "production",
    abilities: [
      "reports:read",
      "sends:read",
      ...abilities.flatMap((each) => [`${each}:read`, `${each}:write`]),
    ],
  });
  const platform = `${origin}/platform/v1`;
  const { results } = await ask("POST", `${platform}/locations/import`, token, locationGrid());
  const starts_at = new Date().toISOString().slice(0, 10);
  for (let region = 0; region < 4; region++) {
    const campaign = await ask("POST", `${platform}/campaigns`, token, {
      name: `Region ${region}`,
      type: "geo",
      timezone: "Europe/Amsterdam",
      starts_at,
      location_group_names: [`Region ${region}`],
      ...(region === 0 ? {} : { frequency_cap_count: region * 5, frequency_cap_period: "day" }),
    });
    const message = { ...note, trigger_type: region === 3 ? "on_exit" : "on_enter" };
    await ask("POST", `${platform}/campaigns/${campaign.id}/notifications`, token, message);
  }
  const rule = { match: "all", conditions: [{ attribute: "vip", op: "eq", value: true }] };
  const segment = await ask("POST", `${platform}/segments`, token, { name: "vip", rule });
  await ask("POST", `${platform}/webhooks`, token, { url: receiver, events: ["*"], batch: true });
  const { sdk_key } = await ask("POST", `${operator}/production/sdk-keys`, operatorKey, { name: "Soak" });
  const deviceTokens: Array<string> = [];
  for (let index = 0; index < devices; index++) {
    const url = `${origin}/device/v1/devices/soak-${index}`;
    const body = { platform: "ios", attributes: { vip: index % 5 === 0 } };
    deviceTokens.push((await ask("PUT", url, sdk_key, body)).device_token);
  }
  const device = `${origin}/device/v1`;
  const locationIds = results.map((each) => each.id);
  return { platform, device, operator, token, deviceTokens, locationIds, segmentId: segment.id };
};

/** Plans a send to the devices of the segment for two minutes from now. */
export const planSend = async ({ platform, segmentId, token }: SoakWorld): Promise<void> => {
  const due = new Date(Date.now() + 120_000).toISOString();
  const campaign = await ask("POST", `${platform}/campaigns`, token, {
    name: `Send of ${due}`,
    type: "push",
    timezone: "UTC",
    starts_at: due.slice(0, 10),
    segmentation_ids: [segmentId],
  });
  await ask("POST", `${platform}/campaigns/${campaign.id}/notifications`, token, {
    ...note,
    trigger_type: "fixed_time",
    trigger_config: { send_at: due.slice(11, 16) },
  });
};

/** Creates a campaign four times at once with one key, deletes it, and fails unless all four are one. */
export const createOnce = async ({ platform, token }: SoakWorld): Promise<void> => {
  const key = createHash("sha256").update(randomUUID()).digest("hex").slice(0, 32);
  const body = { name: key, type: "push", timezone: "UTC", starts_at: "2099-01-01" };
  const create = () =>
    ask("POST", `${platform}/campaigns`, token, body, { "idempotency-key": key }).then(({ id }) => id);
  const ids = new Set([...(await Promise.all([create(), create(), create()])), await create()]);
  if (ids.size !== 1) throw new Error(`One key has created ${ids.size} campaigns`);
  await ask("DELETE", `${platform}/campaigns/${[...ids][0] ?? ""}`, token);
};

/** Requests that set up a Waypost for a script. Any error of the service is a defect. */
import { Effect } from "effect";

/** The operator key of the measured processes. */
export const operatorKey = "operator-key-of-the-measured-processes";
/** Their secret key. */
export const secretKey = "secret-key-of-the-measured-processes";

/** A created resource: its id, or a credential that is shown once, or the results of an import. */
export interface Created {
  readonly id: string;
  readonly token: string;
  readonly sdk_key: string;
  readonly device_token: string;
  readonly secret: string;
  readonly results: ReadonlyArray<{ readonly id: string }>;
}

/** Sends a request, and gives the `data` of its response. */
export const send = async <A = Created>(
  method: string,
  url: string,
  token: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<A> => {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return (text === "" ? {} : (JSON.parse(text) as { readonly data: A }).data) as A;
};

/** The same as an effect. */
export const ask = (
  url: string,
  token: string,
  body: object,
  method: "POST" | "PUT" | "PATCH" | "DELETE" = "POST",
) => Effect.promise(() => send(method, url, token, body));

/** Addresses and credentials of a workspace. */
export interface ServiceWorkspace {
  readonly id: string;
  readonly token: string;
  readonly sdkKey: string;
  /** Its addresses in the three interfaces. */
  readonly operator: string;
  readonly platform: string;
  readonly device: string;
}

/** Creates a workspace with high limits, with the full API, and a token and an SDK key of an environment. */
export const newWorkspace = (
  origin: string,
  abilities: ReadonlyArray<string>,
  environment: "sandbox" | "production" = "production",
  key: string = operatorKey,
) =>
  Effect.promise(async (): Promise<ServiceWorkspace> => {
    const workspaces = `${origin}/operator/v1/workspaces`;
    // Limits that are never reached, so that they are counted.
    const plan = {
      max_campaigns: 1_000_000,
      max_locations: 1_000_000,
      max_notifications: 1_000_000,
      [`${environment}_requests_per_minute`]: null,
      [`${environment}_writes_per_minute`]: null,
      [`${environment}_requests_per_day`]: 1_000_000_000,
      device_requests_per_minute: null,
      device_events_per_minute: null,
    };
    const name = "Measured";
    const { id } = await send("POST", workspaces, key, { name, plan });
    const operator = `${workspaces}/${id}`;
    await send("PATCH", operator, key, { platform_api_enabled: true });
    const draft = { name, environment, abilities };
    const { token } = await send("POST", `${operator}/tokens`, key, draft);
    const { sdk_key } = await send("POST", `${operator}/${environment}/sdk-keys`, key, { name });
    const base = environment === "sandbox" ? `${origin}/sandbox` : origin;
    return {
      id,
      token,
      sdkKey: sdk_key,
      operator,
      platform: `${base}/platform/v1`,
      device: `${base}/device/v1`,
    };
  });

/** The UTC day so many days from now. */
export const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** The text of a message. */
export const note = { name: "Note", type: "message", headline: "Hello", body: "World" };

/** Creates a push campaign of tomorrow with a message at noon or another time, and gives its id. */
export const pushCampaign = Effect.fnUntraced(function* (
  { platform, token }: Pick<ServiceWorkspace, "platform" | "token">,
  fields: object = {},
  send_at: string = "12:00",
  content: object = {},
) {
  const campaigns = `${platform}/campaigns`;
  const draft = { name: "Push", type: "push", timezone: "UTC", starts_at: dayFromNow(1), ...fields };
  const { id } = yield* ask(campaigns, token, draft);
  const trigger = { trigger_type: "fixed_time", trigger_config: { send_at } };
  yield* ask(`${campaigns}/${id}/notifications`, token, { ...note, ...content, ...trigger });
  return id;
});

/** An import of one location. */
const oneStore = {
  type: "FeatureCollection",
  features: [
    {
      type: "Feature",
      geometry: { type: "Point", coordinates: [4.9, 52.37] },
      properties: { name: "Store", radius: 100 },
    },
  ],
};

/** Creates a location, and a campaign of today with a message for those who enter it. Gives their ids. */
export const geoCampaign = Effect.fnUntraced(function* (
  { platform, token }: ServiceWorkspace,
  fields: object = {},
  content: object = {},
) {
  const { results } = yield* ask(`${platform}/locations/import`, token, oneStore);
  const location = results[0]?.id ?? "";
  const starts = { timezone: "UTC", starts_at: dayFromNow(0), location_ids: [location] };
  const campaign = yield* ask(`${platform}/campaigns`, token, {
    name: "Geo",
    type: "geo",
    ...starts,
    ...fields,
  });
  const message = { ...note, ...content, trigger_type: "on_enter" };
  const notification = yield* ask(`${platform}/campaigns/${campaign.id}/notifications`, token, message);
  return { location, campaign: campaign.id, notification: notification.id };
});

/** Registers so many devices, `phone-0` and on. */
export const registerDevices = (
  { device, sdkKey }: ServiceWorkspace,
  count: number,
  fields: (index: number) => object = () => ({}),
) =>
  Effect.forEach(Array.from({ length: count }).keys(), (index) =>
    ask(`${device}/devices/phone-${index}`, sdkKey, { platform: "ios", ...fields(index) }, "PUT"),
  );

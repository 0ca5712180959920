/** Reports of devices and changes by people while nodes of the cluster are killed. */
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { workspaceKey } from "../../bench/BenchRows.ts";
import { ask, dayFromNow, geoCampaign, newWorkspace, registerDevices } from "../../bench/ServiceApi.ts";
import type { Requests } from "./Requests.ts";

interface Dice {
  readonly nextDoubleUnsafe: () => number;
}

/** A device that reports events. */
interface Phone {
  readonly id: string;
  readonly token: string;
}

/** A workspace that gets events and writes, and what it was sent and has answered. */
export interface WriteWorld {
  readonly origin: string;
  readonly workspaceId: number;
  readonly token: string;
  readonly sdkKey: string;
  readonly location: string;
  readonly campaign: string;
  readonly notification: string;
  readonly phones: ReadonlyArray<Phone>;
  /** The types of the reported events, by id. */
  readonly events: Map<string, "enter" | "exit">;
  /** Events that an answer counted as new although they had been answered before. */
  countedTwice: number;
  /** Messages that were opened. */
  readonly opened: Set<string>;
  /** Names of created campaigns and segments. */
  readonly names: Set<string>;
  /** Messages of test sends. */
  readonly tests: Set<string>;
  readonly installations: Set<string>;
  /** Changes of the approval of each of the first phones. */
  readonly approvals: Array<number>;
}

const phoneCount = 7;
/** Writers of a workspace. Each changes the approval of a phone of its own, which reports nothing. */
export const writers = [0, 1];

/** Creates a workspace with a location, a campaign that fires there, a webhook, and phones. */
export const prepareWriteWorld = Effect.fnUntraced(function* (origin: string, webhookUrl: string) {
  const workspace = yield* newWorkspace(origin, [
    ...["campaigns", "notifications", "locations", "segments", "devices", "webhooks"].map(
      (each) => `${each}:write`,
    ),
    "reports:read",
  ]);
  const { platform, sdkKey, token } = workspace;
  const workspaceId = yield* workspaceKey(workspace.id);
  const events = ["location.entered", "location.exited", "message.opened"];
  const { secret } = yield* ask(`${platform}/webhooks`, token, { url: webhookUrl, events, batch: true });
  const { campaign, location, notification } = yield* geoCampaign(workspace);
  const registered = yield* registerDevices(workspace, phoneCount);
  const phones = registered.map(({ device_token, id }): Phone => ({ id, token: device_token }));
  const world: WriteWorld = {
    origin,
    workspaceId,
    token,
    sdkKey,
    location,
    campaign,
    notification,
    phones,
    events: new Map(),
    countedTwice: 0,
    opened: new Set(),
    names: new Set(["Geo"]),
    tests: new Set(),
    installations: new Set(phones.map((_, index) => `phone-${index}`)),
    approvals: writers.map(() => 0),
  };
  return { world, secret };
});

/** The phones that report events. */
export const reportingPhones = ({ phones }: WriteWorld) => phones.slice(writers.length);

const headers = (token: string) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" });

interface Outcome {
  readonly accepted: number;
  readonly duplicates: number;
  readonly deliveries: ReadonlyArray<{ readonly id: string }>;
}

/** Reports events of a phone, some of them again, and opens some of the messages, until it is over. */
export const reportEvents = async (
  world: WriteWorld,
  phone: Phone,
  requests: Requests,
  dice: Dice,
  isOver: () => boolean,
): Promise<void> => {
  const url = `${world.origin}/device/v1`;
  const post = (path: string, body?: object, pending?: number) => {
    const init = {
      method: "POST",
      headers: headers(phone.token),
      ...(body && { body: JSON.stringify(body) }),
    };
    return requests.succeed<Outcome>(`${url}${path}`, init, pending);
  };
  for (let isInside = false; !isOver();) {
    const events = Array.from({ length: 1 + Math.floor(dice.nextDoubleUnsafe() * 3) }, () => {
      isInside = !isInside;
      const type = isInside ? ("enter" as const) : ("exit" as const);
      return { id: randomUUID(), type, location_id: world.location, occurred_at: new Date().toISOString() };
    });
    for (const { id, type } of events) world.events.set(id, type);
    const { accepted, deliveries, duplicates } = await post("/events", { events });
    if (accepted + duplicates !== events.length) throw new Error("Some events were rejected");
    if (dice.nextDoubleUnsafe() < 0.2) world.countedTwice += (await post("/events", { events })).accepted;
    for (const { id } of deliveries) {
      if (dice.nextDoubleUnsafe() >= 0.3) continue;
      // The message can be answered before the node that has it has committed it.
      await post(`/messages/${id}/opened`, undefined, 404);
      world.opened.add(id);
    }
    await delay(20 + dice.nextDoubleUnsafe() * 100);
  }
};

/** Writes through the platform and device interfaces, each with a key of its own, until it is over. */
export const write = async (
  world: WriteWorld,
  writer: number,
  requests: Requests,
  dice: Dice,
  isOver: () => boolean,
): Promise<void> => {
  const platform = `${world.origin}/platform/v1`;
  const send = <A>(method: string, url: string, token: string, body: object, pending?: number) =>
    requests.succeed<A>(
      url,
      {
        method,
        headers: { ...headers(token), "idempotency-key": randomUUID() },
        body: JSON.stringify(body),
      },
      pending,
    );
  const register = async (name: string) => {
    const url = `${world.origin}/device/v1/devices/${name}`;
    const device = await send<{ readonly id: string }>("PUT", url, world.sdkKey, { platform: "web" });
    world.installations.add(name);
    return device;
  };
  const phone = world.phones[writer];
  let isApproved = false;
  const writes = [
    async (name: string) => {
      const campaign = { name, type: "push", timezone: "UTC", starts_at: dayFromNow(1) };
      await send("POST", `${platform}/campaigns`, world.token, campaign);
      world.names.add(name);
    },
    async (name: string) => {
      const rule = { match: "all", conditions: [{ attribute: "platform", op: "eq", value: "ios" }] };
      await send("POST", `${platform}/segments`, world.token, { name, rule });
      world.names.add(name);
    },
    async (name: string) => {
      // Of a device of its own: one gets at most 20 tests an hour.
      const device = await register(name);
      await send("PATCH", `${platform}/devices/${device.id}`, world.token, { approved: true }, 404);
      const url = `${platform}/campaigns/${world.campaign}/notifications/${world.notification}/test`;
      const body = { device_ids: [device.id] };
      for (const { id } of (await send<Outcome>("POST", url, world.token, body, 422)).deliveries)
        world.tests.add(id);
    },
    async () => {
      isApproved = !isApproved;
      await send("PATCH", `${platform}/devices/${phone?.id}`, world.token, { approved: isApproved });
      world.approvals[writer] = (world.approvals[writer] ?? 0) + 1;
    },
    register,
  ];
  while (!isOver()) {
    for (const each of writes) {
      await each(randomUUID());
      await delay(10 + dice.nextDoubleUnsafe() * 50);
    }
  }
};

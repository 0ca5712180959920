/**
 * Makes one workspace whose events fire a thousand messages each, and has devices report a hundred of them in
 * a request: custom events, enters, and custom events with long words (contract TR1). They send again what
 * was later, or was not answered. Measures the events of another workspace meanwhile, and the memory of the
 * process. Exit code 1 if a request fails, a message is lost or doubled, or a neighbour notices it.
 *
 *     node scripts/attack/messages.ts http://127.0.0.1:8080 OPERATOR_KEY
 */
import { randomUUID } from "node:crypto";
import process from "node:process";
import { send } from "../bench/ServiceApi.ts";
import { type Device, Expectations, newTenant, removeTenants, targetOf, whileAttacked } from "./Target.ts";

const [bar, maxBytes] = [{ p95: 500, longest: 2_000 }, 600e6];
const target = targetOf(process.argv.slice(2));
const expectations = new Expectations();
const [attacker, neighbour] = [await newTenant(target), await newTenant(target)];
const own = await neighbour.newDevice();

await send("PATCH", attacker.operator, target.operatorKey, {
  plan: { max_notifications: 10_000, max_notifications_per_campaign: 1_000 },
});

const now = new Date().toISOString();

const made = async (path: string, body: object): Promise<string> => {
  const reply = await attacker.asks("POST", path, body);
  if (reply.status !== 201) throw new Error(`${reply.status} ${JSON.stringify(reply.body).slice(0, 300)}`);
  return (reply.body as { readonly data: { readonly id: string } }).data.id;
};

/** Notifications of event campaigns on a name, of ten languages with so many characters each. */
const notifications = async (event: string, campaigns: number, each: number, characters: number) => {
  for (let number = 0; number < campaigns; number++) {
    const draft = {
      name: event + String(number),
      type: "event",
      timezone: "UTC",
      starts_at: now.slice(0, 10),
    };
    const campaign = await made("/campaigns", draft);
    const words = { headline: "Hello", body: "x".repeat(Math.max(1, characters)) };
    const languages = characters === 0 ? [] : ["nl", "de", "fr", "es", "it", "pt", "da", "sv", "fi"];
    for (let index = 0; index < each; index++)
      await made(`/campaigns/${campaign}/notifications`, {
        name: "Note",
        type: "message",
        ...words,
        trigger_type: "on_event",
        trigger_config: { event },
        translations:
          languages.length === 0 ? null : Object.fromEntries(languages.map((tag) => [tag, words])),
      });
  }
};

interface Answer {
  readonly accepted: number;
  readonly duplicates: number;
  readonly later?: ReadonlyArray<number>;
  readonly deliveries: ReadonlyArray<unknown>;
}

/** Posts events until all are worked: what is later again, and all of a request that failed. */
const reports = async (device: Device, events: ReadonlyArray<object>) => {
  const statuses: Array<number> = [];
  let [rest, accepted, longest, bytes] = [events, 0, 0, 0];
  while (rest.length > 0 && statuses.length < 200) {
    const since = performance.now();
    const response = await fetch(`${attacker.device}/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${device.token}`, "content-type": "application/json" },
      body: JSON.stringify({ events: rest }),
    });
    const text = await response.text();
    longest = Math.max(longest, performance.now() - since);
    bytes = Math.max(bytes, text.length);
    statuses.push(response.status);
    if (response.status !== 200) continue;
    const { data } = JSON.parse(text) as { readonly data: Answer };
    accepted += data.accepted + data.duplicates;
    rest = (data.later ?? []).flatMap((index) => rest[index] ?? []);
  }
  return { statuses, accepted, longest, bytes };
};

const memory = async (): Promise<number> => {
  const response = await fetch(`${target.origin}/metrics`, {
    headers: { authorization: `Bearer ${target.operatorKey}` },
  });
  return Number(/^waypost_memory_bytes\S* (\S+)$/m.exec(await response.text())?.[1] ?? NaN);
};

const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

const trial = async (name: string, devices: number, event: () => object, count: number): Promise<void> => {
  const phones = await Promise.all(Array.from({ length: devices }, attacker.newDevice));
  const before = await memory();
  let peak = 0;
  const timer = setInterval(() => void memory().then((bytes) => (peak = Math.max(peak, bytes))), 250);
  const since = performance.now();
  const { noticed, result } = await whileAttacked(neighbour, own, () =>
    Promise.all(phones.map((phone) => reports(phone, Array.from({ length: count }, event)))),
  ).finally(() => clearInterval(timer));
  const statuses = result.flatMap((each) => each.statuses);
  const [longest, bytes] = [result.map((each) => each.longest), result.map((each) => each.bytes)];
  expectations.expect(
    `${name}: every request is 200`,
    `${statuses.length} requests, ${[...new Set(statuses)].join(", ")}, the longest ` +
      `${(Math.max(...longest) / 1_000).toFixed(1)} s, the largest answer ${Math.max(...bytes)} bytes, all ` +
      `in ${((performance.now() - since) / 1_000).toFixed(1)} s`,
    statuses.every((status) => status === 200) && Math.max(...bytes) < 2e6,
  );
  const accepted = result.reduce((sum, each) => sum + each.accepted, 0);
  expectations.expect(`${name}: all events count`, String(accepted), accepted === devices * count);
  expectations.expect(
    `${name}: memory`,
    `${inMegabytes(peak)}, before it ${inMegabytes(before)}`,
    peak < maxBytes,
  );
  expectations.expectCalm(name, noticed, bar);
};

const custom = (name: string) => () => ({ id: randomUUID(), type: "custom", name, occurred_at: now });
const enter = () => ({ id: randomUUID(), type: "enter", location_id: attacker.location, occurred_at: now });

await notifications("basket", 50, 20, 0);
await trial("A device with 100 events of 1,000 messages", 1, custom("basket"), 100);
await trial("Six devices with 100 such events", 6, custom("basket"), 100);
for (let number = 0; number < 399; number++)
  await made(`/campaigns/${attacker.campaign}/notifications`, {
    name: "Note",
    type: "message",
    headline: "Hello",
    body: "x",
    trigger_type: "on_enter",
  });
await trial("A device with 50 enters of 400 messages", 1, enter, 50);
await notifications("novel", 3, 100, 90_000);
await trial("A device with 5 events of 300 long messages", 1, custom("novel"), 5);

await removeTenants(target, [attacker, neighbour]);
expectations.end();

/**
 * Sends templates that are slow to parse, as previews, as notifications and by events that fire them, and
 * measures the events of another workspace meanwhile (contract O1.11, O1.12). Prints what it expects and what
 * it got. Exit code 1 if that differs.
 *
 *     node scripts/attack/parsing.ts http://127.0.0.1:8080 OPERATOR_KEY
 */
import process from "node:process";
import {
  type Device,
  Expectations,
  newTenant,
  type NoticedBar,
  type Reply,
  removeTenants,
  targetOf,
  type Tenant,
  whileAttacked,
} from "./Target.ts";

/** A body has room for 100,000 characters; what makes each text another one takes ten. */
const maxLength = 99_990;
const bar: NoticedBar = { p95: 500, longest: 2_000 };
/** A template may make its own request slow, but not for so long, in milliseconds. */
const maxOwnMillis = 5_000;

const filled = (before: string, each: string, after: string): string =>
  before + each.repeat(Math.floor((maxLength - before.length - after.length) / each.length)) + after;
const tags = ["nl", "de", "fr", "es", "it", "pt", "da", "sv", "fi"];
const inLanguages = (count: number, body: string): object =>
  Object.fromEntries(tags.slice(0, count).map((tag) => [tag, { body }]));
/** The slowest text that is allowed: a thousand tags in 100,000 characters. */
const slowest = (number: number): string =>
  `{{ device.attributes.n${number} | default: 'there' | append: '!!' | upcase }}`.repeat(1_000);

interface Trial {
  readonly name: string;
  /** With a text that no other one has, so that none is parsed already. */
  readonly fields: (seed: string) => object;
  /** The status of its preview. Saved, it is 201 instead of 200. */
  readonly status: 200 | 422;
}

const trials: ReadonlyArray<Trial> = [
  {
    name: "nine translations of 16,500 tags",
    fields: (seed) => ({ translations: inLanguages(9, seed + "{{1}} ".repeat(16_500)) }),
    status: 422,
  },
  {
    name: "one text of 16,500 tags",
    fields: (seed) => ({ body: seed + "{{1}} ".repeat(16_500) }),
    status: 422,
  },
  {
    name: "16,500 tags in raw text",
    fields: (seed) => ({ body: seed + filled("{% raw %}", "{{1}}", "{% endraw %}") }),
    status: 422,
  },
  {
    name: "tags that are never closed",
    fields: (seed) => ({ body: seed + filled("", "{% if 1 %}", "") }),
    status: 422,
  },
  {
    name: "one tag of 33,000 values",
    fields: (seed) => ({ body: seed + filled("{{ 1 | append: ", "1, ", "1 }}") }),
    status: 422,
  },
  {
    name: "one tag of 25,000 comparisons",
    fields: (seed) => ({ body: seed + filled("{% if ", "a>b ", "%}{% endif %}") }),
    status: 422,
  },
  {
    name: "five translations of 90,000 characters",
    fields: (seed) => ({ translations: inLanguages(5, seed + "a".repeat(90_000)) }),
    status: 422,
  },
  {
    name: "one tag of 10,000 filters",
    fields: (seed) => ({ body: seed + filled("{{ 'a'", " | upcase", " }}") }),
    status: 200,
  },
  { name: "1,000 tags in 100,000 characters", fields: (seed) => ({ body: seed + slowest(0) }), status: 200 },
  {
    name: "5,000 tags in five languages",
    fields: (seed) => ({ translations: inLanguages(5, seed + "{{1}} ".repeat(1_000)) }),
    status: 200,
  },
];

const message = { name: "Slow", type: "message", template: "liquid", headline: "Hello", body: "x" };

let seed = 0;
const notificationsOf = ({ campaign }: Tenant): string => `/campaigns/${campaign}/notifications`;

/** Three rounds of six previews at once, or one notification. */
const attackBy = async (
  attacker: Tenant,
  { fields, name, status }: Trial,
  kind: "preview" | "save",
  expectations: Expectations,
): Promise<void> => {
  const once = () => {
    const notification = { ...message, ...fields(String(++seed)) };
    return kind === "preview"
      ? attacker.asks("POST", "/notifications/preview", { notification })
      : attacker.asks("POST", notificationsOf(attacker), { ...notification, trigger_type: "on_exit" });
  };
  const replies: Array<Reply> = [];
  for (let round = 0; round < (kind === "preview" ? 3 : 1); round++)
    replies.push(...(await Promise.all(Array.from({ length: kind === "preview" ? 6 : 1 }, once))));
  const expected = kind === "save" && status === 200 ? 201 : status;
  const longest = Math.max(...replies.map(({ millis }) => millis));
  expectations.expect(
    `${kind} of ${name} is ${expected} within ${maxOwnMillis} ms`,
    `${[...new Set(replies.map((each) => each.status))].join(", ")} in ${longest.toFixed(0)} ms`,
    replies.every((each) => each.status === expected) && longest <= maxOwnMillis,
  );
};

/** Sixteen notifications that are as slow as allowed, and eight devices that enter ten times each. */
const attackByEvents = async (
  attacker: Tenant,
  devices: ReadonlyArray<Device>,
): Promise<ReadonlyArray<number>> => {
  const entering = devices.map(async (device) => {
    const statuses: Array<number> = [];
    for (let round = 0; round < 10; round++)
      statuses.push((await attacker.reports(device, round % 2 === 0 ? "enter" : "exit")).status);
    return statuses;
  });
  return (await Promise.all(entering)).flat();
};

const target = targetOf(process.argv.slice(2));
const expectations = new Expectations();
const [attacker, neighbour] = [await newTenant(target), await newTenant(target)];
const device = await neighbour.newDevice();

await whileAttacked(neighbour, device, () => Promise.resolve());
const quiet = await whileAttacked(neighbour, device, () => Promise.resolve());
expectations.expectCalm("Without an attack", quiet.noticed, bar);

for (const kind of ["preview", "save"] as const) {
  const { noticed } = await whileAttacked(neighbour, device, async () => {
    for (const trial of trials) await attackBy(attacker, trial, kind, expectations);
  });
  expectations.expectCalm(`During ${kind}s`, noticed, bar);
}

const wrongLocale = await attacker.asks("POST", "/notifications/preview", {
  notification: message,
  locale: "Dutch!",
});
expectations.expect(
  "A preview in no language is 422",
  String(wrongLocale.status),
  wrongLocale.status === 422,
);

for (let number = 1; number <= 16; number++)
  await attacker.asks("POST", notificationsOf(attacker), {
    ...message,
    body: slowest(number),
    trigger_type: "on_enter",
  });
const devices = await Promise.all(Array.from({ length: 8 }, attacker.newDevice));
const { noticed, result } = await whileAttacked(neighbour, device, () => attackByEvents(attacker, devices));
expectations.expect(
  "80 events that fire sixteen slow templates are 200",
  `${result.filter((status) => status === 200).length} of ${result.length}`,
  result.every((status) => status === 200),
);
expectations.expectCalm("During events", noticed, bar);

await removeTenants(target, [attacker, neighbour]);
expectations.end();

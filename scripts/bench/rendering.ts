/**
 * The bars of templates: at least 50,000 renderings of a typical template a second and core, and the worst
 * templates that can be saved under 1 ms and 1 MB each. Compared with liquidjs alone in the same run, as the
 * machine may be busy.
 */
import { Liquid } from "liquidjs";
import process from "node:process";
import { parseTemplate } from "../../src/notifications/templates/Template.ts";
import { templateFilters } from "../../src/notifications/templates/TemplateFilters.ts";
import type { TemplateValues } from "../../src/notifications/templates/TemplateRun.ts";
import type { TimeZoneName } from "../../src/time/TimeZone.ts";
import { figure } from "./Rounds.ts";

const minPerSecond = 50_000;
const maxMillis = 1;
const maxMegabytes = 1;
const maxLength = 99_000;
const rounds = 7;

const typical =
  'Hi {{ device.attributes.name | default: "there" }}, {% if device.attributes.points >= 100 %}you have ' +
  "{{ device.attributes.points }} points{% else %}welcome{% endif %} at {{ location.name | upcase }}!";

const values: TemplateValues = {
  device: {
    attributes: { name: "Ada", points: 120, long: "ä".repeat(4_000), text: "a".repeat(4_000) },
    platform: "ios",
    locale: "nl-NL",
    timezone: "Europe/Amsterdam" as TimeZoneName,
  },
  location: { name: "Shop", address: null, external_id: null },
  event: null,
  campaign: { name: "Autumn" },
  now: 1_795_000_000_000,
};

const compiled = (text: string) => {
  const parsed = parseTemplate(text);
  if (parsed._tag === "Refused") throw new Error(JSON.stringify(parsed.problems));
  return parsed.template;
};

/** The fewest milliseconds of one call, over some rounds of `count` calls. */
const fastest = (count: number, call: () => unknown): number => {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const began = process.cpuUsage();
    for (let index = 0; index < count; index++) call();
    const { system, user } = process.cpuUsage(began);
    best = Math.min(best, (system + user) / 1000 / count);
  }
  return best;
};

/** The most bytes that one call allocates, roughly: its garbage included. */
const allocated = (call: () => unknown): number => {
  const before = process.memoryUsage().heapUsed;
  call();
  return process.memoryUsage().heapUsed - before;
};

/** Arguments that make a filter's call as expensive as it can be. */
const filterArguments: { readonly [filter: string]: string } = {
  append: ': "é"',
  prepend: ': "é"',
  replace: ': "", ""',
  remove: ': "x"',
  plus: ": 1",
  minus: ": 1",
  times: ": 1",
  divided_by: ": 1",
  date: ': "%A %B %j"',
};

/** Parts that are repeated as often as a text may have them, with what surrounds them. */
const worst: ReadonlyArray<readonly [name: string, unit: string, before?: string, after?: string]> = [
  ...[...templateFilters.keys()].flatMap((filter) =>
    ["device.attributes.points", "device.attributes.name", "device.attributes.long"].map((value) => {
      const call = ` | ${filter}${filterArguments[filter] ?? ""}`;
      return [`${filter} of ${value}`, call, `{{ ${value}`, " }}"] as const;
    }),
  ),
  ["dates", "{{ 0 | date: '%A' }}"],
  ["outputs", "{{ nil }}"],
  ["conditions", "{% if device.attributes.text contains 'ab' %}{% endif %}"],
  ["cases", "{% when device.attributes.long %}", "{% case device.attributes.text %}", "{% endcase %}"],
  ["appended texts", "{{ device.attributes.text | append: device.attributes.text | size }}"],
];

const longest = (unit: string, before = "", after = "") => {
  for (let count = Math.floor(maxLength / unit.length); ; count = Math.floor(count * 0.9)) {
    const parsed = parseTemplate(before + unit.repeat(count) + after);
    if (parsed._tag !== "Refused") return parsed.template;
  }
};

const template = compiled(typical);
const engine = new Liquid();
const nodes = engine.parse(typical);
const own = fastest(100_000, () => template.render(values));
const theirs = fastest(20_000, () => engine.renderSync(nodes, values));
figure("typical", "renderings of a typical template on one core", "a second", 1000 / own, {
  beside: ["liquidjs", 1000 / theirs],
  valueAtLeast: minPerSecond,
});

let slowest = { name: "", millis: 0 };
let largest = { name: "", bytes: 0 };
for (const [name, ...parts] of worst) {
  const { render } = longest(...parts);
  const millis = fastest(20, () => render(values));
  const bytes = allocated(() => render(values));
  if (millis > slowest.millis) slowest = { name, millis };
  if (bytes > largest.bytes) largest = { name, bytes };
}
figure("slowest", `the slowest template, ${slowest.name}`, "ms", slowest.millis, { atMost: maxMillis });
figure("largest", `garbage of a template, at most: ${largest.name}`, "MB", largest.bytes / 1e6, {
  atMost: maxMegabytes,
});

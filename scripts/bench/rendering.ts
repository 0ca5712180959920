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

const minPerSecond = 50_000;
const maxMillis = 1;
const maxBytes = 1_000_000;
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

const filled = (unit: string): string => unit.repeat(Math.floor(maxLength / unit.length));

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

const worst: ReadonlyArray<readonly [name: string, text: string]> = [
  ...[...templateFilters.keys()].flatMap((filter) =>
    ["device.attributes.points", "device.attributes.name", "device.attributes.long"].map((value) => {
      const call = ` | ${filter}${filterArguments[filter] ?? ""}`;
      return [`${filter} of ${value}`, `{{ ${value}${filled(call)} }}`] as const;
    }),
  ),
  ["dates", filled("{{ 0 | date: '%A' }}")],
  ["outputs", filled("{{ nil }}")],
  ["conditions", filled("{% if device.attributes.text contains 'ab' %}{% endif %}")],
  ["cases", `{% case device.attributes.text %}${filled("{% when device.attributes.long %}")}{% endcase %}`],
  ["appended texts", filled("{{ device.attributes.text | append: device.attributes.text | size }}")],
];

const template = compiled(typical);
const engine = new Liquid();
const nodes = engine.parse(typical);
const own = fastest(100_000, () => template.render(values));
const theirs = fastest(20_000, () => engine.renderSync(nodes, values));
const perSecond = Math.round(1000 / own);
console.log(
  `typical: ${perSecond.toLocaleString("en")} a second and core, ${(theirs / own).toFixed(1)} times liquidjs`,
);

let slowest = { name: "", millis: 0 };
let largest = { name: "", bytes: 0 };
for (const [name, text] of worst) {
  const { render } = compiled(text);
  const millis = fastest(20, () => render(values));
  const bytes = allocated(() => render(values));
  if (millis > slowest.millis) slowest = { name, millis };
  if (bytes > largest.bytes) largest = { name, bytes };
}
console.log(`slowest: ${slowest.millis.toFixed(3)} ms (${slowest.name})`);
console.log(`largest: ${largest.bytes.toLocaleString("en")} bytes (${largest.name})`);
const isMet = perSecond >= minPerSecond && slowest.millis < maxMillis && largest.bytes < maxBytes;
process.exitCode = isMet ? 0 : 1;

import { Flag } from "effect/cli";
import type { Segment } from "../../client/WaypostClient.ts";
import { SegmentDraft } from "../../devices/Segment.ts";
import { badUsage } from "../CommandRefused.ts";
import { commandOn, platform } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { optional, optionalFlag, textFlag } from "../Flags.ts";
import { parseFlags, parseJson, readText } from "../RequestBodies.ts";
import { inProduction, resource } from "../Resource.ts";
import { printOne } from "../terminal/Output.ts";

const signs: { readonly [op: string]: string } = { eq: "=", ne: "≠", gt: ">", gte: "≥", lt: "<", lte: "≤" };

const maxShownValues = 5;

type Condition = Segment["rule"]["conditions"][number];

const formatValue = (value: Extract<Condition, { readonly attribute: string }>["value"]): string => {
  if (!Array.isArray(value) || value.length <= maxShownValues) return JSON.stringify(value);
  const shown = value.slice(0, maxShownValues).map((each) => JSON.stringify(each));
  return `${shown.join(", ")} and ${value.length - maxShownValues} more`;
};

const formatEvent = ({
  event,
  op,
  where,
  within_days,
}: Extract<Condition, { readonly event: string }>): string =>
  `${event} ${op.replaceAll("_", " ")} within ${within_days} days` +
  (where === undefined || where === null ? "" : ` (${formatRule(where)})`);

/** A rule for people, such as `plan = "gold" and visits > 5`. */
const formatRule = ({ conditions, match }: Segment["rule"]): string =>
  conditions
    .map((condition) => {
      if ("event" in condition) return formatEvent(condition);
      const { attribute, op, value } = condition;
      return op === "exists"
        ? `${attribute} is ${value === true ? "present" : "missing"}`
        : `${attribute} ${signs[op] ?? op} ${formatValue(value)}`;
    })
    .join(match === "all" ? " and " : " or ");

const segments = resource({
  target: platform,
  command: "segment",
  at: inProduction,
  sample: "VIPs",
  list: (client, query) => client.segments.list(query),
  columns: ({ device_count, rule }) => [
    "id",
    "name",
    ["devices", device_count, "figure"],
    ["rule", formatRule(rule)],
  ],
  card: ({ device_count, rule }) => [
    "id",
    "name",
    ["rule", formatRule(rule)],
    ["devices", device_count],
    "created_at",
    "updated_at",
  ],
});

const create = commandOn(platform, "create", {
  description: "Create a segment",
  examples: [
    `waypost segment create ${inProduction} --name "Gold members" ` +
      `--rule '{"match": "all", "conditions": [{"attribute": "plan", "op": "eq", "value": "gold"}]}'`,
  ],
  flags: {
    name: textFlag("name", "Name of the segment, unique in the environment"),
    rule: optionalFlag(
      "rule",
      'Rule as JSON: {"match": "all" or "any", "conditions": [{"attribute", "op", "value"}]}',
    ),
    file: optional(Flag.File("rule-file").pipe(Flag.withDescription("File with the rule as JSON"))),
  },
  *run(ask, flags) {
    if ((flags.rule === undefined) === (flags.file === undefined))
      return yield* badUsage("Give either --rule or --rule-file.");
    const rule = yield* parseJson(
      flags.file === undefined ? (flags.rule ?? "") : yield* readText(flags.file),
      "The rule must be JSON, such as " +
        '{"match": "all", "conditions": [{"attribute": "plan", "op": "eq", "value": "gold"}]}.',
    );
    const payload = yield* parseFlags(SegmentDraft, { name: flags.name, rule });
    yield* printOne(yield* ask((client) => client.segments.create(payload)), segments.created);
  },
});

/** `waypost segment …` */
export const segmentCommand = operatorCommands("segment", {
  description: "Segments: rules that select devices for push campaigns",
  examples: [`waypost segment list ${inProduction}`],
  commands: [
    create,
    segments.list({
      description: "List the segments of an environment, with their number of devices",
      whenEmpty: "The environment has no segments yet. See waypost segment create --help.",
    }),
    segments.show("Show a segment", (client, id) => client.segments.get(id)),
    segments.item("delete", {
      description: "Delete a segment. Refused if a campaign that has not ended would then reach every device",
      request: (client, id) => client.segments.delete(id),
      text: ({ id }) => `Deleted the segment ${id}. Campaigns keep their other segments.`,
    }),
  ],
});

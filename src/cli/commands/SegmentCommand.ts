import { Effect, Option } from "effect";
import { Flag } from "effect/cli";
import type { Segment } from "../../client/WaypostClient.ts";
import { parseSegmentBody } from "../../devices/SegmentParsing.ts";
import { listOf } from "../Ask.ts";
import { badUsage, CommandRefused } from "../CommandRefused.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import {
  type EnvironmentFlags,
  environmentFlags,
  limitFlag,
  nameArgument,
  optionalFlag,
  textFlag,
} from "../Flags.ts";
import { findId } from "../Lookups.ts";
import { openWorkspace, type Platform } from "../Platform.ts";
import { parseJson, readText } from "../RequestBodies.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";

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

const card = (segment: Segment): string =>
  details([
    ["id", segment.id],
    ["name", segment.name],
    ["rule", formatRule(segment.rule)],
    ["devices", String(segment.device_count)],
    ["created", formatInstant(segment.created_at)],
    ["updated", formatInstant(segment.updated_at)],
  ]);

const pages = (platform: Platform) => listOf(platform, (client, query) => client.segments.list(query));

/** The platform API, and the id of the segment that the flags name. */
const openSegment = Effect.fnUntraced(function* (flags: EnvironmentFlags & { readonly segment: string }) {
  const platform = yield* openWorkspace(flags);
  return { platform, id: yield* findId("segment", flags.segment, pages(platform)) };
});

const create = command("create", {
  description: "Create a segment",
  examples: [
    `waypost segment create --workspace Acme --environment production --name "Gold members" ` +
      `--rule '{"match": "all", "conditions": [{"attribute": "plan", "op": "eq", "value": "gold"}]}'`,
  ],
  flags: {
    ...environmentFlags,
    name: textFlag("name", "Name of the segment, unique in the environment"),
    rule: optionalFlag(
      "rule",
      'Rule as JSON: {"match": "all" or "any", "conditions": [{"attribute", "op", "value"}]}',
    ),
    file: Flag.File("rule-file").pipe(Flag.withDescription("File with the rule as JSON"), Flag.optional),
  },
  *run(flags) {
    if (Option.isSome(flags.rule) === Option.isSome(flags.file))
      return yield* badUsage("Give either --rule or --rule-file.");
    const rule = yield* parseJson(
      Option.isSome(flags.file) ? yield* readText(flags.file.value) : Option.getOrElse(flags.rule, () => ""),
      "The rule must be JSON, such as " +
        '{"match": "all", "conditions": [{"attribute": "plan", "op": "eq", "value": "gold"}]}.',
    );
    const payload = yield* Effect.mapError(
      parseSegmentBody({ name: flags.name, rule }).complete,
      ({ error }) => CommandRefused.fields(error.fields ?? {}),
    );
    const platform = yield* openWorkspace(flags);
    const created = yield* platform((client) => client.segments.create(payload));
    yield* printOne(created, (segment) => `Created the segment "${segment.name}".\n\n${card(segment)}`);
  },
});

const list = command("list", {
  description: "List the segments of an environment, with their number of devices",
  examples: ["waypost segment list --workspace Acme --environment production"],
  flags: { ...environmentFlags, limit: limitFlag },
  *run(flags) {
    yield* printList(
      flags.limit,
      pages(yield* openWorkspace(flags)),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "DEVICES", kind: "figure", cell: (segment) => segment.device_count },
        { heading: "RULE", cell: ({ rule }) => formatRule(rule) },
      ],
      "The environment has no segments yet. See waypost segment create --help.",
    );
  },
});

const segmentFlags = { ...environmentFlags, segment: nameArgument("segment") };

const show = command("show", {
  description: "Show a segment",
  examples: ["waypost segment show VIPs --workspace Acme --environment production"],
  flags: segmentFlags,
  *run(flags) {
    const { id, platform } = yield* openSegment(flags);
    yield* printOne(yield* platform((client) => client.segments.get(id)), card);
  },
});

const remove = command("delete", {
  description: "Delete a segment. Refused if a campaign that has not ended would then reach every device",
  examples: ["waypost segment delete VIPs --workspace Acme --environment production"],
  flags: segmentFlags,
  *run(flags) {
    const { id, platform } = yield* openSegment(flags);
    const deleted = yield* platform((client) => client.segments.delete(id));
    yield* printOne(deleted, () => `Deleted the segment ${id}. Campaigns keep their other segments.`);
  },
});

/** `waypost segment …` */
export const segmentCommand = operatorCommands("segment", {
  description: "Segments: rules that select devices for push campaigns",
  examples: ["waypost segment list --workspace Acme --environment production"],
  commands: [create, list, show, remove],
});

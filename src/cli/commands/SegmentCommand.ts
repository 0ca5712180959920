import { Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { readFile } from "node:fs/promises";
import type { Segment } from "../../devices/Segment.ts";
import { parseSegmentBody } from "../../devices/SegmentParsing.ts";
import type { SegmentRule } from "../../devices/SegmentRule.ts";
import type { Environment } from "../../workspaces/Environment.ts";
import { BadUsage, CommandRefused } from "../CommandRefused.ts";
import { environmentFlags, findId, limitFlag, nameArgument, openEnvironment } from "../Lookups.ts";
import { operatorFlags } from "../Operator.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";

const signs: { readonly [op: string]: string } = { eq: "=", ne: "≠", gt: ">", gte: "≥", lt: "<", lte: "≤" };

const maxShownValues = 5;

const formatValue = (value: SegmentRule["conditions"][number]["value"]): string => {
  if (!Array.isArray(value) || value.length <= maxShownValues) return JSON.stringify(value);
  const shown = value.slice(0, maxShownValues).map((each) => JSON.stringify(each));
  return `${shown.join(", ")} and ${value.length - maxShownValues} more`;
};

/** A rule for people, such as `plan = "gold" and visits > 5`. */
const formatRule = ({ conditions, match }: SegmentRule): string =>
  conditions
    .map(({ attribute, op, value }) =>
      op === "exists"
        ? `${attribute} is ${value === true ? "present" : "missing"}`
        : `${attribute} ${signs[op] ?? op} ${formatValue(value)}`,
    )
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

/** The client, and the path parameters of the segment that the flags name. */
const openSegment = Effect.fnUntraced(function* (flags: {
  readonly workspace: string;
  readonly environment: Environment;
  readonly segment: string;
}) {
  const { ask, params } = yield* openEnvironment(flags);
  const segment = yield* findId("segment", flags.segment, (query) =>
    ask((client) => client.segments.list({ params, query })),
  );
  return { ask, params: { ...params, segment } };
});

/** The JSON of the rule: from the flag, or from the file. */
const readRule = (
  rule: Option.Option<string>,
  file: Option.Option<string>,
): Effect.Effect<string, BadUsage | CommandRefused> => {
  if (Option.isSome(rule) === Option.isSome(file))
    return Effect.fail(new BadUsage({ message: "Give either --rule or --rule-file." }));
  if (Option.isSome(rule)) return Effect.succeed(rule.value);
  const path = Option.getOrElse(file, () => "");
  return Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: () => new CommandRefused({ message: `The file ${path} cannot be read.` }),
  });
};

const create = Command.make(
  "create",
  {
    ...environmentFlags,
    name: Flag.String("name").pipe(Flag.withDescription("Name of the segment, unique in the environment")),
    rule: Flag.String("rule").pipe(
      Flag.withDescription(
        'Rule as JSON: {"match": "all" or "any", "conditions": [{"attribute", "op", "value"}]}',
      ),
      Flag.optional,
    ),
    file: Flag.File("rule-file").pipe(Flag.withDescription("File with the rule as JSON"), Flag.optional),
  },
  Effect.fn(function* (flags) {
    const text = yield* readRule(flags.rule, flags.file);
    const rule = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () =>
        new CommandRefused({
          message:
            "The rule must be JSON, such as " +
            '{"match": "all", "conditions": [{"attribute": "plan", "op": "eq", "value": "gold"}]}.',
        }),
    });
    const payload = yield* Effect.mapError(
      parseSegmentBody({ name: flags.name, rule }).complete,
      ({ error }) => CommandRefused.fields(error.fields ?? {}),
    );
    const { ask, params } = yield* openEnvironment(flags);
    const { data } = yield* ask((client) => client.segments.create({ params, payload }));
    yield* printOne(data, (segment) => `Created the segment "${segment.name}".\n\n${card(segment)}`);
  }),
).pipe(
  Command.withDescription("Create a segment"),
  Command.withExamples([
    {
      command:
        `waypost segment create --workspace Acme --environment production --name "Gold members" ` +
        `--rule '{"match": "all", "conditions": [{"attribute": "plan", "op": "eq", "value": "gold"}]}'`,
    },
  ]),
);

const list = Command.make(
  "list",
  { ...environmentFlags, limit: limitFlag },
  Effect.fn(function* (flags) {
    const { ask, params } = yield* openEnvironment(flags);
    yield* printList(
      flags.limit,
      (query) => ask((client) => client.segments.list({ params, query })),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "DEVICES", kind: "figure", cell: (segment) => segment.device_count },
        { heading: "RULE", cell: ({ rule }) => formatRule(rule) },
      ],
      "The environment has no segments yet. See waypost segment create --help.",
    );
  }),
).pipe(
  Command.withDescription("List the segments of an environment, with their number of devices"),
  Command.withExamples([{ command: "waypost segment list --workspace Acme --environment production" }]),
);

const segmentFlags = { ...environmentFlags, segment: nameArgument("segment") };

const show = Command.make(
  "show",
  segmentFlags,
  Effect.fn(function* (flags) {
    const { ask, params } = yield* openSegment(flags);
    const { data } = yield* ask((client) => client.segments.get({ params }));
    yield* printOne(data, card);
  }),
).pipe(
  Command.withDescription("Show a segment"),
  Command.withExamples([{ command: "waypost segment show VIPs --workspace Acme --environment production" }]),
);

const remove = Command.make(
  "delete",
  segmentFlags,
  Effect.fn(function* (flags) {
    const { ask, params } = yield* openSegment(flags);
    const { data } = yield* ask((client) => client.segments.delete({ params }));
    yield* printOne(data, ({ id }) => `Deleted the segment ${id}. Campaigns keep their other segments.`);
  }),
).pipe(
  Command.withDescription(
    "Delete a segment. Refused if a campaign that has not ended would then reach every device",
  ),
  Command.withExamples([
    { command: "waypost segment delete VIPs --workspace Acme --environment production" },
  ]),
);

/** `waypost segment …` */
export const segmentCommand = Command.make("segment").pipe(
  Command.withDescription("Segments: rules that select devices for push campaigns"),
  Command.withSubcommands([create, list, show, remove]),
  Command.withExamples([{ command: "waypost segment list --workspace Acme --environment production" }]),
  Command.withGlobalFlags(operatorFlags),
);

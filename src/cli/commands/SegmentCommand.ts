import { Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { readFile } from "node:fs/promises";
import type { Segment } from "../../devices/Segment.ts";
import { parseSegmentBody } from "../../devices/SegmentParsing.ts";
import type { SegmentRule } from "../../devices/SegmentRule.ts";
import { isUuid } from "../../wire/Ids.ts";
import { BadUsage, CommandRefused } from "../CommandRefused.ts";
import {
  environmentFlag,
  findWorkspace,
  limitFlag,
  nameArgument,
  pick,
  readList,
  workspaceFlag,
} from "../Lookups.ts";
import { type Operator, operator, operatorFlags } from "../Operator.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { details, figureColumn, idColumn, moment } from "../terminal/Table.ts";

const signs: { readonly [op: string]: string } = { eq: "=", ne: "≠", gt: ">", gte: "≥", lt: "<", lte: "≤" };

const mostShown = 5;

const valueInWords = (value: SegmentRule["conditions"][number]["value"]): string =>
  Array.isArray(value) && value.length > mostShown
    ? `${value
        .slice(0, mostShown)
        .map((each) => JSON.stringify(each))
        .join(", ")} and ${value.length - mostShown} more`
    : JSON.stringify(value);

/** A rule as people read it: plan = "gold" and visits > 5. */
const inWords = ({ conditions, match }: SegmentRule): string =>
  conditions
    .map(({ attribute, op, value }) =>
      op === "exists"
        ? `${attribute} ${value === true ? "is there" : "is missing"}`
        : `${attribute} ${signs[op] ?? op} ${valueInWords(value)}`,
    )
    .join(match === "all" ? " and " : " or ");

const card = (segment: Segment): string =>
  details([
    ["id", segment.id],
    ["name", segment.name],
    ["rule", inWords(segment.rule)],
    ["devices", String(segment.device_count)],
    ["created", moment(segment.created_at)],
    ["updated", moment(segment.updated_at)],
  ]);

const findSegment = (
  ask: Operator,
  params: { readonly workspace: string; readonly env: string },
  nameOrId: string,
): Effect.Effect<string, CommandRefused> => {
  if (isUuid(nameOrId)) return Effect.succeed(nameOrId);
  return readList(Number.POSITIVE_INFINITY, (query) =>
    ask((client) => client.segments.list({ params, query })),
  ).pipe(
    Effect.flatMap(({ items }) => pick("segment", nameOrId, items, ({ name }) => name)),
    Effect.map(({ id }) => id),
  );
};

/** The text of the rule: as it is given, or from the file that is named. */
const ruleText = (
  rule: Option.Option<string>,
  file: Option.Option<string>,
): Effect.Effect<string, BadUsage | CommandRefused> => {
  if (Option.isSome(rule) === Option.isSome(file)) {
    return Effect.fail(
      new BadUsage({
        message: "Give the rule as JSON with --rule, or a file that holds it with --rule-file.",
      }),
    );
  }
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
    workspace: workspaceFlag,
    environment: environmentFlag,
    name: Flag.String("name").pipe(Flag.withDescription("Name of the segment, unique in the environment")),
    rule: Flag.String("rule").pipe(
      Flag.withDescription(
        'The rule as JSON: {"match": "all" or "any", "conditions": [{"attribute", "op", "value"}]}',
      ),
      Flag.optional,
    ),
    file: Flag.File("rule-file").pipe(Flag.withDescription("A file that holds the rule"), Flag.optional),
  },
  Effect.fn(function* (flags) {
    const text = yield* ruleText(flags.rule, flags.file);
    const rule = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () =>
        new CommandRefused({
          message:
            'The rule must be JSON, such as {"match": "all", "conditions": [{"attribute": "plan", "op": "eq", "value": "gold"}]}.',
        }),
    });
    const payload = yield* Effect.mapError(
      parseSegmentBody({ name: flags.name, rule }).complete,
      ({ error }) => CommandRefused.fields(error.fields ?? {}),
    );
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const { data } = yield* ask((client) =>
      client.segments.create({ params: { workspace, env: flags.environment }, payload }),
    );
    yield* printOne(data, (made) => `Created the segment "${made.name}".\n\n${card(made)}`);
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
  { workspace: workspaceFlag, environment: environmentFlag, limit: limitFlag },
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const params = { workspace, env: flags.environment };
    const found = yield* readList(flags.limit, (query) =>
      ask((client) => client.segments.list({ params, query })),
    );
    yield* printList(
      found,
      [
        idColumn("ID", ({ id }) => id),
        { heading: "NAME", cell: ({ name }) => name },
        figureColumn("DEVICES", (each) => each.device_count),
        { heading: "RULE", cell: ({ rule }) => inWords(rule) },
      ],
      "The environment has no segments yet: see waypost segment create --help.",
    );
  }),
).pipe(
  Command.withDescription("List the segments of an environment, with how many devices each holds"),
  Command.withExamples([{ command: "waypost segment list --workspace Acme --environment production" }]),
);

const oneSegment = {
  workspace: workspaceFlag,
  environment: environmentFlag,
  segment: nameArgument("segment"),
};

const show = Command.make(
  "show",
  oneSegment,
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const params = { workspace: yield* findWorkspace(ask, flags.workspace), env: flags.environment };
    const segment = yield* findSegment(ask, params, flags.segment);
    const { data } = yield* ask((client) => client.segments.get({ params: { ...params, segment } }));
    yield* printOne(data, card);
  }),
).pipe(
  Command.withDescription("Show a segment"),
  Command.withExamples([{ command: "waypost segment show VIPs --workspace Acme --environment production" }]),
);

const remove = Command.make(
  "delete",
  oneSegment,
  Effect.fn(function* (flags) {
    const ask = yield* operator;
    const params = { workspace: yield* findWorkspace(ask, flags.workspace), env: flags.environment };
    const segment = yield* findSegment(ask, params, flags.segment);
    const { data } = yield* ask((client) => client.segments.delete({ params: { ...params, segment } }));
    yield* printOne(data, ({ id }) => `Deleted the segment ${id}: campaigns keep their others.`);
  }),
).pipe(
  Command.withDescription("Delete a segment, unless a campaign that has not ended would then reach everyone"),
  Command.withExamples([
    { command: "waypost segment delete VIPs --workspace Acme --environment production" },
  ]),
);

/** `waypost segment …` */
export const segmentCommand = Command.make("segment").pipe(
  Command.withDescription("Segments: rules over devices, for push campaigns to target"),
  Command.withSubcommands([create, list, show, remove]),
  Command.withExamples([{ command: "waypost segment list --workspace Acme --environment production" }]),
  Command.withGlobalFlags(operatorFlags),
);

import { Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { ActivityAction } from "../../activity/ActivityEntry.ts";
import type { ActivityEntry } from "../../client/WaypostClient.ts";
import { actorRule, isActorFilter, isResourceFilter, resourceRule } from "../../activity/ActivityFilters.ts";
import { pageOf } from "../Ask.ts";
import { environmentFlags, limitFlag } from "../Lookups.ts";
import { operatorFlags } from "../Operator.ts";
import { openWorkspace } from "../Platform.ts";
import { printList } from "../terminal/Output.ts";

const resourceCell = ({ resource: { id, name, type } }: ActivityEntry): string => {
  const named = name ?? id;
  return named === null ? type : `${type} ${named}`;
};

const list = Command.make(
  "list",
  {
    ...environmentFlags,
    actor: Flag.String("actor").pipe(
      Flag.withDescription("Only changes by the token with this id, or by token, operator or session"),
      Flag.filter(isActorFilter, (text) => `The actor ${actorRule}; it is "${text}".`),
      Flag.optional,
    ),
    resource: Flag.String("resource").pipe(
      Flag.withDescription("Only changes of the resource with this id, or of a type such as campaign"),
      Flag.filter(isResourceFilter, (text) => `The resource ${resourceRule}; it is "${text}".`),
      Flag.optional,
    ),
    action: Flag.Literals("action", ActivityAction.literals).pipe(
      Flag.withDescription("Only these changes"),
      Flag.optional,
    ),
    limit: limitFlag,
  },
  Effect.fn(function* (flags) {
    const platform = yield* openWorkspace(flags);
    const filters = {
      ...(Option.isSome(flags.actor) ? { actor: flags.actor.value } : {}),
      ...(Option.isSome(flags.resource) ? { resource: flags.resource.value } : {}),
      ...(Option.isSome(flags.action) ? { action: flags.action.value } : {}),
    };
    yield* printList(
      flags.limit,
      pageOf(platform, (client, query) => client.activity.list({ ...query, ...filters })),
      [
        { heading: "AT", kind: "instant", cell: ({ at }) => at },
        { heading: "ACTOR", cell: ({ actor }) => actor.name },
        { heading: "ACTION", cell: ({ action }) => action },
        { heading: "RESOURCE", cell: resourceCell },
        { heading: "FIELDS", cell: ({ changes }) => Object.keys(changes).join(", ") },
      ],
      "No change matches.",
    );
  }),
).pipe(
  Command.withDescription("List who changed what in an environment, in the last 400 days"),
  Command.withExamples([
    { command: "waypost activity list --workspace Acme --environment production" },
    { command: "waypost activity list --workspace Acme --environment production --resource campaign" },
  ]),
);

/** `waypost activity …` */
export const activityCommand = Command.make("activity").pipe(
  Command.withDescription("Who changed what"),
  Command.withSubcommands([list]),
  Command.withExamples([{ command: "waypost activity list --workspace Acme --environment production" }]),
  Command.withGlobalFlags(operatorFlags),
);

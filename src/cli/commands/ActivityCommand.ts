import { Option } from "effect";
import { Flag } from "effect/cli";
import { ActivityAction } from "../../activity/ActivityEntry.ts";
import { actorRule, isActorFilter, isResourceFilter, resourceRule } from "../../activity/ActivityFilters.ts";
import type { ActivityEntry } from "../../client/WaypostClient.ts";
import { listOf } from "../Ask.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { choiceFlag, environmentFlags, limitFlag } from "../Flags.ts";
import { openWorkspace } from "../Platform.ts";
import { printList } from "../terminal/Output.ts";

const resourceCell = ({ resource: { id, name, type } }: ActivityEntry): string => {
  const named = name ?? id;
  return named === null ? type : `${type} ${named}`;
};

const list = command("list", {
  description: "List who changed what in an environment, in the last 400 days",
  examples: [
    "waypost activity list --workspace Acme --environment production",
    "waypost activity list --workspace Acme --environment production --resource campaign",
  ],
  flags: {
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
    action: choiceFlag("action", ActivityAction.literals, "Only these changes"),
    limit: limitFlag,
  },
  *run(flags) {
    const platform = yield* openWorkspace(flags);
    const filters = {
      actor: Option.getOrUndefined(flags.actor),
      resource: Option.getOrUndefined(flags.resource),
      action: Option.getOrUndefined(flags.action),
    };
    yield* printList(
      flags.limit,
      listOf(platform, (client, query) => client.activity.list({ ...query, ...filters })),
      [
        { heading: "AT", kind: "instant", cell: ({ at }) => at },
        { heading: "ACTOR", cell: ({ actor }) => actor.name },
        { heading: "ACTION", cell: ({ action }) => action },
        { heading: "RESOURCE", cell: resourceCell },
        { heading: "FIELDS", cell: ({ changes }) => Object.keys(changes).join(", ") },
      ],
      "No change matches.",
    );
  },
});

/** `waypost activity …` */
export const activityCommand = operatorCommands("activity", {
  description: "Who changed what",
  examples: ["waypost activity list --workspace Acme --environment production"],
  commands: [list],
});

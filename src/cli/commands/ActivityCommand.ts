import { Flag } from "effect/cli";
import { ActivityAction } from "../../activity/ActivityEntry.ts";
import { actorRule, isActorFilter, isResourceFilter, resourceRule } from "../../activity/ActivityFilters.ts";
import type { ActivityEntry } from "../../client/WaypostClient.ts";
import { platform } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { choiceFlag, optional, textFlag } from "../Flags.ts";
import { inProduction, resource } from "../Resource.ts";

const resourceCell = ({ resource: { id, name, type } }: ActivityEntry): string => {
  const named = name ?? id;
  return named === null ? type : `${type} ${named}`;
};

const entries = resource({
  target: platform,
  command: "activity",
  at: inProduction,
  filters: {
    actor: optional(
      textFlag("actor", "Only changes by the token with this id, or by token, operator or session").pipe(
        Flag.filter(isActorFilter, (text) => `The actor ${actorRule}; it is "${text}".`),
      ),
    ),
    resource: optional(
      textFlag("resource", "Only changes of the resource with this id, or of a type such as campaign").pipe(
        Flag.filter(isResourceFilter, (text) => `The resource ${resourceRule}; it is "${text}".`),
      ),
    ),
    action: choiceFlag("action", ActivityAction.literals, "Only these changes"),
  },
  list: (client, query) => client.activity.list(query),
  columns: (entry) => [
    "at",
    ["actor", entry.actor.name],
    "action",
    ["resource", resourceCell(entry)],
    ["fields", Object.keys(entry.changes).join(", ")],
  ],
});

/** `waypost activity …` */
export const activityCommand = operatorCommands("activity", {
  description: "Who changed what",
  examples: [`waypost activity list ${inProduction}`],
  commands: [
    entries.list({
      description: "List who changed what in an environment, in the last 400 days",
      examples: [
        `waypost activity list ${inProduction}`,
        `waypost activity list ${inProduction} --resource campaign`,
      ],
      whenEmpty: "No change matches.",
    }),
  ],
});

import { Option } from "effect";
import { Flag } from "effect/cli";
import type { Workspace } from "../../client/OperatorClient.ts";
import { defaultPlan } from "../../workspaces/Plan.ts";
import { WorkspaceDraft, WorkspacePatch } from "../../workspaces/Workspace.ts";
import { listOf } from "../Ask.ts";
import { badUsage } from "../CommandRefused.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { limitFlag, nameArgument, optionalFlag, textFlag } from "../Flags.ts";
import { findWorkspace } from "../Lookups.ts";
import { operator } from "../Operator.ts";
import {
  capFlag,
  paceFlag,
  parseCap,
  parsePace,
  parsePlan,
  parseQuietHours,
  planFlag,
  quietHoursFlag,
} from "../PlanFlags.ts";
import { parseFlags } from "../RequestBodies.ts";
import { formatInstant, paceText, yesNo } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";

type Limit = Workspace["plan"][keyof Workspace["plan"]];

const formatLimit = (value: Limit): string => {
  if (value === null) return "no limit";
  if (typeof value === "boolean") return yesNo(value);
  return typeof value === "number" ? String(value) : value.join(", ");
};

const card = (workspace: Workspace): string => {
  const { default_frequency_cap: cap, quiet_hours: quiet } = workspace;
  const changed = Object.entries(workspace.plan).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(defaultPlan[key as keyof typeof defaultPlan]),
  );
  return details([
    ["id", workspace.id],
    ["name", workspace.name],
    ["time zone", workspace.timezone],
    ["platform API in Production", workspace.platform_api_enabled ? "enabled" : "not enabled"],
    ["trial ended", yesNo(workspace.trial_ended)],
    ["user hash required", yesNo(workspace.user_hash_required)],
    [
      "deletion scheduled",
      workspace.deletion_scheduled_at === null
        ? "no"
        : `since ${formatInstant(workspace.deletion_scheduled_at)}`,
    ],
    ["quiet hours", quiet === null ? "none" : `${quiet.from}-${quiet.to}/${quiet.action}`],
    ["frequency cap", cap === null ? "none" : `${cap.count} a ${cap.period}`],
    ["pace", paceText(workspace.max_per_minute)],
    ["plan", changed.length === 0 ? "the default" : "the default, except for:"],
    ...changed.map(([key, value]) => [`  ${key}`, formatLimit(value as Limit)] as const),
    ["created", formatInstant(workspace.created_at)],
    ["updated", formatInstant(workspace.updated_at)],
  ]);
};

const nameFlag = textFlag("name", "Name of the workspace");

const timezoneFlag = optionalFlag(
  "timezone",
  "IANA time zone of the days in its reports, such as Europe/Amsterdam",
);

const trueOrFalse = (name: string, description: string) =>
  Flag.Literals(name, ["true", "false"]).pipe(
    Flag.withDescription(description),
    Flag.map((text) => text === "true"),
    Flag.optional,
  );

const create = command("create", {
  description: "Create a workspace",
  examples: ['waypost workspace create --name "Acme" --timezone Europe/Amsterdam'],
  flags: { name: nameFlag, timezone: timezoneFlag, plan: planFlag },
  *run(flags) {
    const payload = yield* parseFlags(WorkspaceDraft, {
      name: flags.name,
      timezone: Option.getOrUndefined(flags.timezone),
      plan: yield* parsePlan(flags.plan),
    });
    const ask = yield* operator;
    const created = yield* ask((client) => client.workspaces.create(payload));
    yield* printOne(
      created,
      (workspace) => `Created the workspace "${workspace.name}".\n\n${card(workspace)}`,
    );
  },
});

const list = command("list", {
  description: "List workspaces",
  examples: ["waypost workspace list", "waypost workspace list --json"],
  flags: { limit: limitFlag },
  *run({ limit }) {
    const ask = yield* operator;
    yield* printList(
      limit,
      listOf(ask, (client, query) => client.workspaces.list(query)),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "TIME ZONE", cell: ({ timezone }) => timezone },
        { heading: "PRODUCTION API", cell: (each) => (each.platform_api_enabled ? "enabled" : "-") },
        {
          heading: "STATE",
          cell: (each) =>
            each.deletion_scheduled_at === null ? (each.trial_ended ? "trial ended" : "-") : "to be deleted",
        },
        { heading: "CREATED", kind: "instant", cell: (each) => each.created_at },
      ],
      'There are no workspaces yet. Create one with waypost workspace create --name "…".',
    );
  },
});

const show = command("show", {
  description: "Show a workspace",
  examples: ["waypost workspace show Acme"],
  flags: { workspace: nameArgument("workspace") },
  *run({ workspace }) {
    const ask = yield* operator;
    const id = yield* findWorkspace(ask, workspace);
    yield* printOne(yield* ask((client) => client.workspaces.get(id)), card);
  },
});

const update = command("update", {
  description: "Change a workspace. Flags that are left out change nothing",
  examples: ["waypost workspace update Acme --enable-platform-api true --plan max_campaigns=500"],
  flags: {
    workspace: nameArgument("workspace"),
    name: Flag.optional(nameFlag),
    timezone: timezoneFlag,
    enabled: trueOrFalse("enable-platform-api", "Whether the full platform API is enabled in Production"),
    trialEnded: trueOrFalse(
      "trial-ended",
      "Whether the trial has ended; then no campaign can be created or published",
    ),
    userHash: trueOrFalse(
      "require-user-hash",
      "Whether a device needs a user_hash to register with a user_id",
    ),
    deletion: trueOrFalse(
      "schedule-deletion",
      "Schedule the deletion, which revokes all tokens, or cancel it",
    ),
    cap: capFlag,
    pace: paceFlag,
    quietHours: quietHoursFlag,
    plan: planFlag,
  },
  *run(flags) {
    const payload = yield* parseFlags(WorkspacePatch, {
      name: Option.getOrUndefined(flags.name),
      timezone: Option.getOrUndefined(flags.timezone),
      platform_api_enabled: Option.getOrUndefined(flags.enabled),
      trial_ended: Option.getOrUndefined(flags.trialEnded),
      user_hash_required: Option.getOrUndefined(flags.userHash),
      deletion_scheduled: Option.getOrUndefined(flags.deletion),
      default_frequency_cap: yield* parseCap(flags.cap),
      quiet_hours: yield* parseQuietHours(flags.quietHours),
      max_per_minute: yield* parsePace(flags.pace),
      plan: yield* parsePlan(flags.plan),
    });
    if (Object.keys(payload).length === 0) {
      return yield* badUsage(
        "Nothing to change: give at least one flag. See waypost workspace update --help.",
      );
    }
    const ask = yield* operator;
    const id = yield* findWorkspace(ask, flags.workspace);
    yield* printOne(yield* ask((client) => client.workspaces.update(id, payload)), card);
  },
});

/** `waypost workspace …` */
export const workspaceCommand = operatorCommands("workspace", {
  description: "Workspaces: the customers of this installation",
  examples: ['waypost workspace create --name "Acme" --timezone Europe/Amsterdam', "waypost workspace list"],
  commands: [create, list, show, update],
});

import { Flag } from "effect/cli";
import type { Workspace } from "../../client/OperatorClient.ts";
import { defaultPlan } from "../../workspaces/Plan.ts";
import { WorkspaceDraft, WorkspacePatch } from "../../workspaces/Workspace.ts";
import { badUsage } from "../CommandRefused.ts";
import { commandOn, installation } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { optional, optionalFlag, textFlag } from "../Flags.ts";
import { cap, pace, parsePlan, planFlag, quietHours } from "../PlanFlags.ts";
import { parseFlags } from "../RequestBodies.ts";
import { resource } from "../Resource.ts";
import { formatInstant, paceText, yesNo } from "../terminal/Formats.ts";
import { printOne } from "../terminal/Output.ts";

type Limit = Workspace["plan"][keyof Workspace["plan"]];

const formatLimit = (value: Limit): string => {
  if (value === null) return "no limit";
  if (typeof value === "boolean") return yesNo(value);
  return typeof value === "number" ? String(value) : value.join(", ");
};

const stateOf = (workspace: Workspace): string => {
  if (workspace.deletion_scheduled_at !== null) return "to be deleted";
  return workspace.trial_ended ? "trial ended" : "-";
};

const workspaces = resource({
  target: installation,
  command: "workspace",
  sample: "Acme",
  list: (client, query) => client.workspaces.list(query),
  columns: (workspace) => [
    "id",
    "name",
    "timezone",
    ["production api", workspace.platform_api_enabled ? "enabled" : "-"],
    ["state", stateOf(workspace)],
    "created_at",
  ],
  card: (workspace) => {
    const { default_frequency_cap: limit, deletion_scheduled_at: deletion, quiet_hours: quiet } = workspace;
    const changed = Object.entries(workspace.plan).filter(
      ([key, value]) =>
        JSON.stringify(value) !== JSON.stringify(defaultPlan[key as keyof typeof defaultPlan]),
    );
    return [
      "id",
      "name",
      "timezone",
      ["platform API in Production", workspace.platform_api_enabled ? "enabled" : "not enabled"],
      "trial_ended",
      "user_hash_required",
      ["deletion scheduled", deletion === null ? "no" : `since ${formatInstant(deletion)}`],
      ["quiet hours", quiet === null ? "none" : `${quiet.from}-${quiet.to}/${quiet.action}`],
      ["frequency cap", limit === null ? "none" : `${limit.count} a ${limit.period}`],
      ["pace", paceText(workspace.max_per_minute)],
      ["plan", changed.length === 0 ? "the default" : "the default, except for:"],
      ...changed.map(([key, value]) => [`  ${key}`, formatLimit(value as Limit)] as const),
      "created_at",
      "updated_at",
    ];
  },
});

const nameFlag = textFlag("name", "Name of the workspace");

const timezoneFlag = optionalFlag(
  "timezone",
  "IANA time zone of the days in its reports, such as Europe/Amsterdam",
);

const trueOrFalse = (name: string, description: string) =>
  optional(
    Flag.Literals(name, ["true", "false"]).pipe(
      Flag.withDescription(description),
      Flag.map((text) => text === "true"),
    ),
  );

const create = commandOn(installation, "create", {
  description: "Create a workspace",
  examples: ['waypost workspace create --name "Acme" --timezone Europe/Amsterdam'],
  flags: { name: nameFlag, timezone: timezoneFlag, plan: planFlag },
  *run(ask, flags) {
    const payload = yield* parseFlags(WorkspaceDraft, { ...flags, plan: yield* parsePlan(flags.plan) });
    yield* printOne(yield* ask((client) => client.workspaces.create(payload)), workspaces.created);
  },
});

const update = workspaces.command("update", {
  description: "Change a workspace. Flags that are left out change nothing",
  examples: ["waypost workspace update Acme --enable-platform-api true --plan max_campaigns=500"],
  flags: {
    name: optional(nameFlag),
    timezone: timezoneFlag,
    platform_api_enabled: trueOrFalse(
      "enable-platform-api",
      "Whether the full platform API is enabled in Production",
    ),
    trial_ended: trueOrFalse(
      "trial-ended",
      "Whether the trial has ended; then no campaign can be created or published",
    ),
    user_hash_required: trueOrFalse(
      "require-user-hash",
      "Whether a device needs a user_hash to register with a user_id",
    ),
    deletion_scheduled: trueOrFalse(
      "schedule-deletion",
      "Schedule the deletion, which revokes all tokens, or cancel it",
    ),
    cap: cap.flag,
    pace: pace.flag,
    quietHours: quietHours.flag,
    plan: planFlag,
  },
  *run(ask, flags) {
    const payload = yield* parseFlags(WorkspacePatch, {
      ...flags,
      default_frequency_cap: yield* cap.parse(flags.cap),
      quiet_hours: yield* quietHours.parse(flags.quietHours),
      max_per_minute: yield* pace.parse(flags.pace),
      plan: yield* parsePlan(flags.plan),
    });
    if (Object.keys(payload).length === 0) {
      return yield* badUsage(
        "Nothing to change: give at least one flag. See waypost workspace update --help.",
      );
    }
    yield* printOne(yield* ask((client, id) => client.workspaces.update(id, payload)), workspaces.card);
  },
});

/** `waypost workspace …` */
export const workspaceCommand = operatorCommands("workspace", {
  description: "Workspaces: the customers of this installation",
  examples: ['waypost workspace create --name "Acme" --timezone Europe/Amsterdam', "waypost workspace list"],
  commands: [
    create,
    workspaces.list({
      description: "List workspaces",
      examples: ["waypost workspace list", "waypost workspace list --json"],
      whenEmpty: 'There are no workspaces yet. Create one with waypost workspace create --name "…".',
    }),
    workspaces.show("Show a workspace", (client, id) => client.workspaces.get(id)),
    update,
  ],
});

import { Option } from "effect";
import { Flag } from "effect/cli";
import { CampaignType } from "../../campaigns/Campaign.ts";
import type { Campaign, CampaignDraft } from "../../client/WaypostClient.ts";
import { counted } from "../../wire/Text.ts";
import { listOf } from "../Ask.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { limitFlag, optionalFlag, repeatedFlag, switchFlag, textFlag } from "../Flags.ts";
import { paceFlag, parseHoldout, parsePace } from "../PlanFlags.ts";
import { campaignFlags, findCampaign, openPlatform, platformFlags } from "../Platform.ts";
import { parseJson, todayIn } from "../RequestBodies.ts";
import { formatInstant, paceText, yesNo } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";
import { copyCampaign } from "./CampaignCopyCommand.ts";
import { goalText, showExperiment } from "./CampaignExperimentCommand.ts";
import { listOccurrences } from "./CampaignOccurrencesCommand.ts";
import { listRecipients } from "./CampaignRecipientsCommand.ts";

const idsOr = (ids: ReadonlyArray<string>, none: string): string =>
  ids.length === 0 ? none : ids.join(", ");

const capOf = ({ frequency_cap_count: count, frequency_cap_period: period }: Campaign): string =>
  count === null || period === null ? "that of the workspace" : `${count} per ${period}`;

const quietHoursOf = ({ quiet_hours: quiet }: Campaign): string => {
  if (quiet === null) return "those of the workspace";
  return "enabled" in quiet ? "none" : `${quiet.from}-${quiet.to}/${quiet.action}`;
};

const cooldownOf = ({ cooldown_minutes: minutes }: Campaign): string =>
  minutes === null ? "none" : counted(minutes, "minute");

const recurrenceOf = ({ recurrence }: Campaign): string => {
  if (recurrence === null) return "none";
  const { except, rule } = recurrence;
  return except.length === 0 ? rule : `${rule}, not on ${except.join(", ")}`;
};

const card = (campaign: Campaign): string => {
  const { targeting } = campaign;
  return details([
    ["id", campaign.id],
    ["name", campaign.name],
    ["type", campaign.type],
    ["status", campaign.status],
    ["starts", formatInstant(campaign.starts_at)],
    ["ends", formatInstant(campaign.ends_at)],
    ["time zone", campaign.timezone],
    ["recurrence", recurrenceOf(campaign)],
    ["paused", yesNo(campaign.paused)],
    ["published", campaign.published_at === null ? "never: a draft" : formatInstant(campaign.published_at)],
    ["frequency cap", capOf(campaign)],
    ["counted for", campaign.cap_by === "user" ? "each person" : "each device"],
    ["quiet hours", quietHoursOf(campaign)],
    ["holdout", campaign.holdout_percent === 0 ? "none" : `${campaign.holdout_percent} %`],
    ["goal", goalText(campaign)],
    ...(campaign.type === "geo"
      ? ([
          ["cooldown", cooldownOf(campaign)],
          ["locations", idsOr(targeting.location_ids, "none")],
          ["location groups", idsOr(targeting.location_group_ids, "none")],
        ] as const)
      : ([
          ...(campaign.type === "push" ? ([["pace", paceText(campaign.max_per_minute)]] as const) : []),
          ["segments", idsOr(targeting.segmentation_ids, "none: all devices")],
        ] as const)),
    ["created", formatInstant(campaign.created_at)],
    ["updated", formatInstant(campaign.updated_at)],
  ]);
};

const list = command("list", {
  description: "List the campaigns of an environment",
  examples: ["waypost campaign list --workspace Acme --environment production"],
  flags: {
    ...platformFlags,
    archived: switchFlag("archived", "List the archived campaigns instead"),
    draft: switchFlag("draft", "List only drafts, which were never published"),
    limit: limitFlag,
  },
  *run(flags) {
    const platform = yield* openPlatform(flags);
    yield* printList(
      flags.limit,
      listOf(platform, (client, query) =>
        client.campaigns.list({
          ...query,
          archived: flags.archived ? "true" : "false",
          ...(flags.draft ? { draft: "true" as const } : {}),
        }),
      ),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "TYPE", cell: ({ type }) => type },
        { heading: "STATUS", cell: ({ status }) => status },
        { heading: "STARTS", kind: "instant", cell: (campaign) => campaign.starts_at },
        { heading: "ENDS", kind: "instant", cell: (campaign) => campaign.ends_at },
      ],
      flags.draft
        ? `The environment has no ${flags.archived ? "archived " : ""}drafts.`
        : flags.archived
          ? "The environment has no archived campaigns."
          : "The environment has no campaigns yet. See waypost campaign create --help.",
    );
  },
});

const create = command("create", {
  description: "Create a campaign. It sends nothing until it has a notification",
  examples: [
    'waypost campaign create --workspace Acme --environment sandbox --name "Opening week" --type geo ' +
      "--starts-at 2030-06-01 --location-group Amsterdam",
    'waypost campaign create --workspace Acme --environment sandbox --name "Newsletter" --type push ' +
      "--starts-at 2030-06-03 --recurrence FREQ=WEEKLY;BYDAY=MO --except 2030-12-30",
  ],
  flags: {
    ...platformFlags,
    name: textFlag("name", "Name of the campaign, unique in the environment"),
    type: Flag.Literals("type", CampaignType.literals).pipe(
      Flag.withDescription(
        "geo is triggered at locations; push is sent at fixed times on its first day, or again and again; " +
          "event is triggered by custom events",
      ),
    ),
    startsAt: optionalFlag(
      "starts-at",
      "Start in the campaign's time zone: YYYY-MM-DD or YYYY-MM-DD HH:MM; today if left out",
    ),
    endsAt: optionalFlag(
      "ends-at",
      "End of a geo or event campaign in the same formats, or last day of a recurring one; never if left out",
    ),
    recurrence: optionalFlag(
      "recurrence",
      "Days on which a push campaign sends, as a rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO",
    ),
    except: repeatedFlag("except", "Date on which a recurring campaign sends nothing, YYYY-MM-DD"),
    timezone: Flag.String("timezone").pipe(
      Flag.withDescription("IANA time zone, such as Europe/Amsterdam; UTC if left out"),
      Flag.withDefault("UTC"),
    ),
    groups: repeatedFlag("location-group", "Name of a location group that a geo campaign targets"),
    locations: repeatedFlag("location", "Id of a location that a geo campaign targets"),
    goal: optionalFlag(
      "goal",
      'What its experiment counts as success, as JSON: {"type":"visit","within_hours":72}',
    ),
    holdout: optionalFlag("holdout", "Percent of the people who get nothing of it, 0 to 50"),
    pace: paceFlag,
    paused: switchFlag("paused", "Create a draft that sends nothing until it is published"),
    segments: repeatedFlag(
      "segment",
      "Id of a segment that a push or event campaign targets; all devices without one",
    ),
  },
  *run(flags) {
    const draft: CampaignDraft = {
      name: flags.name,
      type: flags.type,
      timezone: flags.timezone,
      starts_at: Option.isSome(flags.startsAt) ? flags.startsAt.value : yield* todayIn(flags.timezone),
      ends_at: Option.getOrUndefined(flags.endsAt),
      recurrence: Option.getOrUndefined(
        Option.map(flags.recurrence, (rule) => ({ rule, except: flags.except })),
      ),
      max_per_minute: yield* parsePace(flags.pace),
      holdout_percent: yield* parseHoldout(flags.holdout),
      goal: Option.isNone(flags.goal)
        ? null
        : ((yield* parseJson(
            flags.goal.value,
            'The goal must be a JSON object, such as {"type":"visit","within_hours":72}.',
          )) as CampaignDraft["goal"]),
      paused: flags.paused,
      location_group_names: flags.groups,
      location_ids: flags.locations,
      segmentation_ids: flags.segments,
    };
    const platform = yield* openPlatform(flags);
    const created = yield* platform((client) => client.campaigns.create(draft));
    yield* printOne(created, (campaign) => `Created the campaign "${campaign.name}".\n\n${card(campaign)}`);
  },
});

const show = command("show", {
  description: "Show a campaign",
  examples: ['waypost campaign show "Opening week" --workspace Acme --environment sandbox'],
  flags: campaignFlags,
  *run(flags) {
    const platform = yield* openPlatform(flags);
    const id = yield* findCampaign(platform, flags.campaign);
    yield* printOne(yield* platform((client) => client.campaigns.get(id)), card);
  },
});

const changes = { pause: "Paused", publish: "Published", archive: "Archived", unarchive: "Unarchived" };

const change = (name: keyof typeof changes, description: string) =>
  command(name, {
    description: description,
    examples: [`waypost campaign ${name} "Opening week" --workspace Acme --environment sandbox`],
    flags: campaignFlags,
    *run(flags) {
      const platform = yield* openPlatform(flags);
      const id = yield* findCampaign(platform, flags.campaign, name === "unarchive" ? "true" : "false");
      const changed = yield* platform((client) => client.campaigns[name](id));
      yield* printOne(
        changed,
        (campaign) => `${changes[name]} the campaign "${campaign.name}". It is ${campaign.status}.`,
      );
    },
  });

const remove = command("delete", {
  description: "Delete a campaign and cancel its sends",
  examples: ['waypost campaign delete "Opening week" --workspace Acme --environment sandbox'],
  flags: campaignFlags,
  *run(flags) {
    const platform = yield* openPlatform(flags);
    const id = yield* findCampaign(platform, flags.campaign);
    const deleted = yield* platform((client) => client.campaigns.delete(id));
    yield* printOne(deleted, () => `Deleted the campaign ${id}. What it delivered stays in the reports.`);
  },
});

/** `waypost campaign …` */
export const campaignCommand = operatorCommands("campaign", {
  description: "Campaigns: when messages are sent, and to which devices",
  examples: ["waypost campaign list --workspace Acme --environment production"],
  commands: [
    create,
    list,
    show,
    listOccurrences,
    listRecipients,
    showExperiment,
    change("pause", "Pause a campaign: it sends nothing until it is published"),
    change("publish", "Publish a paused campaign"),
    change("archive", "Archive a campaign: pause it, and leave it out of lists"),
    change("unarchive", "Put an archived campaign back into lists; it is paused until it is published"),
    copyCampaign,
    remove,
  ],
});

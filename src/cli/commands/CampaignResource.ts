import type { Campaign, Experiment } from "../../client/WaypostClient.ts";
import { counted } from "../../wire/Text.ts";
import { platform } from "../CommandTarget.ts";
import { nameArgument, switchFlag } from "../Flags.ts";
import { inSandbox, resource } from "../Resource.ts";
import { formatInstant, paceText } from "../terminal/Formats.ts";

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

/** The goal of a campaign. */
export const goalText = ({ goal }: Pick<Experiment, "goal">): string =>
  goal === null
    ? "none"
    : `${goal.type === "event" ? goal.event : goal.type} within ${counted(goal.within_hours, "hour")}`;

const targetingOf = (campaign: Campaign): ReadonlyArray<readonly [string, string]> => {
  const { max_per_minute, targeting, type } = campaign;
  if (type === "geo")
    return [
      ["cooldown", cooldownOf(campaign)],
      ["locations", idsOr(targeting.location_ids, "none")],
      ["location groups", idsOr(targeting.location_group_ids, "none")],
    ];
  const segments = ["segments", idsOr(targeting.segmentation_ids, "none: all devices")] as const;
  return type === "push" ? [["pace", paceText(max_per_minute)], segments] : [segments];
};

const campaignsOf = (noun: string, isArchived: boolean) =>
  resource({
    target: platform,
    command: "campaign",
    noun,
    argument: nameArgument("campaign"),
    at: inSandbox,
    sample: '"Opening week"',
    filters: {
      archived: switchFlag("archived", "List the archived campaigns instead"),
      draft: switchFlag("draft", "List only drafts, which were never published"),
    },
    list: (client, { archived = isArchived, draft, ...query }) =>
      client.campaigns.list({
        ...query,
        archived: archived ? "true" : "false",
        draft: draft === true ? "true" : undefined,
      }),
    columns: () => ["id", "name", "type", "status", "starts_at", "ends_at"],
    card: (campaign) => [
      "id",
      "name",
      "type",
      "status",
      "starts_at",
      "ends_at",
      "timezone",
      ["recurrence", recurrenceOf(campaign)],
      "paused",
      ["published", campaign.published_at === null ? "never: a draft" : formatInstant(campaign.published_at)],
      ["frequency cap", capOf(campaign)],
      ["counted for", campaign.cap_by === "user" ? "each person" : "each device"],
      ["quiet hours", quietHoursOf(campaign)],
      ["holdout", campaign.holdout_percent === 0 ? "none" : `${campaign.holdout_percent} %`],
      ["goal", goalText(campaign)],
      ...targetingOf(campaign),
      "created_at",
      "updated_at",
    ],
  });

/** Campaigns, found by id or name. */
export const campaigns = campaignsOf("campaign", false);

/** Archived campaigns, found by id or name. */
export const archivedCampaigns = campaignsOf("archived campaign", true);

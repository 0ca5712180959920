import { Flag } from "effect/cli";
import { CampaignType } from "../../campaigns/Campaign.ts";
import type { CampaignDraft } from "../../client/WaypostClient.ts";
import { commandOn, platform } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { optionalFlag, repeatedFlag, switchFlag, textFlag } from "../Flags.ts";
import { holdout, pace } from "../PlanFlags.ts";
import { optionalJson, todayIn } from "../RequestBodies.ts";
import { inProduction, inSandbox } from "../Resource.ts";
import { printOne } from "../terminal/Output.ts";
import { showExperiment } from "./CampaignExperimentCommand.ts";
import { copyCampaign, listOccurrences, listRecipients } from "./CampaignItemCommands.ts";
import { archivedCampaigns, campaigns } from "./CampaignResource.ts";

const create = commandOn(platform, "create", {
  description: "Create a campaign. It sends nothing until it has a notification",
  examples: [
    `waypost campaign create ${inSandbox} --name "Opening week" --type geo ` +
      "--starts-at 2030-06-01 --location-group Amsterdam",
    `waypost campaign create ${inSandbox} --name "Newsletter" --type push ` +
      "--starts-at 2030-06-03 --recurrence FREQ=WEEKLY;BYDAY=MO --except 2030-12-30",
  ],
  flags: {
    name: textFlag("name", "Name of the campaign, unique in the environment"),
    type: Flag.Literals("type", CampaignType.literals).pipe(
      Flag.withDescription(
        "geo is triggered at locations; push is sent at fixed times on its first day, or again and again; " +
          "event is triggered by custom events",
      ),
    ),
    starts_at: optionalFlag(
      "starts-at",
      "Start in the campaign's time zone: YYYY-MM-DD or YYYY-MM-DD HH:MM; today if left out",
    ),
    ends_at: optionalFlag(
      "ends-at",
      "End of a geo or event campaign in the same formats, or last day of a recurring one; never if left out",
    ),
    recurrence: optionalFlag(
      "recurrence",
      "Days on which a push campaign sends, as a rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO",
    ),
    except: repeatedFlag("except", "Date on which a recurring campaign sends nothing, YYYY-MM-DD"),
    timezone: textFlag("timezone", "IANA time zone, such as Europe/Amsterdam; UTC if left out").pipe(
      Flag.withDefault("UTC"),
    ),
    location_group_names: repeatedFlag(
      "location-group",
      "Name of a location group that a geo campaign targets",
    ),
    location_ids: repeatedFlag("location", "Id of a location that a geo campaign targets"),
    goal: optionalFlag(
      "goal",
      'What its experiment counts as success, as JSON: {"type":"visit","within_hours":72}',
    ),
    holdout_percent: holdout.flag,
    max_per_minute: pace.flag,
    paused: switchFlag("paused", "Create a draft that sends nothing until it is published"),
    segmentation_ids: repeatedFlag(
      "segment",
      "Id of a segment that a push or event campaign targets; all devices without one",
    ),
  },
  *run(ask, { except, goal, recurrence, ...fields }) {
    const draft: CampaignDraft = {
      ...fields,
      starts_at: fields.starts_at ?? (yield* todayIn(fields.timezone)),
      recurrence: recurrence === undefined ? undefined : { rule: recurrence, except },
      max_per_minute: yield* pace.parse(fields.max_per_minute),
      holdout_percent: yield* holdout.parse(fields.holdout_percent),
      goal: (yield* optionalJson(
        goal,
        'The goal must be a JSON object, such as {"type":"visit","within_hours":72}.',
      )) as CampaignDraft["goal"],
    };
    yield* printOne(yield* ask((client) => client.campaigns.create(draft)), campaigns.created);
  },
});

const change = (name: "pause" | "publish" | "archive" | "unarchive", done: string, description: string) =>
  (name === "unarchive" ? archivedCampaigns : campaigns).item(name, {
    description,
    request: (client, id) => client.campaigns[name](id),
    text: (campaign) => `${done} the campaign "${campaign.name}". It is ${campaign.status}.`,
  });

/** `waypost campaign …` */
export const campaignCommand = operatorCommands("campaign", {
  description: "Campaigns: when messages are sent, and to which devices",
  examples: [`waypost campaign list ${inProduction}`],
  commands: [
    create,
    campaigns.list({
      description: "List the campaigns of an environment",
      examples: [`waypost campaign list ${inProduction}`],
      whenEmpty: ({ archived, draft }) => {
        if (draft) return `The environment has no ${archived ? "archived " : ""}drafts.`;
        return archived
          ? "The environment has no archived campaigns."
          : "The environment has no campaigns yet. See waypost campaign create --help.";
      },
    }),
    campaigns.show("Show a campaign", (client, id) => client.campaigns.get(id)),
    listOccurrences,
    listRecipients,
    showExperiment,
    change("pause", "Paused", "Pause a campaign: it sends nothing until it is published"),
    change("publish", "Published", "Publish a paused campaign"),
    change("archive", "Archived", "Archive a campaign: pause it, and leave it out of lists"),
    change(
      "unarchive",
      "Unarchived",
      "Put an archived campaign back into lists; it is paused until it is published",
    ),
    copyCampaign,
    campaigns.item("delete", {
      description: "Delete a campaign and cancel its sends",
      request: (client, id) => client.campaigns.delete(id),
      text: ({ id }) => `Deleted the campaign ${id}. What it delivered stays in the reports.`,
    }),
  ],
});

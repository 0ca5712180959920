/** Commands on one campaign: its dates, its recipients and its copies. */
import { Console } from "effect";
import { Flag } from "effect/cli";
import type { CopyCounts, Occurrence } from "../../client/WaypostClient.ts";
import { RecipientOutcome } from "../../sending/recipients/RecipientsApi.ts";
import { counted } from "../../wire/Text.ts";
import { environmentName } from "../../workspaces/Environment.ts";
import { listOf } from "../Ask.ts";
import { badUsage } from "../CommandRefused.ts";
import { choiceFlag, limitFlag, optionalFlag, switchFlag } from "../Flags.ts";
import { Json } from "../Operator.ts";
import { inProduction, inSandbox } from "../Resource.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printList } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";
import { campaigns } from "./CampaignResource.ts";

const sendsOf = ({ sends }: Occurrence): string =>
  sends.length === 0 ? "none: no notification" : sends.map(({ due_at }) => formatInstant(due_at)).join(", ");

/** `waypost campaign occurrences` */
export const listOccurrences = campaigns.items("occurrences", {
  description: "List the next dates on which a push campaign sends, with their instants",
  examples: [`waypost campaign occurrences Newsletter ${inProduction} --limit 5`],
  flags: {
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("Maximum number of dates, 1 to 100; 10 if left out"),
      Flag.withDefault(10),
    ),
  },
  list: (client, query, id) => client.occurrences.list(id, query),
  columns: (each) => [
    ["date", each.occurrence],
    ["sends", sendsOf(each)],
  ],
  whenEmpty: "The campaign has no date to come.",
});

/** `waypost campaign recipients` */
export const listRecipients = campaigns.command("recipients", {
  description: "List whom a campaign has reached, and what came of it",
  examples: [
    `waypost campaign recipients "Opening week" ${inProduction} --outcome failed`,
    `waypost campaign recipients "Opening week" ${inProduction} --csv`,
  ],
  flags: {
    outcome: choiceFlag("outcome", RecipientOutcome.literals, "Only recipients with this outcome"),
    q: optionalFlag("search", "Only devices whose installation id or user id has this part"),
    csv: switchFlag("csv", "Print all of them as CSV for spreadsheets"),
    limit: limitFlag,
  },
  *run(ask, { csv, limit, ...filters }) {
    if (csv && (yield* Json)) return yield* badUsage("Give either --csv or --json.");
    if (csv) {
      const text = yield* ask((client, id) => client.recipients.list.csv(id, filters));
      return yield* Console.log(text.replace(/\n$/, ""));
    }
    yield* printList(
      limit,
      listOf(ask, (client, query, id) => client.recipients.list(id, { ...query, ...filters })),
      ({ status, test }) => [
        "device_id",
        "installation_id",
        ["status", status + (test ? " (test)" : "")],
        "at",
        "opened_at",
        "clicked_at",
        "reason",
      ],
      "The campaign has no such recipients.",
    );
  },
});

const nouns = {
  notifications: "notification",
  media: "media file",
  locations: "location",
  location_groups: "location group",
  segments: "segment",
};

const countsText = (counts: CopyCounts): string => {
  const parts = (Object.keys(nouns) as ReadonlyArray<keyof typeof nouns>)
    .filter((kind) => counts[kind] > 0)
    .map((kind) => counted(counts[kind], nouns[kind]));
  return parts.length === 0 ? "nothing" : parts.join(", ");
};

/** `waypost campaign copy` */
export const copyCampaign = campaigns.item("copy", {
  description: "Copy a campaign, paused, with all that it refers to",
  examples: [
    `waypost campaign copy "Opening week" ${inSandbox} --to production`,
    `waypost campaign copy "Opening week" ${inSandbox} --to production --dry-run`,
  ],
  flags: {
    to: Flag.Literals("to", ["sandbox", "production"]).pipe(
      Flag.withDescription("Environment of the copy. Only the operator key copies to the other one"),
    ),
    name: optionalFlag(
      "name",
      "Name of the copy. If left out: the same in the other environment, “Copy of …” in the same one",
    ),
    dryRun: switchFlag("dry-run", "Only say what the copy would make"),
  },
  request: (client, id, { dryRun, name, to }) =>
    client.copies.copy(id, { environment: to, name }, { dryRun }),
  text: ({ data, made, matched }, { to }) =>
    [
      data === null
        ? "Dry run: nothing was made."
        : `Made the campaign "${data.name}" in ${environmentName(to)}. It is ${data.status}.`,
      details([
        ["id", data?.id ?? "none"],
        ["made", countsText(made)],
        ["matched", countsText(matched)],
      ]),
    ].join("\n\n"),
});

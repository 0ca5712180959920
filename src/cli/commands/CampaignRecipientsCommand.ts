import { Console, Option } from "effect";
import { RecipientOutcome } from "../../sending/recipients/RecipientsApi.ts";
import { listOf } from "../Ask.ts";
import { badUsage } from "../CommandRefused.ts";
import { command } from "../DeclaredCommand.ts";
import { choiceFlag, limitFlag, optionalFlag, switchFlag } from "../Flags.ts";
import { Json } from "../Operator.ts";
import { campaignFlags, findCampaign, openPlatform } from "../Platform.ts";
import { printList } from "../terminal/Output.ts";

/** `waypost campaign recipients` */
export const listRecipients = command("recipients", {
  description: "List whom a campaign has reached, and what came of it",
  examples: [
    'waypost campaign recipients "Opening week" --workspace Acme --environment production --outcome failed',
    'waypost campaign recipients "Opening week" --workspace Acme --environment production --csv',
  ],
  flags: {
    ...campaignFlags,
    outcome: choiceFlag("outcome", RecipientOutcome.literals, "Only recipients with this outcome"),
    search: optionalFlag("search", "Only devices whose installation id or user id has this part"),
    csv: switchFlag("csv", "Print all of them as CSV for spreadsheets"),
    limit: limitFlag,
  },
  *run(flags) {
    if (flags.csv && (yield* Json)) return yield* badUsage("Give either --csv or --json.");
    const platform = yield* openPlatform(flags);
    const id = yield* findCampaign(platform, flags.campaign);
    const filters = {
      outcome: Option.getOrUndefined(flags.outcome),
      q: Option.getOrUndefined(flags.search),
    };
    if (flags.csv) {
      const csv = yield* platform((client) => client.recipients.list.csv(id, filters));
      return yield* Console.log(csv.replace(/\n$/, ""));
    }
    yield* printList(
      flags.limit,
      listOf(platform, (client, query) => client.recipients.list(id, { ...query, ...filters })),
      [
        { heading: "DEVICE", kind: "id", cell: (row) => row.device_id },
        { heading: "INSTALLATION", kind: "id", cell: (row) => row.installation_id },
        { heading: "STATUS", cell: ({ status, test }) => status + (test ? " (test)" : "") },
        { heading: "AT", kind: "instant", cell: ({ at }) => at },
        { heading: "OPENED", kind: "instant", cell: (row) => row.opened_at },
        { heading: "CLICKED", kind: "instant", cell: (row) => row.clicked_at },
        { heading: "REASON", cell: ({ reason }) => reason },
      ],
      "The campaign has no such recipients.",
    );
  },
});

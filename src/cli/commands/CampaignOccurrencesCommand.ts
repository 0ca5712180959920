import { Flag } from "effect/cli";
import type { Occurrence } from "../../client/WaypostClient.ts";
import { listOf } from "../Ask.ts";
import { command } from "../DeclaredCommand.ts";
import { campaignFlags, findCampaign, openPlatform } from "../Platform.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printList } from "../terminal/Output.ts";

const sendsOf = ({ sends }: Occurrence): string =>
  sends.length === 0 ? "none: no notification" : sends.map(({ due_at }) => formatInstant(due_at)).join(", ");

/** `waypost campaign occurrences` */
export const listOccurrences = command("occurrences", {
  description: "List the next dates on which a push campaign sends, with their instants",
  examples: ["waypost campaign occurrences Newsletter --workspace Acme --environment production --limit 5"],
  flags: {
    ...campaignFlags,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("Maximum number of dates, 1 to 100; 10 if left out"),
      Flag.withDefault(10),
    ),
  },
  *run(flags) {
    const platform = yield* openPlatform(flags);
    const id = yield* findCampaign(platform, flags.campaign);
    yield* printList(
      flags.limit,
      listOf(platform, (client, query) => client.occurrences.list(id, query)),
      [
        { heading: "DATE", cell: ({ occurrence }) => occurrence },
        { heading: "SENDS", cell: sendsOf },
      ],
      "The campaign has no date to come.",
    );
  },
});

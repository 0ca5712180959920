import { Option } from "effect";
import type { Send, SendPart } from "../../client/WaypostClient.ts";
import { SendStatus } from "../../sending/sends/Send.ts";
import { isUuid } from "../../wire/Ids.ts";
import { listOf } from "../Ask.ts";
import { refused } from "../CommandRefused.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { choiceFlag, environmentFlags, limitFlag, optionalFlag } from "../Flags.ts";
import { openWorkspace } from "../Platform.ts";
import { printList } from "../terminal/Output.ts";

/** How many parts of a send at a local time are over, such as 3/12; - for other sends. */
const partsDone = (parts: Send["parts"]): string => {
  if (parts === null) return "-";
  const isOpen = ({ status }: SendPart) => status === "scheduled" || status === "running";
  return `${parts.filter((part) => !isOpen(part)).length}/${parts.length}`;
};

const list = command("list", {
  description: "List the scheduled and past sends of an environment, with their progress",
  examples: [
    "waypost send list --workspace Acme --environment production",
    "waypost send list --workspace Acme --environment production --status scheduled",
  ],
  flags: {
    ...environmentFlags,
    campaign: optionalFlag("campaign", "Only sends of the campaign with this id"),
    status: choiceFlag("status", SendStatus.literals, "Only sends with this status"),
    limit: limitFlag,
  },
  *run(flags) {
    if (Option.isSome(flags.campaign) && !isUuid(flags.campaign.value)) {
      return yield* refused(`--campaign must be the id of a campaign; it is "${flags.campaign.value}".`);
    }
    const platform = yield* openWorkspace(flags);
    const filters = {
      campaign: Option.getOrUndefined(flags.campaign),
      status: Option.getOrUndefined(flags.status),
    };
    yield* printList(
      flags.limit,
      listOf(platform, (client, query) => client.sends.list({ ...query, ...filters })),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "CAMPAIGN", cell: (send) => send.campaign_name ?? "(deleted)" },
        { heading: "NOTIFICATION", cell: (send) => send.notification_name ?? "(deleted)" },
        { heading: "DUE", kind: "instant", cell: (send) => send.due_at },
        { heading: "STATUS", cell: ({ status }) => status },
        { heading: "TARGETED", kind: "figure", cell: ({ targeted }) => targeted },
        { heading: "DELIVERED", kind: "figure", cell: ({ delivered }) => delivered },
        { heading: "FAILED", kind: "figure", cell: ({ failed }) => failed },
        { heading: "PARTS", kind: "figure", cell: ({ parts }) => partsDone(parts) },
      ],
      "No send matches.",
    );
  },
});

/** `waypost send …` */
export const sendCommand = operatorCommands("send", {
  description: "Sends of push campaigns at fixed times",
  examples: ["waypost send list --workspace Acme --environment production"],
  commands: [list],
});

import { Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { SendStatus } from "../../sending/sends/Send.ts";
import type { Send, SendPart } from "../../client/WaypostClient.ts";
import { isUuid } from "../../wire/Ids.ts";
import { CommandRefused } from "../CommandRefused.ts";
import { pageOf } from "../Ask.ts";
import { environmentFlags, limitFlag } from "../Lookups.ts";
import { operatorFlags } from "../Operator.ts";
import { openWorkspace } from "../Platform.ts";
import { printList } from "../terminal/Output.ts";

/** How many parts of a send at a local time are over, such as 3/12; - for other sends. */
const partsDone = (parts: Send["parts"]): string => {
  if (parts === null) return "-";
  const isOpen = ({ status }: SendPart) => status === "scheduled" || status === "running";
  return `${parts.filter((part) => !isOpen(part)).length}/${parts.length}`;
};

const list = Command.make(
  "list",
  {
    ...environmentFlags,
    campaign: Flag.String("campaign").pipe(
      Flag.withDescription("Only sends of the campaign with this id"),
      Flag.optional,
    ),
    status: Flag.Literals("status", SendStatus.literals).pipe(
      Flag.withDescription("Only sends with this status"),
      Flag.optional,
    ),
    limit: limitFlag,
  },
  Effect.fn(function* (flags) {
    if (Option.isSome(flags.campaign) && !isUuid(flags.campaign.value)) {
      return yield* new CommandRefused({
        message: `--campaign must be the id of a campaign; it is "${flags.campaign.value}".`,
      });
    }
    const platform = yield* openWorkspace(flags);
    const filters = {
      ...(Option.isSome(flags.campaign) ? { campaign: flags.campaign.value } : {}),
      ...(Option.isSome(flags.status) ? { status: flags.status.value } : {}),
    };
    yield* printList(
      flags.limit,
      pageOf(platform, (client, query) => client.sends.list({ ...query, ...filters })),
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
  }),
).pipe(
  Command.withDescription("List the scheduled and past sends of an environment, with their progress"),
  Command.withExamples([
    { command: "waypost send list --workspace Acme --environment production" },
    { command: "waypost send list --workspace Acme --environment production --status scheduled" },
  ]),
);

/** `waypost send …` */
export const sendCommand = Command.make("send").pipe(
  Command.withDescription("Sends of push campaigns at fixed times"),
  Command.withSubcommands([list]),
  Command.withExamples([{ command: "waypost send list --workspace Acme --environment production" }]),
  Command.withGlobalFlags(operatorFlags),
);

import { Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import { SendStatus } from "../../sending/Send.ts";
import { isUuid } from "../../wire/Ids.ts";
import { CommandRefused } from "../CommandRefused.ts";
import { environmentFlag, findWorkspace, limitFlag, readList, workspaceFlag } from "../Lookups.ts";
import { operator, operatorFlags } from "../Operator.ts";
import { printList } from "../terminal/Output.ts";
import { figureColumn, idColumn, momentColumn } from "../terminal/Table.ts";

const list = Command.make(
  "list",
  {
    workspace: workspaceFlag,
    environment: environmentFlag,
    campaign: Flag.String("campaign").pipe(
      Flag.withDescription("Only sends of the campaign with this id"),
      Flag.optional,
    ),
    status: Flag.Literals("status", SendStatus.literals).pipe(
      Flag.withDescription("Only sends that stand there"),
      Flag.optional,
    ),
    limit: limitFlag,
  },
  Effect.fn(function* (flags) {
    if (Option.isSome(flags.campaign) && !isUuid(flags.campaign.value)) {
      return yield* new CommandRefused({
        message: `Give the campaign by its id; "${flags.campaign.value}" is none.`,
      });
    }
    const ask = yield* operator;
    const workspace = yield* findWorkspace(ask, flags.workspace);
    const params = { workspace, env: flags.environment };
    const filters = {
      ...(Option.isSome(flags.campaign) ? { campaign: flags.campaign.value } : {}),
      ...(Option.isSome(flags.status) ? { status: flags.status.value } : {}),
    };
    const found = yield* readList(flags.limit, (query) =>
      ask((client) => client.sends.list({ params, query: { ...query, ...filters } })),
    );
    yield* printList(
      found,
      [
        idColumn("ID", ({ id }) => id),
        idColumn("CAMPAIGN", (send) => send.campaign_id),
        momentColumn("DUE", (send) => send.due_at),
        { heading: "STATUS", cell: ({ status }) => status },
        figureColumn("TARGETED", ({ targeted }) => targeted),
        figureColumn("DELIVERED", ({ delivered }) => delivered),
        figureColumn("FAILED", ({ failed }) => failed),
      ],
      "There is no such send.",
    );
  }),
).pipe(
  Command.withDescription("List scheduled and past sends of an environment, with how far they are"),
  Command.withExamples([
    { command: "waypost send list --workspace Acme --environment production" },
    { command: "waypost send list --workspace Acme --environment production --status scheduled" },
  ]),
);

/** `waypost send …` */
export const sendCommand = Command.make("send").pipe(
  Command.withDescription("What push campaigns send at fixed times"),
  Command.withSubcommands([list]),
  Command.withExamples([{ command: "waypost send list --workspace Acme --environment production" }]),
  Command.withGlobalFlags(operatorFlags),
);

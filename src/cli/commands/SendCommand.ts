import type { Send, SendPart } from "../../client/WaypostClient.ts";
import { SendStatus } from "../../sending/sends/Send.ts";
import { isUuid } from "../../wire/Ids.ts";
import { platform } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { choiceFlag, optionalFlag } from "../Flags.ts";
import { inProduction, resource } from "../Resource.ts";
import { figures } from "../terminal/ItemFields.ts";

/** How many parts of a send at a local time are over, such as 3/12; - for other sends. */
const partsDone = (parts: Send["parts"]): string => {
  if (parts === null) return "-";
  const isOpen = ({ status }: SendPart) => status === "scheduled" || status === "running";
  return `${parts.filter((part) => !isOpen(part)).length}/${parts.length}`;
};

const sends = resource({
  target: platform,
  command: "send",
  at: inProduction,
  filters: {
    campaign: optionalFlag("campaign", "Only sends of the campaign with this id"),
    status: choiceFlag("status", SendStatus.literals, "Only sends with this status"),
  },
  list: (client, { campaign, ...query }) => {
    if (campaign !== undefined && !isUuid(campaign))
      throw new TypeError(`--campaign must be the id of a campaign; it is "${campaign}".`);
    return client.sends.list({ ...query, campaign });
  },
  columns: (send) => [
    "id",
    ["campaign", send.campaign_name ?? "(deleted)"],
    ["notification", send.notification_name ?? "(deleted)"],
    "due_at",
    "status",
    ...figures(send, "targeted", "delivered", "failed"),
    ["parts", partsDone(send.parts), "figure"],
  ],
});

/** `waypost send …` */
export const sendCommand = operatorCommands("send", {
  description: "Sends of push campaigns at fixed times",
  examples: [`waypost send list ${inProduction}`],
  commands: [
    sends.list({
      description: "List the scheduled and past sends of an environment, with their progress",
      examples: [`waypost send list ${inProduction}`, `waypost send list ${inProduction} --status scheduled`],
      whenEmpty: "No send matches.",
    }),
  ],
});

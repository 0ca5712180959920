import type { ResourceChange } from "../activity/Activity.ts";
import type { Webhook } from "./Webhook.ts";

/** The fields that people change. */
const recorded = ({ batch, description, events, status, url }: Webhook) => ({
  url,
  events,
  description,
  batch,
  status,
});

/** The change of a webhook for activity (contract S5). */
export const webhookChange = (
  action: "create" | "update" | "delete",
  before: Webhook | null,
  after: Webhook | null,
): ResourceChange => {
  const shown = after ?? before;
  return {
    action,
    resource: { type: "webhook", id: shown?.id ?? null, name: shown?.description ?? null },
    before: before && recorded(before),
    after: after && recorded(after),
  };
};

/** A new secret of a webhook: the entry names the field alone. */
export const secretChange = ({ description, id }: Webhook): ResourceChange => ({
  action: "update",
  resource: { type: "webhook", id, name: description },
  before: { secret: "old" },
  after: { secret: "new" },
  isSecret: true,
});

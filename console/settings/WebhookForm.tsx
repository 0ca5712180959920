/** The form of a webhook, new or there. */
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Webhook } from "../data/Resources.ts";
import { CheckGroup } from "../parts/form/CheckGroup.tsx";
import { CheckField, TextField } from "../parts/form/Fields.tsx";
import { FormDialog } from "../parts/form/FormDialog.tsx";
import { useForm } from "../parts/form/Form.tsx";

type ListenedType = Webhook["events"][number];

const eventTypes = [
  "message.delivered",
  "message.failed",
  "message.opened",
  "message.clicked",
  "survey.answered",
  "device.registered",
  "device.unregistered",
  "device.subscribed",
  "device.unsubscribed",
  "location.entered",
  "location.exited",
  "event.custom",
  "send.finished",
  "campaign.created",
  "campaign.updated",
  "campaign.deleted",
] as const;

interface WebhookValues {
  readonly url: string;
  readonly description: string;
  readonly events: ReadonlyArray<ListenedType>;
  readonly batch: boolean;
}

const valuesOf = (webhook: Webhook | null): WebhookValues => ({
  url: webhook?.url ?? "",
  description: webhook?.description ?? "",
  events: webhook?.events ?? ["*"],
  batch: webhook?.batch ?? false,
});

const EventChoice = ({
  chosen,
  onChosen,
}: {
  readonly chosen: ReadonlyArray<ListenedType>;
  readonly onChosen: (events: ReadonlyArray<ListenedType>) => void;
}) => {
  const isAll = chosen.includes("*");
  return (
    <CheckGroup
      label="Events"
      name="events"
      all={isAll ? [] : eventTypes}
      chosen={chosen}
      onChosen={onChosen}
    >
      <CheckField
        label="All, also types to come"
        isChecked={isAll}
        onValue={(isOn) => onChosen(isOn ? ["*"] : [])}
      />
    </CheckGroup>
  );
};

/** "New webhook" and "Edit webhook". `onSaved` gets the secret of a new one. */
export const WebhookForm = ({
  onClose,
  onSaved,
  webhook,
}: {
  readonly webhook: Webhook | null;
  readonly onClose: () => void;
  readonly onSaved: (secret: string | null) => void;
}) => {
  const form = useForm({
    draft: `webhook ${webhook?.id ?? "new"}`,
    initial: valuesOf(webhook),
    send: async ({ description, ...values }, idempotencyKey) => {
      const draft = { ...values, description: description.trim() === "" ? null : description };
      let secret: string | null = null;
      if (webhook === null)
        ({ secret } = (await send(platform.webhooks.create(draft, { idempotencyKey }))).data);
      else await send(platform.webhooks.update(webhook.id, draft, { idempotencyKey }));
      await refresh();
      onSaved(secret);
    },
  });
  const { batch, events } = form.values.value;
  const title = webhook === null ? "New webhook" : "Edit webhook";
  return (
    <FormDialog title={title} action="Save webhook" form={form} onClose={onClose}>
      <TextField
        {...form.field("url")}
        label="Address"
        hint="It is called with each event, signed by Standard Webhooks."
        type="url"
      />
      <TextField {...form.field("description")} label="Purpose" hint="Optional." />
      <EventChoice chosen={events} onChosen={(value) => form.set({ events: value })} />
      <CheckField
        label="Up to 500 events in one call"
        isChecked={batch}
        onValue={(isChecked) => form.set({ batch: isChecked })}
      />
    </FormDialog>
  );
};

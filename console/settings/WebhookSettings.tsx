/** Webhooks of the environment: where they lead, and whether they work. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Webhook } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { linkColumn, textColumn, timeColumn } from "../parts/Columns.tsx";
import type { Column } from "../parts/DataTable.tsx";
import { LoadedTable } from "../parts/list/LoadedTable.tsx";
import { SecretDialog } from "../parts/SecretDialog.tsx";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { WebhookForm } from "./WebhookForm.tsx";

/** The status of a webhook. */
export const WebhookBadge = ({ status }: Pick<Webhook, "status">) =>
  status === "active" ? <Badge text="Active" tone="good" /> : <Badge text="Disabled" tone="bad" />;

const columns: ReadonlyArray<Column<Webhook>> = [
  linkColumn(
    "Address",
    ({ url }) => url,
    ({ id }) => addressOf(`/settings/webhooks/${id}`),
    ({ description }) => description !== null && <p class="quiet">{description}</p>,
  ),
  { key: "status", heading: "Status", cell: (webhook) => <WebhookBadge {...webhook} /> },
  textColumn("events", "Events", ({ events }) => (events.includes("*") ? "all" : events.join(", "))),
  timeColumn("last", "Last attempt", (webhook) => webhook.last_attempt_at, "none yet"),
];

/** The webhooks, each with a page of its attempts. */
export const WebhookSettings = () => {
  const list = useData(platform.webhooks.list({ limit: 100 }));
  const [isNew, setNew] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <CardSection
      title="Webhooks"
      id="webhooks"
      actions={may("webhooks:write") && <Button onPress={() => setNew(true)}>New webhook</Button>}
    >
      <p class="quiet">Addresses that receive the events of this environment. Each has a list of attempts.</p>
      <LoadedTable
        list={list}
        label="Webhooks"
        columns={columns}
        rowKey={({ id }) => id}
        empty="No webhook yet. One sends what happens here to another system."
      />
      {isNew && (
        <WebhookForm
          webhook={null}
          onClose={() => setNew(false)}
          onSaved={(made) => {
            setNew(false);
            setSecret(made);
          }}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title="Secret of the webhook"
          label="Secret"
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </CardSection>
  );
};

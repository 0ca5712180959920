/** Actions on a webhook: edit, test, disable, replace its secret, delete. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Webhook, WebhookTestResult } from "../data/Resources.ts";
import { ActionButton } from "../parts/ActionButton.tsx";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { ConfirmButton } from "../parts/ConfirmButton.tsx";
import { ConfirmDialog } from "../parts/Dialog.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { SecretDialog } from "../parts/SecretDialog.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { WebhookForm } from "./WebhookForm.tsx";

const testText = ({ duration_ms: millis, error, status_code: status }: WebhookTestResult): string =>
  `${error ?? `The receiver answered with status ${status}.`} It took ${formatNumber(millis)} ms.`;

/** The buttons beside the heading. */
export const WebhookActions = ({ webhook }: { readonly webhook: Webhook }) => {
  const [open, setOpen] = useState<"edit" | "secret" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const { id } = webhook;
  const close = () => setOpen(null);
  const test = async (): Promise<void> => {
    const result = testText((await send(platform.webhooks.test(id))).data);
    await refresh();
    showToast(result);
  };
  const isActive = webhook.status === "active";
  const toggle = async (): Promise<void> => {
    await send(platform.webhooks.update(id, { status: isActive ? "disabled" : "active" }));
    await refresh();
    showToast(isActive ? "The webhook is disabled." : "The webhook is active.");
  };
  return (
    <>
      {may("webhooks:write") && (
        <>
          <Button onPress={() => setOpen("edit")}>Edit</Button>
          <ActionButton onPress={test}>Send a test</ActionButton>
          <ActionButton onPress={toggle}>{isActive ? "Disable" : "Enable"}</ActionButton>
          <Button onPress={() => setOpen("secret")}>Replace secret</Button>
          <ConfirmButton
            title="Delete this webhook?"
            action="Delete"
            request={platform.webhooks.delete(id)}
            done="The webhook is deleted."
            leadsTo="/settings"
          >
            <p>Events that wait for it are not sent. Its attempts are no longer listed.</p>
          </ConfirmButton>
        </>
      )}
      <ButtonLink href={addressOf("/settings")}>All settings</ButtonLink>
      {open === "edit" && (
        <WebhookForm
          webhook={webhook}
          onClose={close}
          onSaved={() => {
            close();
            showToast("Saved.");
          }}
        />
      )}
      {open === "secret" && (
        <ConfirmDialog
          title="Replace the secret?"
          action="Replace secret"
          onClose={close}
          onConfirm={async () => {
            setSecret((await send(platform.webhooks.secret(id))).data.secret);
          }}
        >
          <p>The new secret is shown once. The old one signs too for 24 hours.</p>
        </ConfirmDialog>
      )}
      {secret !== null && (
        <SecretDialog title="New secret" label="Secret" secret={secret} onClose={() => setSecret(null)} />
      )}
    </>
  );
};

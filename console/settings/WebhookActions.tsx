/** Actions on a webhook: edit, test, disable, replace its secret, delete. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { type ApiProblem, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Webhook, WebhookTestResult } from "../data/Resources.ts";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { ConfirmDialog } from "../parts/Dialog.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { SecretDialog } from "../parts/SecretDialog.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, navigate } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { WebhookForm } from "./WebhookForm.tsx";

const testText = ({ duration_ms: millis, error, status_code: status }: WebhookTestResult): string =>
  `${error ?? `The receiver answered with status ${status}.`} It took ${formatNumber(millis)} ms.`;

interface ActionsProps {
  readonly webhook: Webhook;
  readonly onProblem: (problem: ApiProblem | undefined) => void;
}

/** The buttons beside the heading. */
export const WebhookActions = ({ onProblem, webhook }: ActionsProps) => {
  const [open, setOpen] = useState<"edit" | "secret" | "delete" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { id } = webhook;
  const close = () => setOpen(null);
  const act = async (work: () => Promise<string>): Promise<void> => {
    setBusy(true);
    onProblem(undefined);
    try {
      const done = await work();
      await refresh();
      showToast(done);
    } catch (error) {
      onProblem(error as ApiProblem);
    }
    setBusy(false);
  };
  const test = () =>
    act(async () => {
      return testText((await send(platform.webhooks.test(id))).data);
    });
  const isActive = webhook.status === "active";
  const toggle = () =>
    act(async () => {
      await send(platform.webhooks.update(id, { status: isActive ? "disabled" : "active" }));
      return isActive ? "The webhook is disabled." : "The webhook is active.";
    });
  return (
    <>
      {may("webhooks:write") && (
        <>
          <Button onPress={() => setOpen("edit")}>Edit</Button>
          <Button isBusy={isBusy} onPress={() => void test()}>
            Send a test
          </Button>
          <Button isBusy={isBusy} onPress={() => void toggle()}>
            {isActive ? "Disable" : "Enable"}
          </Button>
          <Button onPress={() => setOpen("secret")}>Replace secret</Button>
          <Button onPress={() => setOpen("delete")}>Delete</Button>
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
      {open === "delete" && (
        <ConfirmDialog
          title="Delete this webhook?"
          action="Delete"
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await send(platform.webhooks.delete(id));
            navigate(addressOf("/settings"));
            showToast("The webhook is deleted.");
          }}
        >
          <p>Events that wait for it are not sent. Its attempts are no longer listed.</p>
        </ConfirmDialog>
      )}
      {secret !== null && (
        <SecretDialog title="New secret" label="Secret" secret={secret} onClose={() => setSecret(null)} />
      )}
    </>
  );
};

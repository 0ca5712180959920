import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type ApiRequest, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import { addressOf, navigate } from "../routing/Router.ts";
import { Button } from "./Button.tsx";
import { ConfirmDialog } from "./Dialog.tsx";
import { showToast } from "./Toasts.tsx";

interface ConfirmButtonProps {
  /** The title of the question. */
  readonly title: string;
  /** The text of both buttons. */
  readonly action: string;
  readonly label?: string;
  readonly request?: ApiRequest<unknown>;
  /** Does it, where that is more than a request. @throws ApiProblem */
  readonly send?: () => Promise<unknown>;
  readonly isDangerous?: boolean;
  /** Says what was done. */
  readonly done: string;
  readonly variant?: "plain" | "secondary";
  /** The page that is shown after it, where this one is about what has ended. */
  readonly leadsTo?: string;
  /** The effect of the action. */
  readonly children: ComponentChildren;
}

/** A button that ends something. It asks first, and says what will happen. */
export const ConfirmButton = ({
  action,
  children,
  done,
  isDangerous = true,
  label = action,
  leadsTo,
  request,
  send: doIt = async () => request && send(request),
  title,
  variant = "secondary",
}: ConfirmButtonProps) => {
  const [isAsking, setAsking] = useState(false);
  const confirm = async (): Promise<void> => {
    await doIt();
    if (leadsTo !== undefined) navigate(addressOf(leadsTo));
    await refresh();
    showToast(done);
  };
  const close = () => setAsking(false);
  return (
    <>
      <Button variant={variant} label={label} onPress={() => setAsking(true)}>
        {action}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={title}
          action={action}
          isDangerous={isDangerous}
          onConfirm={confirm}
          onClose={close}
        >
          {children}
        </ConfirmDialog>
      )}
    </>
  );
};

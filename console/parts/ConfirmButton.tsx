/** Buttons that end something. They ask first, and say what will happen. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type ApiRequest, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import { addressOf, navigate } from "../routing/Router.ts";
import { Button } from "./Button.tsx";
import { ConfirmDialog } from "./Dialog.tsx";
import { showToast } from "./Toasts.tsx";

interface AskingProps {
  /** The title of the question. */
  readonly title: string;
  /** The text of both buttons. */
  readonly action: string;
  readonly label?: string;
  readonly variant?: "plain" | "secondary";
  readonly onConfirm: () => Promise<unknown>;
  /** The effect of the action. */
  readonly children: ComponentChildren;
}

/** A button that does something after a confirmation. */
export const AskingButton = ({
  action,
  children,
  label = action,
  onConfirm,
  title,
  variant = "secondary",
}: AskingProps) => {
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  return (
    <>
      <Button variant={variant} label={label} onPress={() => setAsking(true)}>
        {action}
      </Button>
      {isAsking && (
        <ConfirmDialog title={title} action={action} isDangerous onConfirm={onConfirm} onClose={close}>
          {children}
        </ConfirmDialog>
      )}
    </>
  );
};

interface ConfirmButtonProps extends Omit<AskingProps, "onConfirm"> {
  readonly request: ApiRequest<unknown>;
  /** Says what was done. */
  readonly done: string;
  /** The page that is shown after it, where this one is about what has ended. */
  readonly leadsTo?: string;
}

/** A button that sends one request after a confirmation. */
export const ConfirmButton = ({ done, leadsTo, request, ...asking }: ConfirmButtonProps) => {
  const confirm = async (): Promise<void> => {
    await send(request);
    if (leadsTo !== undefined) navigate(addressOf(leadsTo));
    await refresh();
    showToast(done);
  };
  return <AskingButton {...asking} onConfirm={confirm} />;
};

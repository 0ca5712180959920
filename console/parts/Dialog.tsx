/** Dialogs: the native element keeps the focus inside, closes on Escape and gives the focus back. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ApiProblem } from "../data/ApiCall.ts";
import { Button } from "./Button.tsx";
import { ProblemText } from "./PageFrame.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Whether only its buttons close it, and Escape does not. */
  readonly isKept?: boolean;
  readonly children: ComponentChildren;
  /** The buttons, the main one first. */
  readonly actions: ComponentChildren;
}

/** A modal dialog, open while it is rendered. */
export const Dialog = ({ actions, children, isKept = false, onClose, title }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class="dialog"
      aria-labelledby={id}
      // Browsers close it on the second Escape, whatever happens on the first.
      onKeyDown={(event) => {
        if (isKept && event.key === "Escape") event.preventDefault();
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (!isKept) onClose();
      }}
    >
      <h2 id={id} dir="auto">
        {title}
      </h2>
      <div class="dialog-body">{children}</div>
      <div class="actions">{actions}</div>
    </dialog>
  );
};

interface ConfirmDialogProps {
  readonly title: string;
  /** The effect of the action. */
  readonly children: ComponentChildren;
  /** The button that does it, such as "Delete". */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Does it; the dialog stays open with the sentence of a refusal. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before it does something, and says what will happen. */
export const ConfirmDialog = ({
  action,
  children,
  isDangerous = false,
  onClose,
  onConfirm,
  title,
}: ConfirmDialogProps) => {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const confirm = () => {
    setBusy(true);
    onConfirm().then(onClose, (error: unknown) => {
      setProblem(error as ApiProblem);
      setBusy(false);
    });
  };
  const actions = (
    <>
      <Button variant={isDangerous ? "danger" : "primary"} isBusy={isBusy} onPress={confirm}>
        {action}
      </Button>
      <Button onPress={onClose}>Cancel</Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} actions={actions}>
      {children}
      <ProblemText text={problem?.message} />
    </Dialog>
  );
};

/** A secret that is shown once. */
import { useId, useState } from "preact/hooks";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";

interface SecretDialogProps {
  readonly title: string;
  readonly label: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows a new secret with "Copy". It is kept nowhere: after closing nobody can read it again. */
export const SecretDialog = ({ label, onClose, secret, title }: SecretDialogProps) => {
  const id = useId();
  const [result, setResult] = useState("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(secret);
      setResult("Copied.");
    } catch {
      // Browsers refuse it without https, and by choice of the person.
      const field = document.getElementById(id);
      if (field instanceof HTMLInputElement) field.select();
      setResult("The browser did not copy it. The text is selected: copy it with the keyboard.");
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      isKept
      actions={
        <>
          <Button variant="primary" onPress={() => void copy()}>
            Copy
          </Button>
          <Button onPress={onClose}>Done</Button>
        </>
      }
    >
      <p>Keep it safe now. It is shown only here.</p>
      <div class="field">
        <label for={id}>{label}</label>
        <input id={id} class="secret" type="text" readOnly value={secret} />
      </div>
      <p role="status">{result}</p>
    </Dialog>
  );
};

import type { ComponentChildren } from "preact";
import { Button } from "../Button.tsx";
import { Dialog } from "../Dialog.tsx";
import { Form, type FormModel } from "./Form.tsx";

interface FormDialogProps<Values extends object> {
  readonly title: string;
  /** The button that sends the form; by default the title. */
  readonly action?: string;
  readonly form: FormModel<Values>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog with the fields of a form. */
export const FormDialog = <Values extends object>({
  action,
  children,
  form,
  onClose,
  title,
}: FormDialogProps<Values>) => (
  <Dialog title={title} onClose={onClose} actions={<Button onPress={onClose}>Cancel</Button>}>
    <Form model={form} label={title}>
      {children}
      <Button type="submit" variant="primary" isBusy={form.isSending.value}>
        {action ?? title}
      </Button>
    </Form>
  </Dialog>
);

/** Says that a form begins with what was typed earlier. */
import { useState } from "preact/hooks";
import { Button } from "../Button.tsx";
import type { FormModel } from "./Form.tsx";

/** Shown while a form holds a kept draft, with the way back to the values before it. */
export const DraftNotice = <Values extends object>({
  form,
  initial,
}: {
  readonly form: FormModel<Values>;
  readonly initial: Values;
}) => {
  const [wasKept] = useState(form.isChanged.peek());
  if (!wasKept || !form.isChanged.value) return null;
  return (
    <div class="notice draft-notice" role="status">
      <p>What you typed earlier is here again. It is not saved yet.</p>
      <Button onPress={() => form.reset(initial)}>Discard it</Button>
    </div>
  );
};

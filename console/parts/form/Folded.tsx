import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { FormModel } from "./Form.tsx";

/** Fields that few need, folded under a line that says what is set. They open with a problem at one. */
export const Folded = <Values extends object>({
  children,
  form,
  names,
  summary,
}: {
  readonly form: FormModel<Values>;
  /** The API's names of its fields. */
  readonly names: RegExp;
  readonly summary: ComponentChildren;
  readonly children: ComponentChildren;
}) => {
  const [isOpen, setOpen] = useState(false);
  const hasProblems = Object.keys(form.problems.value).some((name) => names.test(name));
  return (
    <details
      class="folded"
      open={isOpen || hasProblems}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{summary}</summary>
      {children}
    </details>
  );
};

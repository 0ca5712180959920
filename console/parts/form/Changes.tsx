/** Changes of a form that are not saved yet. */
import type { FormModel } from "./Form.tsx";
import { isSame } from "./VersionConflict.tsx";

/** The fields that a form changes, each with what it was and what it becomes. */
export const changesOf = <Values extends object, Name extends keyof Values & string>(
  { base, values }: FormModel<Values>,
  labels: ReadonlyArray<readonly [field: Name, label: string]>,
  show: (value: Values[Name]) => string,
): ReadonlyArray<string> =>
  labels.flatMap(([key, label]) =>
    isSame(base.value[key], values.value[key])
      ? []
      : [`${label}: ${show(base.value[key]) || "empty"} → ${show(values.value[key]) || "empty"}`],
  );

/** Says what is changed, and of a live campaign for whom. */
export const Changes = ({
  changes,
  isInEffect,
}: {
  readonly changes: ReadonlyArray<string>;
  readonly isInEffect: boolean;
}) => (
  <section class="changes" aria-label="Changes">
    <p>
      {changes.length === 0 && "Nothing is changed."}
      {changes.length > 0 && !isInEffect && "What is changed:"}
      {changes.length > 0 &&
        isInEffect &&
        "This changes at once, for every device. Messages that went out stay as they are:"}
    </p>
    <ul class="bullets">
      {changes.map((change) => (
        <li key={change} dir="auto">
          {change}
        </li>
      ))}
    </ul>
  </section>
);

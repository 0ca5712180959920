/** Changes of somebody else to what a form edits, merged by field. Both values of a clash are shown. */
import { useEffect, useState } from "preact/hooks";
import { Button } from "../Button.tsx";
import { type Column, DataTable } from "../DataTable.tsx";
import type { FormModel } from "./Form.tsx";

interface VersionConflictProps<Values extends object, Name extends keyof Values & string> {
  readonly form: FormModel<Values>;
  /** The saved values as they are now; null if there are none. */
  readonly saved: Values | null;
  /** The noun that was changed, such as "campaign". */
  readonly noun: string;
  readonly labels: ReadonlyArray<readonly [field: Name, label: string]>;
  readonly show: (value: Values[Name]) => string;
}

/** Whether two values of a field are equal. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const keysOf = <Values extends object>(values: Values) => Object.keys(values) as Array<keyof Values & string>;

/** Whether somebody else saved another version than the one that a form began with. */
export const isBehind = <Values extends { readonly version: string }>(
  form: FormModel<Values>,
  saved: Values | null,
): boolean => saved !== null && saved.version !== form.values.value.version;

/** Takes over what only others changed, says so, and asks about fields that both changed. */
export const VersionConflict = <
  Values extends { readonly version: string },
  Name extends keyof Values & string,
>({
  form,
  labels,
  noun,
  saved,
  show,
}: VersionConflictProps<Values, Name>) => {
  const [taken, setTaken] = useState<ReadonlyArray<string>>([]);
  const [base, mine] = [form.base.value, form.values.value];
  // A save reads it again itself.
  const behind = saved !== null && !form.isSending.value && isBehind(form, saved);
  const isTheirs = (key: keyof Values) =>
    saved !== null && key !== "version" && !isSame(saved[key], base[key]);
  const isMine = (key: keyof Values) => key !== "version" && !isSame(mine[key], base[key]);
  const clashes = behind
    ? keysOf(mine).filter((key) => isTheirs(key) && isMine(key) && !isSame(mine[key], saved?.[key]))
    : [];
  const labelOf = (key: string) => labels.find(([field]) => field === key)?.[1] ?? key;
  useEffect(() => {
    if (!behind || clashes.length > 0) return;
    const hasOwn = keysOf(mine).some(isMine);
    setTaken(hasOwn ? keysOf(mine).filter(isTheirs).map(labelOf) : []);
    const own = keysOf(mine).filter(isMine);
    if (form.refusal.value !== null)
      requestAnimationFrame(() =>
        document.getElementById(`merged-${noun}`)?.scrollIntoView({ block: "nearest" }),
      );
    form.rebase({ ...saved, ...Object.fromEntries(own.map((key) => [key, mine[key]])) }, saved);
  }, [behind, clashes.length, saved?.version]);
  const hasClashes = clashes.length > 0;
  useEffect(() => {
    // The button that was refused is far below. Nobody is moved while typing.
    if (hasClashes && form.refusal.value !== null) document.getElementById(`conflict-${noun}`)?.focus();
  }, [hasClashes]);
  /** Decides fields: from now on the saved value is the one that the form began with. */
  const decide = (keys: ReadonlyArray<keyof Values & string>, isKept: boolean): void => {
    if (saved === null) return;
    const theirs = Object.fromEntries(keys.map((key) => [key, saved[key]]));
    form.rebase(isKept ? mine : { ...mine, ...theirs }, { ...base, ...theirs });
  };
  const choice = (key: keyof Values & string, action: "Keep mine" | "Take theirs", value: unknown) => (
    <>
      <p>{show(value as Values[Name]) || <span class="quiet">empty</span>}</p>
      <Button label={`${action}: ${labelOf(key)}`} onPress={() => decide([key], action === "Keep mine")}>
        {action}
      </Button>
    </>
  );
  const columns: ReadonlyArray<Column<keyof Values & string>> = [
    { key: "field", heading: "Field", cell: labelOf },
    { key: "mine", heading: "Your version", cell: (key) => choice(key, "Keep mine", mine[key]) },
    { key: "saved", heading: "Saved version", cell: (key) => choice(key, "Take theirs", saved?.[key]) },
  ];
  if (clashes.length === 0)
    return taken.length === 0 ? null : (
      <p class="notice" role="status" id={`merged-${noun}`}>
        Somebody else changed this {noun} meanwhile: {taken.join(", ")}. That is here now, beside your own
        changes, which are not saved yet.
      </p>
    );
  return (
    <section class="notice notice-problem conflict" aria-labelledby={`conflict-${noun}`}>
      <h2 id={`conflict-${noun}`} tabIndex={-1}>
        Somebody else changed this {noun} meanwhile
      </h2>
      <p>Nothing was overwritten. Choose which value holds, for each field or for all.</p>
      <DataTable label="Both versions" columns={columns} rows={clashes} rowKey={(key) => key} />
      <div class="actions">
        <Button onPress={() => decide(clashes, true)}>Keep my version</Button>
        <Button onPress={() => decide(clashes, false)}>Take the saved version</Button>
      </div>
    </section>
  );
};

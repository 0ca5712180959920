/** Forms: values that survive, and every problem that the API names at its field. */
import { type Signal, useComputed, useSignal } from "@preact/signals";
import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiProblem } from "../../data/ApiCall.ts";
import { keepDraft } from "../../session/Drafts.ts";
import { environment, workspaceId } from "../../session/Scope.ts";
import { type BoundField, fieldsOf, type TextNames } from "./BoundField.ts";
import { formDraftKey, leaveFormDraft, type Problems, takeFormDraft } from "./FormDraft.ts";

/** A form while it is filled in. */
export interface FormModel<Values extends object> {
  readonly values: Signal<Values>;
  /** The values that the form began with. */
  readonly base: Signal<Values>;
  /** Sentences by the API's field name. */
  readonly problems: Signal<Problems>;
  /** The sentence of a refusal that names no field. */
  readonly refusal: Signal<string | null>;
  readonly isSending: Signal<boolean>;
  /** Whether the values differ from those that the form began with. */
  readonly isChanged: Signal<boolean>;
  readonly set: (changes: Partial<Values>) => void;
  /** Binds a field to a value. `name` is the API's name, where it is not that of the value. */
  readonly field: (key: TextNames<Values>, name?: string) => BoundField;
  /** Begins again with these values, and forgets the draft. */
  readonly reset: (values: Values) => void;
  /** Continues with these values, as changes of other values than those that the form began with. */
  readonly rebase: (values: Values, base: Values) => void;
  /** Sends the values. Returns whether they were accepted. */
  readonly submit: () => Promise<boolean>;
  /** Leaves the values, and what is wrong with them, to the form of another draft, which begins later. */
  readonly moveTo: (draft: string) => void;
  /** The names of the fields that are on the page. */
  readonly fields: Set<string>;
}

interface FormOptions<Values extends object> {
  /** The name of the form, under which what was typed is kept; null keeps nothing, as for secrets. */
  readonly draft: string | null;
  readonly initial: Values;
  /**
   * Sends the values. The key makes a change once: it stays the same until a value changes.
   * @throws ApiProblem
   */
  readonly send: (values: Values, idempotencyKey: string) => Promise<unknown>;
}

const asProblem = (error: unknown): ApiProblem =>
  error instanceof ApiProblem ? error : new ApiProblem(null, "unexpected", String(error));

/** A form with its draft. Change `draft` (or the key of the component) to begin another form. */
export const useForm = <Values extends object>({
  draft,
  initial,
  send,
}: FormOptions<Values>): FormModel<Values> => {
  const scope = `${workspaceId.value} ${environment.value}`;
  const key = useMemo(() => formDraftKey(draft), [draft, scope]);
  const kept = useMemo(() => takeFormDraft(key), [key]);
  const base = useSignal<Values>({ ...initial, ...kept.base });
  const values = useSignal<Values>({ ...initial, ...kept.values });
  const problems = useSignal<Problems>(kept.problems ?? {});
  const refusal = useSignal<string | null>(kept.refusal ?? null);
  const isSending = useSignal(false);
  const isChanged = useComputed(() => JSON.stringify(values.value) !== JSON.stringify(base.value));
  const idempotencyKey = useRef("");
  const sender = useRef(send);
  sender.current = send;

  return useMemo((): FormModel<Values> => {
    const fields = new Set<string>();
    const clear = () => {
      problems.value = {};
      refusal.value = null;
    };
    const keep = (): void => {
      if (key !== null)
        keepDraft(key, isChanged.value ? { base: base.value, values: values.value } : undefined);
    };
    const set = (changes: Partial<Values>): void => {
      values.value = { ...values.value, ...changes };
      idempotencyKey.current = "";
      keep();
    };
    const begin = (next: Values, from: Values): void => {
      base.value = from;
      values.value = next;
      idempotencyKey.current = "";
      clear();
      keep();
    };
    return {
      values,
      base,
      problems,
      refusal,
      isSending,
      isChanged,
      fields,
      set,
      field: (of, name) => fieldsOf(values.value, set)(of, name),
      reset: (next) => begin(next, next),
      rebase: begin,
      moveTo: (name) => {
        const [from, typed] = [base.value, values.value];
        leaveFormDraft(name, { base: from, values: typed, problems: problems.value, refusal: refusal.value });
        begin(from, from);
      },
      submit: async () => {
        if (isSending.value) return false;
        isSending.value = true;
        clear();
        idempotencyKey.current ||= crypto.randomUUID();
        try {
          await sender.current(values.value, idempotencyKey.current);
          begin(values.value, values.value);
          return true;
        } catch (error) {
          const problem = asProblem(error);
          problems.value = problem.fields;
          refusal.value = Object.keys(problem.fields).length === 0 ? problem.message : null;
          return false;
        } finally {
          isSending.value = false;
        }
      },
    };
  }, [key]);
};

/** The form that a field belongs to. */
const CurrentForm = createContext<FormModel<object> | null>(null);

/** Whether a problem's name is that of a field, or lies within it: `questions.0.text` within `questions`. */
const isAt = (name: string, field: string): boolean => name === field || name.startsWith(`${field}.`);

/** The sentences at a field, in the API's words. A problem within a nested field stands at the nearest. */
export const useFieldProblems = (field: string): ReadonlyArray<string> => {
  const form = useContext(CurrentForm);
  useEffect(() => {
    form?.fields.add(field);
    return () => void form?.fields.delete(field);
  }, [form, field]);
  if (form === null) return [];
  const nearest = (name: string) =>
    [...form.fields, field].every((other) => !isAt(name, other) || other.length <= field.length);
  return Object.entries(form.problems.value).flatMap(([name, sentences]) =>
    isAt(name, field) && nearest(name) ? sentences : [],
  );
};

interface ScopeProps<Values extends object> {
  readonly model: FormModel<Values>;
  /** Whether a field is elsewhere, such as on another step: its problems are not said here. */
  readonly isElsewhere?: ((field: string) => boolean) | undefined;
}

/** The problems without a field, at the top of the form. */
const TopProblems = ({ isElsewhere, model: form }: ScopeProps<object>) => {
  // The fields of a form that begins with problems are known only after them.
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  const sentences = Object.entries(form.problems.value).flatMap(([name, each]) =>
    !isReady || isElsewhere?.(name) === true || [...form.fields].some((field) => isAt(name, field))
      ? []
      : each,
  );
  if (form.refusal.value !== null) sentences.push(form.refusal.value);
  const region = useRef<HTMLDivElement>(null);
  // The button may be far below.
  useEffect(() => {
    if (sentences.length > 0) region.current?.scrollIntoView({ block: "nearest" });
  }, [sentences.join(" ")]);
  return (
    <div ref={region} class="form-problems" role="alert">
      {sentences.map((sentence) => (
        <p class="notice notice-problem" key={sentence}>
          {sentence}
        </p>
      ))}
    </div>
  );
};

/** Moves the focus to the first field with a problem. */
export const focusFirstProblem = (): void => {
  document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus();
};

/** Fields of a form, wherever they are: its problems stand at them. */
export const FieldScope = <Values extends object>({
  children,
  model,
}: {
  readonly model: FormModel<Values>;
  readonly children: ComponentChildren;
}) => <CurrentForm.Provider value={model as unknown as FormModel<object>}>{children}</CurrentForm.Provider>;

/** The same, with the problems without a field at the top. */
export const FormScope = <Values extends object>({
  children,
  isElsewhere,
  model,
}: ScopeProps<Values> & { readonly children?: ComponentChildren }) => (
  <FieldScope model={model}>
    <TopProblems model={model as unknown as FormModel<object>} isElsewhere={isElsewhere} />
    {children}
  </FieldScope>
);

/** A form. After a refusal the focus moves to the first field with a problem. */
export const Form = <Values extends object>({
  children,
  isWide = false,
  label,
  model,
}: {
  readonly model: FormModel<Values>;
  readonly children: ComponentChildren;
  /** Whether it has parts beside each other. */
  readonly isWide?: boolean;
  /** A name for screen readers, where the heading does not say it. */
  readonly label?: string;
}) => {
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    await model.submit();
    requestAnimationFrame(focusFirstProblem);
  };
  return (
    <form
      class={`form${isWide ? " form-wide" : ""}`}
      noValidate
      aria-label={label}
      onSubmit={(event) => void submit(event)}
    >
      <FormScope model={model}>{children}</FormScope>
    </form>
  );
};

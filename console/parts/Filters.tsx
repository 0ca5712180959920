/** Filters of a list. Their values are parameters of the address. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Button } from "./Button.tsx";
import { type Choice, Select } from "./form/Fields.tsx";
import { FieldProblems } from "./form/FieldProblems.tsx";

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

const pauseMillis = 250;
/** Every part of a day that is typed makes another day. */
const dayPauseMillis = 500;

/** A typed value, which applies when the typing pauses. */
const useTyped = (value: string, apply: (value: string) => void) => {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // Another value may have changed during the pause.
  const latest = useRef(apply);
  latest.current = apply;
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address may change elsewhere, such as by the browser's back button.
  useEffect(() => setTyped(value), [value]);
  const type = (text: string, millis: number): void => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(text), millis);
  };
  return [typed, type] as const;
};

/** A text to search for. It applies when the typing pauses, or with Enter. */
export const SearchFilter = ({
  label,
  onValue,
  placeholder = "Search",
  value,
}: FilterProps & { readonly placeholder?: string }) => {
  const id = useId();
  const [typed, type] = useTyped(value, onValue);
  return (
    <div class="filter filter-search">
      <label for={id} class="unseen">
        {label}
      </label>
      <input
        id={id}
        type="search"
        value={typed}
        placeholder={placeholder}
        autoComplete="off"
        onInput={({ currentTarget }) => type(currentTarget.value, pauseMillis)}
        onKeyDown={(event) => {
          if (event.key === "Enter") type(event.currentTarget.value, 0);
        }}
      />
    </div>
  );
};

/** The filters of a page. On a narrow one, all but the search are folded. */
export const FilterBar = ({
  children,
  count,
}: {
  /** The filters that are set. */
  readonly count: number;
  readonly children: ComponentChildren;
}) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div class={isOpen ? "filters" : "filters is-folded"} role="search" aria-label="Filters">
        {children}
      </div>
      <div class="filters-toggle">
        <Button isExpanded={isOpen} onPress={() => setOpen(!isOpen)}>
          Filters{count > 0 && ` (${count})`}
        </Button>
      </div>
    </>
  );
};

/** The attributes that connect a control with its problems. */
export const problemAttributes = (id: string, problems: ReadonlyArray<string>) =>
  problems.length === 0 ? {} : ({ "aria-invalid": "true", "aria-describedby": id } as const);

/** One of a few values. The empty value is all of them. */
export const ChoiceFilter = ({
  choices,
  label,
  onValue,
  problems = [],
  value,
}: FilterProps & { readonly choices: ReadonlyArray<Choice>; readonly problems?: ReadonlyArray<string> }) => {
  const id = useId();
  return (
    <div class="filter">
      <label for={id} class="unseen">
        {label}
      </label>
      <Select
        id={id}
        value={value}
        choices={choices}
        onValue={onValue}
        {...problemAttributes(`${id}-problem`, problems)}
      />
      <FieldProblems id={`${id}-problem`} sentences={problems} />
    </div>
  );
};

/** A day. It applies when the typing pauses. */
export const DayFilter = ({
  label,
  onValue,
  problems = [],
  value,
}: FilterProps & { readonly problems?: ReadonlyArray<string> }) => {
  const id = useId();
  const [typed, type] = useTyped(value, (day) => {
    if (day !== "") onValue(day);
  });
  return (
    <div class={`filter filter-day${problems.length > 0 ? " field-invalid" : ""}`}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        value={typed}
        onInput={({ currentTarget }) => type(currentTarget.value, dayPauseMillis)}
        {...problemAttributes(`${id}-problem`, problems)}
      />
      <FieldProblems id={`${id}-problem`} sentences={problems} />
    </div>
  );
};

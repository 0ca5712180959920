/** Filters of a list. Their values are parameters of the address. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Choice } from "./form/Fields.tsx";

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

const pauseMillis = 250;

/** A text to search for. It applies when the typing pauses, or with Enter. */
export const SearchFilter = ({ label, onValue, value }: FilterProps) => {
  const id = useId();
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // The address may change elsewhere, such as by the browser's back button.
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (text: string, millis: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onValue(text), millis);
  };
  return (
    <div class="filter filter-search">
      <label for={id} class="unseen">
        {label}
      </label>
      <input
        id={id}
        type="search"
        value={typed}
        placeholder="Search"
        autoComplete="off"
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          apply(currentTarget.value, pauseMillis);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply(event.currentTarget.value, 0);
        }}
      />
    </div>
  );
};

/** One of a few values. The empty value is all of them. */
export const ChoiceFilter = ({
  choices,
  label,
  onValue,
  value,
}: FilterProps & { readonly choices: ReadonlyArray<Choice> }) => {
  const id = useId();
  return (
    <div class="filter">
      <label for={id} class="unseen">
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ))}
      </select>
    </div>
  );
};

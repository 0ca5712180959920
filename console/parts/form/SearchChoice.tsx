/** One of many, found by a part of its name. */
import { useId, useState } from "preact/hooks";
import type { ApiRequest } from "../../data/ApiCall.ts";
import { useLast } from "../../data/LastData.ts";
import { usePaused } from "../../data/Paused.ts";
import { useData } from "../../data/Query.ts";
import type { One, Page } from "../../data/Resources.ts";
import { Combobox } from "../Combobox.tsx";
import { problemAttributes } from "../Filters.tsx";
import { FieldProblems } from "./FieldProblems.tsx";
import { type Choice, type ControlAttributes, Field, type FieldProps } from "./Fields.tsx";

interface SearchChoiceProps extends Partial<ControlAttributes> {
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** The choices that are found, the empty one first where there is one. */
  readonly choices: ReadonlyArray<Choice>;
  /** Finds other choices. Without it, those that are there are searched. */
  readonly onSearch?: (text: string) => void;
  /** A few words beside a choice. */
  readonly noteOf?: (value: string) => string;
}

/** The most choices that are shown at once: a text finds the others. */
const maxShown = 50;

/** The control. Its text is the chosen one until another text is typed. */
export const SearchChoice = ({
  choices,
  noteOf,
  onSearch,
  onValue,
  value,
  ...attributes
}: SearchChoiceProps) => {
  const [typed, setTyped] = useState<string | null>(null);
  const chosen = choices.find((choice) => choice.value === value);
  const wanted = (typed ?? "").trim().toLowerCase();
  const found =
    onSearch === undefined ? choices.filter(({ text }) => text.toLowerCase().includes(wanted)) : choices;
  const rest = found.length - maxShown;
  const search = (text: string | null): void => {
    setTyped(text);
    onSearch?.(text ?? "");
  };
  return (
    <Combobox
      {...attributes}
      text={typed ?? chosen?.text ?? value}
      onText={search}
      options={found.slice(0, maxShown).map(({ text, value: key }, index) => ({
        key,
        text,
        note:
          rest > 0 && index === maxShown - 1 ? `and ${rest} more: type a part of the name` : noteOf?.(key),
      }))}
      onChoose={({ key }) => onValue(key)}
      onClose={() => typed !== null && search(null)}
      none="Nothing matches."
    />
  );
};

/** A filter with a label that is only read out. */
export const SearchChoiceFilter = ({
  label,
  problems = [],
  ...choice
}: SearchChoiceProps & { readonly label: string; readonly problems?: ReadonlyArray<string> }) => {
  const id = useId();
  return (
    <div class="filter">
      <label for={id} class="unseen">
        {label}
      </label>
      <SearchChoice {...choice} id={id} {...problemAttributes(`${id}-problem`, problems)} />
      <FieldProblems id={`${id}-problem`} sentences={problems} />
    </div>
  );
};

interface FoundChoices<Item> {
  /** The items whose name has a text; null for a session that may not list them. */
  readonly list: ((query: { readonly q?: string; readonly limit: number }) => ApiRequest<Page<Item>>) | null;
  readonly get: (id: string) => ApiRequest<One<Item>>;
  readonly textOf: (item: Item) => string;
  /** The text of the choice of none. */
  readonly none: string;
}

/** The choices of a list of the API by a search, with the chosen one. */
export const useFoundChoices = <Item extends { readonly id: string }>(
  { get, list, none, textOf }: FoundChoices<Item>,
  chosen: string,
) => {
  const [search, setSearch] = useState("");
  const q = usePaused(search).trim();
  const once = { millis: Infinity };
  const { data } = useData(list === null ? null : list({ limit: 30, ...(q !== "" && { q }) }), once);
  const found = useLast(data)?.data ?? [];
  const isMissing = chosen !== "" && data !== undefined && found.every(({ id }) => id !== chosen);
  const own = useData(isMissing ? get(chosen) : null, once).data?.data;
  const choices = [...(own === undefined ? [] : [own]), ...found].map((item): Choice => ({
    value: item.id,
    text: textOf(item),
  }));
  return {
    choices: search === "" ? [{ value: "", text: none }, ...choices] : choices,
    onSearch: setSearch,
  };
};

/** A field for one item of a list of the API. */
export const FoundField = <Item extends { readonly id: string }>({
  hint,
  label,
  name,
  onValue,
  value,
  ...found
}: FieldProps & FoundChoices<Item> & Pick<SearchChoiceProps, "onValue" | "value">) => {
  const choices = useFoundChoices(found, value);
  return (
    <Field name={name} label={label} hint={hint}>
      {(attributes) => <SearchChoice {...attributes} {...choices} value={value} onValue={onValue} />}
    </Field>
  );
};

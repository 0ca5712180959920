/** Several items of a list, as checkboxes that a search narrows down. */
import type { ComponentChildren } from "preact";
import { useId, useMemo } from "preact/hooks";
import { Field } from "./Fields.tsx";

/** An item that can be picked. */
export interface PickItem {
  readonly id: string;
  readonly name: string;
  /** A few words beside the name, such as how many locations a group has. */
  readonly note?: string | undefined;
}

interface PickListProps {
  /** The name of the group. */
  readonly label: string;
  /** The API's field name. */
  readonly name: string;
  readonly searchLabel: string;
  readonly search: string;
  readonly onSearch: (text: string) => void;
  /** Results of the search. */
  readonly found: ReadonlyArray<PickItem>;
  /** Whether the search found more than is shown. */
  readonly hasMore?: boolean;
  /** Names of chosen items that the search may not have found. */
  readonly known: ReadonlyMap<string, PickItem>;
  readonly chosen: ReadonlyArray<string>;
  readonly onChosen: (ids: ReadonlyArray<string>) => void;
  /** Shown instead of an empty list. */
  readonly empty: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Chosen items that are not found stand first. The order stays while items are checked. */
const useOrder = (found: ReadonlyArray<PickItem>, chosen: ReadonlyArray<string>): ReadonlyArray<string> => {
  const key = found.map(({ id }) => id).join(" ");
  const first = useMemo(() => {
    const ids = new Set(found.map(({ id }) => id));
    return chosen.filter((id) => !ids.has(id));
  }, [key]);
  const order = [...first, ...found.map(({ id }) => id)];
  const shown = new Set(order);
  return [...chosen.filter((id) => !shown.has(id)), ...order];
};

/** A group of checkboxes with a search. Problems of the list stand at the search. */
export const PickList = ({
  children,
  chosen,
  empty,
  found,
  hasMore = false,
  hint,
  known,
  label,
  name,
  onChosen,
  onSearch,
  search,
  searchLabel,
}: PickListProps) => {
  const hintId = useId();
  const byId = new Map([...known, ...found.map((item) => [item.id, item] as const)]);
  const order = useOrder(found, chosen);
  const picked = new Set(chosen);
  const toggle = (id: string, isPicked: boolean) =>
    onChosen(isPicked ? [...chosen, id] : chosen.filter((each) => each !== id));
  return (
    <fieldset class="field-group" aria-describedby={hint === undefined ? undefined : hintId}>
      <legend>{label}</legend>
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
      <Field name={name} label={searchLabel}>
        {(attributes) => (
          <input
            {...attributes}
            type="search"
            value={search}
            placeholder="Search"
            autoComplete="off"
            // Enter searches at once and sends no form.
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
            onInput={(event) => onSearch(event.currentTarget.value)}
          />
        )}
      </Field>
      {order.length === 0 && <p class="quiet">{search.trim() === "" ? empty : "Nothing matches."}</p>}
      {order.length > 0 && (
        <ul class="picks">
          {order.map((id) => {
            const item = byId.get(id);
            return (
              <li key={id}>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={picked.has(id)}
                    onChange={(event) => toggle(id, event.currentTarget.checked)}
                  />
                  <span>{item?.name ?? id}</span>
                </label>
                {item?.note !== undefined && <span class="quiet pick-note">{item.note}</span>}
              </li>
            );
          })}
        </ul>
      )}
      {hasMore && <p class="quiet">There are more. Search for them by name.</p>}
      <p class="quiet" role="status">
        {chosen.length === 0 ? "None chosen." : `${chosen.length} chosen.`}
      </p>
      {children}
    </fieldset>
  );
};

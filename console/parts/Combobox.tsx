/** A field with a list of options below it: typed text finds them, the arrow keys and Enter choose. */
import { useEffect, useId, useState } from "preact/hooks";
import type { ControlAttributes } from "./form/Fields.tsx";

/** An option. */
export interface Option {
  readonly key: string;
  readonly text: string;
  /** A few words beside it, such as what it is. */
  readonly note?: string | undefined;
}

interface ComboboxProps<Item extends Option> extends Partial<ControlAttributes> {
  /** The name for screen readers, where no label has it. */
  readonly label?: string;
  readonly placeholder?: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly options: ReadonlyArray<Item>;
  readonly onChoose: (option: Item) => void;
  /** Called as the list closes. */
  readonly onClose?: () => void;
  /** Shown for a text without options. */
  readonly none: string;
  readonly isKeptOpen?: boolean;
  /** Whether the typed text counts too: an option is chosen only once the arrow keys have gone to it. */
  readonly isFree?: boolean;
}

/** The field. Its list opens with a text, with an arrow key or a click. */
export const Combobox = <Item extends Option>({
  isFree = false,
  isKeptOpen = false,
  label,
  none,
  onChoose,
  onClose,
  onText,
  options,
  placeholder = "Search",
  text,
  ...attributes
}: ComboboxProps<Item>) => {
  const list = useId();
  const [isOpen, setOpen] = useState(isKeptOpen);
  const first = isFree ? -1 : 0;
  const [active, setActive] = useState(first);
  const [isTyped, setTyped] = useState(false);
  const shown = isOpen ? options : [];
  const nothing = isOpen && text.trim() !== "" && shown.length === 0;
  const close = (): void => {
    setOpen(isKeptOpen);
    setTyped(false);
    onClose?.();
  };
  const choose = (option: Item): void => {
    onChoose(option);
    close();
  };
  useEffect(
    () => document.getElementById(`${list}-${active}`)?.scrollIntoView({ block: "nearest" }),
    [active],
  );
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = shown[active];
    // A person who types and leaves the field means the option that was found.
    if (event.key === "Tab" && isTyped && !isKeptOpen && chosen !== undefined) return choose(chosen);
    if (event.key === "Escape" && isOpen && !isKeptOpen) close();
    // Enter does not send a form around the field either.
    else if (event.key === "Enter") void (chosen !== undefined && choose(chosen));
    else if (step !== undefined && !isOpen) setOpen(true);
    else if (step !== undefined && shown.length > 0)
      setActive((Math.max(active, step < 0 ? 0 : -1) + step + shown.length) % shown.length);
    else return;
    event.preventDefault();
  };
  return (
    <div class="combobox">
      <input
        {...attributes}
        type="text"
        role="combobox"
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellcheck={false}
        aria-expanded={shown.length > 0}
        aria-autocomplete="list"
        aria-controls={`${list}-list`}
        aria-activedescendant={shown[active] && `${list}-${active}`}
        value={text}
        onInput={(event) => {
          onText(event.currentTarget.value);
          setTyped(true);
          setActive(first);
          setOpen(true);
        }}
        onClick={() => setOpen(true)}
        onKeyDown={press}
        onBlur={close}
      />
      <ul id={`${list}-list`} role="listbox" aria-label={label ?? "Choices"} hidden={shown.length === 0}>
        {shown.map((each, index) => (
          <li
            key={each.key}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === active}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(each)}
          >
            <bdi>{each.text}</bdi>
            {each.note !== undefined && <span class="quiet"> {each.note}</span>}
          </li>
        ))}
      </ul>
      <p role="status" class={nothing ? "combobox-none" : "unseen"}>
        {nothing ? none : ""}
      </p>
    </div>
  );
};

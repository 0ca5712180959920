/** The keys of every page: Ctrl+K goes anywhere, and "/" to the search of the page. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import type { GoToDialog } from "./GoToDialog.tsx";

const searches = "main input[type=search], main [role=combobox]:not(select)";

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null;

/** The button, and the dialog while it is open. Its program is loaded with the first use. */
export const SearchKeys = () => {
  const [Opened, setOpened] = useState<ComponentType<Parameters<typeof GoToDialog>[0]> | null>(null);
  const open = (): void => {
    import("./GoToDialog.tsx").then(
      ({ GoToDialog }) => setOpened(() => GoToDialog),
      // The server is away: the next press tries again.
      () => undefined,
    );
  };
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isGoTo = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
      const isSearch = event.key === "/" && !isTyping(event.target);
      if ((!isGoTo && !isSearch) || document.querySelector("dialog:modal") !== null) return;
      event.preventDefault();
      const search = isSearch ? document.querySelector<HTMLElement>(searches) : null;
      if (search === null) open();
      else search.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <Button onPress={open}>
        Go to <kbd>Ctrl K</kbd>
      </Button>
      {Opened !== null && <Opened onClose={() => setOpened(null)} />}
    </>
  );
};

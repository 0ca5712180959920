/** The keys of every page: Ctrl+K goes anywhere, and "/" to the search of the page. */
import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import { loadedLater } from "../parts/LoadedLater.tsx";

const GoToDialog = loadedLater(
  () => import("./GoToDialog.tsx"),
  (program) => program.GoToDialog,
);

const searches = "main input[type=search], main [role=combobox]:not(select)";

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null;

/** The button, and the dialog while it is open. */
export const SearchKeys = () => {
  const [isOpen, setOpen] = useState(false);
  const open = (): void => setOpen(true);
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
      {isOpen && <GoToDialog onClose={() => setOpen(false)} />}
    </>
  );
};

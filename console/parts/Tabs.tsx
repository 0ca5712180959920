/** Tabs: links of which one is open. The arrow keys move among them. */
import { useEffect, useRef } from "preact/hooks";

/** A tab and its address. */
export interface Tab {
  readonly key: string;
  readonly text: string;
  readonly href: string;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: ReadonlyArray<Tab>;
  readonly chosen: string;
  /** The id of the element that a tab changes, which has the role `tabpanel`. */
  readonly panel: string;
}

/** The id of a tab, by which its panel is named. */
export const tabId = (panel: string, key: string): string => `${panel}-${key}`;

const moves: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** A row of tabs, which scrolls if it is wider than the page. */
export const Tabs = ({ chosen, label, panel, tabs }: TabsProps) => {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current
      ?.querySelector('[aria-selected="true"]')
      ?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [chosen]);
  const move = (event: KeyboardEvent): void => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[role="tab"]') ?? [])];
    const index = links.findIndex((link) => link === document.activeElement);
    const next = moves[event.key]?.(index, links.length);
    if (next === undefined || index < 0) return;
    event.preventDefault();
    links[next]?.focus();
  };
  return (
    <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ href, key, text }) => (
        <a
          key={key}
          id={tabId(panel, key)}
          role="tab"
          class="tab"
          href={href}
          aria-selected={key === chosen}
          aria-controls={panel}
          tabIndex={key === chosen ? 0 : -1}
          onKeyDown={(event) => {
            if (event.key !== " ") return;
            event.preventDefault();
            event.currentTarget.click();
          }}
        >
          {text}
        </a>
      ))}
    </div>
  );
};

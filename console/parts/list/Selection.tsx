/** Several items of a list at once: what is chosen, and its actions. */
import { sentencesOf } from "../../data/ApiCall.ts";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { refresh } from "../../data/Query.ts";
import { Button } from "../Button.tsx";
import { formatNumber } from "../DisplayFormats.ts";

/** An item that can be chosen. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** The chosen items, also of other pages of the list. */
export interface Selection<Item extends Named> {
  readonly items: ReadonlyArray<Item>;
  readonly has: (id: string) => boolean;
  readonly set: (items: ReadonlyArray<Item>, isChosen: boolean) => void;
  readonly clear: () => void;
}

/** A selection that begins empty. */
export const useSelection = <Item extends Named>(): Selection<Item> => {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Item>>(new Map());
  return {
    items: [...chosen.values()],
    has: (id) => chosen.has(id),
    set: (items, isChosen) =>
      setChosen((before) => {
        const next = new Map(before);
        for (const item of items)
          if (isChosen) next.set(item.id, item);
          else next.delete(item.id);
        return next;
      }),
    clear: () => setChosen(new Map()),
  };
};

const concurrency = 4;

/** Does something to each item. Those that refuse are named in the error, after all were tried. */
export const forEach = async <Item extends Named>(
  items: ReadonlyArray<Item>,
  act: (item: Item) => Promise<unknown>,
): Promise<void> => {
  const refusals: Array<string> = [];
  const left = items.values();
  const work = async (): Promise<void> => {
    for (const item of left)
      await act(item).catch((error: unknown) => {
        refusals.push(`“${item.name}”: ${sentencesOf(error).join(" ")}`);
      });
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await refresh();
  if (refusals.length > 0)
    throw new Error(
      `${formatNumber(items.length - refusals.length)} of ${formatNumber(items.length)} are done. ` +
        refusals.slice(0, 5).join(" "),
    );
};

/** The checkbox of an item. */
export const SelectBox = <Item extends Named>({
  item,
  selection,
}: {
  readonly item: Item;
  readonly selection: Selection<Item>;
}) => (
  <input
    type="checkbox"
    aria-label={`Choose ${item.name}`}
    checked={selection.has(item.id)}
    onChange={(event) => selection.set([item], event.currentTarget.checked)}
  />
);

/** The number of chosen items, with the buttons for them; nothing without any. */
export const SelectionBar = <Item extends Named>({
  children,
  selection: { clear, items },
}: {
  readonly selection: Selection<Item>;
  readonly children: ComponentChildren;
}) =>
  items.length === 0 ? null : (
    <div class="actions" role="group" aria-label="Chosen rows">
      <p role="status">{formatNumber(items.length)} chosen</p>
      {children}
      <Button variant="plain" onPress={clear}>
        Choose none
      </Button>
    </div>
  );

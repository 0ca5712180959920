/** A list within a page of something else: it begins with the newest, and shows more on demand. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type ApiRequest, withParameters } from "../data/ApiCall.ts";
import { useData } from "../data/Query.ts";
import type { Page } from "../data/Resources.ts";
import { Button } from "./Button.tsx";
import { LoadProblem, Loading } from "./PageFrame.tsx";

interface MorePagesProps<Item> {
  /** The request of the list's first page. */
  readonly list: ApiRequest<Page<Item>>;
  /** The button that shows the next page, such as "Show older messages". */
  readonly more: string;
  /** Shown instead of a list without items. */
  readonly empty: string;
  /** Renders the items of one page. */
  readonly children: (items: ReadonlyArray<Item>) => ComponentChildren;
}

interface PartProps<Item> extends MorePagesProps<Item> {
  readonly cursor: string;
  /** Shows the next page; undefined if it is shown. */
  readonly onMore: ((cursor: string) => void) | undefined;
}

const Part = <Item,>({ children, cursor, empty, list, more, onMore }: PartProps<Item>) => {
  const { data, problem } = useData(cursor === "" ? list : withParameters(list, { cursor }));
  if (data === undefined) return problem === undefined ? <Loading /> : <LoadProblem problem={problem} />;
  const next = data.meta.next_cursor;
  return (
    <>
      {data.data.length === 0 && cursor === "" ? <p class="quiet">{empty}</p> : children(data.data)}
      {next !== null && onMore !== undefined && <Button onPress={() => onMore(next)}>{more}</Button>}
    </>
  );
};

/** The pages of a list below each other, as many as were asked for. */
export const MorePages = <Item,>(props: MorePagesProps<Item>) => {
  const [cursors, setCursors] = useState<ReadonlyArray<string>>([""]);
  return (
    <div class="more-pages">
      {cursors.map((cursor, index) => (
        <Part<Item>
          key={cursor}
          {...props}
          cursor={cursor}
          onMore={index < cursors.length - 1 ? undefined : (next) => setCursors([...cursors, next])}
        />
      ))}
    </div>
  );
};

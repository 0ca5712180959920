/** A list within a page of something else: it begins with the newest, and shows more on demand. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type ApiRequest, withParameters } from "../data/ApiCall.ts";
import { useLast } from "../data/LastData.ts";
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
  /** The number of pages that are shown below this one. */
  readonly below: number;
  readonly onMore: () => void;
}

/** A page, and those below it: each begins where the one above ends now, which moves as items come. */
const Part = <Item,>({ below, cursor, ...props }: PartProps<Item>) => {
  const { children, empty, list, more, onMore } = props;
  const { data, problem } = useData(cursor === "" ? list : withParameters(list, { cursor }));
  const shown = useLast(data);
  if (shown === undefined) return problem === undefined ? <Loading /> : <LoadProblem problem={problem} />;
  const next = shown.meta.next_cursor;
  return (
    <>
      {shown.data.length === 0 && cursor === "" ? <p class="quiet">{empty}</p> : children(shown.data)}
      {next !== null && below > 0 && <Part<Item> {...props} below={below - 1} cursor={next} />}
      {next !== null && below === 0 && <Button onPress={onMore}>{more}</Button>}
    </>
  );
};

/** The pages of a list below each other, as many as were asked for. */
export const MorePages = <Item,>(props: MorePagesProps<Item>) => {
  const [below, setBelow] = useState(0);
  return (
    <div class="more-pages">
      <Part<Item> {...props} below={below} cursor="" onMore={() => setBelow(below + 1)} />
    </div>
  );
};

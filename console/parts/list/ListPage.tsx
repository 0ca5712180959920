/** The frame of the list pages: heading, filters, problem, empty state, rows and pages. */
import type { ComponentChildren } from "preact";
import type { ApiProblem, ApiRequest } from "../../data/ApiCall.ts";
import { useLast } from "../../data/LastData.ts";
import { type QueryOptions, useData } from "../../data/Query.ts";
import type { Page } from "../../data/Resources.ts";
import { parameter, setParameters } from "../../routing/Router.ts";
import { type Column, DataTable } from "../DataTable.tsx";
import { EmptyState } from "../EmptyState.tsx";
import { ChoiceFilter, FilterBar, SearchFilter } from "../Filters.tsx";
import type { Choice } from "../form/Fields.tsx";
import { LoadProblem, Loading, PageFrame } from "../PageFrame.tsx";
import { Pager } from "../Pager.tsx";
import { type Named, type Selection, SelectionBar, useSelection } from "./Selection.tsx";

/** A choice, or a search if it has no choices. Its name is that of the API's parameter. */
export interface ListFilter<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly choices?: ReadonlyArray<Choice>;
  readonly placeholder?: string;
}

interface ListWords {
  readonly title: string;
  /** A sentence below the heading. */
  readonly lead?: ComponentChildren;
  /** Buttons beside the heading, and in the empty state instead while the list is empty. */
  readonly action?: ComponentChildren;
  /** Stands above the filters. */
  readonly above?: ComponentChildren;
  /** Stands beside the filters. */
  readonly besideFilters?: ComponentChildren;
  /** The heading of the list without items, and the purpose of the items. */
  readonly empty: readonly [title: string, text: ComponentChildren];
}

interface ListFrameProps extends ListWords {
  readonly filters: ReadonlyArray<ListFilter<string>>;
  readonly problem: ApiProblem | undefined;
  /** Whether there are no items, whatever the filters. */
  readonly isEmpty: boolean;
  readonly isLoading: boolean;
  readonly children: ComponentChildren;
}

/** Whether the address narrows a list by one of these parameters. */
export const isNarrowed = (names: ReadonlyArray<string>): boolean =>
  names.some((name) => parameter(name) !== "");

const Filter = ({ choices, label, name, placeholder = "Search" }: ListFilter<string>) => {
  // Another list has other pages, and may not have the chosen location.
  const props = {
    label,
    value: parameter(name),
    onValue: (value: string) => setParameters({ [name]: value, cursor: undefined, location: undefined }),
  };
  return choices === undefined ? (
    <SearchFilter {...props} placeholder={placeholder} />
  ) : (
    <ChoiceFilter {...props} choices={choices} />
  );
};

/** A list page around items of any kind. */
export const ListFrame = ({
  above,
  action,
  besideFilters,
  children,
  empty: [emptyTitle, emptyText],
  filters,
  isEmpty,
  isLoading,
  lead,
  problem,
  title,
}: ListFrameProps) => (
  <PageFrame title={title} lead={lead} actions={!isEmpty && action}>
    {above}
    {!isEmpty && (filters.length > 0 || besideFilters !== undefined) && (
      <FilterBar count={filters.filter(({ choices, name }) => choices && parameter(name) !== "").length}>
        {filters.map((filter) => (
          <Filter key={filter.name} {...filter} />
        ))}
        {besideFilters}
      </FilterBar>
    )}
    <LoadProblem problem={problem} />
    {isLoading && <Loading />}
    {isEmpty ? (
      <EmptyState title={emptyTitle} action={action}>
        {emptyText}
      </EmptyState>
    ) : (
      !isLoading && children
    )}
  </PageFrame>
);

interface ListPageProps<Item, Query> extends ListWords {
  /** The endpoint of the list. */
  readonly list: (query?: Query) => ApiRequest<Page<Item>>;
  readonly filters?: ReadonlyArray<ListFilter<keyof NonNullable<Query> & string>>;
  /** Parameters of the address that narrow the list without a filter. */
  readonly parameters?: ReadonlyArray<keyof NonNullable<Query> & string>;
  readonly limit?: number;
  readonly options?: QueryOptions;
  /** Renders the items. They are a part of the list unless all of them are there. */
  readonly children: (items: ReadonlyArray<Item>, isPart: boolean) => ComponentChildren;
}

/** A list that is sorted in the browser is read whole, up to so many items. */
export const wholeList: QueryOptions = { isWhole: true, maxItems: 1000 };

/** A page of a list of the API. The address has its filters and its cursor. */
export const ListPage = <Item, Query>({
  children,
  filters = [],
  limit = 50,
  list,
  options,
  parameters = [],
  ...words
}: ListPageProps<Item, Query>) => {
  const names = [...filters.map(({ name }) => name), ...parameters];
  const cursor = parameter("cursor") || undefined;
  const query = options?.isWhole === true ? { cursor } : { limit, cursor };
  const narrowed = names.map((name) => [name, parameter(name) || undefined] as const);
  const { data, problem } = useData(list({ ...query, ...Object.fromEntries(narrowed) } as Query), options);
  const shown = useLast(data);
  return (
    <ListFrame
      {...words}
      filters={filters}
      problem={problem}
      isEmpty={shown?.data.length === 0 && !isNarrowed([...names, "cursor"])}
      isLoading={shown === undefined && problem === undefined}
    >
      {shown !== undefined && (
        <>
          {children(shown.data, shown.meta.next_cursor !== null || cursor !== undefined)}
          <Pager nextCursor={shown.meta.next_cursor} shown={shown.data.length} />
        </>
      )}
    </ListFrame>
  );
};

/** A list page whose items are rows of a table. */
export const TablePage = <Item extends { readonly id: string }, Query>({
  actions,
  columns,
  noMatch,
  ...page
}: Omit<ListPageProps<Item, Query>, "children"> & {
  readonly columns: ReadonlyArray<Column<Item>>;
  /** Stands instead of the rows if the filters leave none. */
  readonly noMatch?: string;
  /** The buttons for several rows at once; rows can be chosen then. */
  readonly actions?: ((selection: Selection<Item & Named>) => ComponentChildren) | undefined;
}) => {
  const selection = useSelection<Item & Named>();
  return (
    <ListPage {...page}>
      {(rows, isPart) => (
        <>
          {actions !== undefined && <SelectionBar selection={selection}>{actions(selection)}</SelectionBar>}
          <DataTable
            label={page.title}
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
            isPart={isPart}
            selection={actions && selection}
            {...(noMatch !== undefined && { empty: noMatch })}
          />
        </>
      )}
    </ListPage>
  );
};

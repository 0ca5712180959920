/** Tables: rows that can be sorted by a heading and searched, and scrolled within the table if it is wide. */
import type { ComponentChildren } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import { Button } from "./Button.tsx";
import { formatCount, formatNumber } from "./DisplayFormats.ts";
import { type Named, SelectBox, type Selection } from "./list/Selection.tsx";

/** A column of a table. */
export interface Column<Row> {
  readonly key: string;
  readonly heading: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** The value to sort by; without it the column cannot be sorted. */
  readonly sortBy?: (row: Row) => string | number | null;
  /** Figures stand at the end of their column. */
  readonly isFigure?: boolean;
}

interface Sorting {
  readonly key: string;
  readonly isDescending: boolean;
}

/** A search whose text is kept elsewhere, such as in the address. */
interface KeptSearch {
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** Properties of a table. */
export interface DataTableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly rows: ReadonlyArray<Row>;
  readonly rowKey: (row: Row) => string;
  readonly initialSorting?: Sorting;
  /** The text that is searched; without it the table has no search. */
  readonly searchText?: (row: Row) => string;
  /** The store of the search's text; without it, the table keeps the text. */
  readonly search?: KeptSearch;
  /** A press on a row. Its links and buttons do their own. */
  readonly onRow?: ((row: Row) => void) | undefined;
  /** Whether the rows are a part of a longer list, which is not sorted then. */
  readonly isPart?: boolean;
  /** Rows that are chosen, for actions on several. */
  readonly selection?: Selection<Row & Named> | undefined;
  /** Shown instead of the rows if there are none. */
  readonly empty?: ComponentChildren;
}

/** Rows on the page at first; a press shows as many more. */
const rowsShown = 300;

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

const compare = (a: string | number | null, b: string | number | null): number => {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
};

const sorted = <Row,>(
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>,
  sorting: Sorting | null,
): ReadonlyArray<Row> => {
  const valueOf = columns.find(({ key }) => key === sorting?.key)?.sortBy;
  if (valueOf === undefined || sorting === null) return rows;
  const sign = sorting.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(valueOf(a), valueOf(b)));
};

/** Whether a press within a row was on a link or a button of it. */
const isOwnPress = ({ target }: MouseEvent): boolean =>
  target instanceof Element && target.closest("a, button, input, select") !== null;

/** A table of rows that are all there. Lists that the server pages have no sorting of their own. */
export const DataTable = <Row,>({
  columns,
  empty,
  initialSorting,
  isPart = false,
  label,
  onRow,
  rowKey,
  rows,
  search: kept,
  searchText,
  selection,
}: DataTableProps<Row>) => {
  const [sorting, setSorting] = useState<Sorting | null>(initialSorting ?? null);
  const [typed, setTyped] = useState("");
  const [maxRows, setMaxRows] = useState(rowsShown);
  const search = kept?.value ?? typed;
  const wanted = search.trim().toLowerCase();
  const found = useMemo(
    () =>
      wanted === "" || searchText === undefined
        ? rows
        : rows.filter((row) => searchText(row).toLowerCase().includes(wanted)),
    [rows, wanted],
  );
  const inOrder = useMemo(() => sorted(found, columns, sorting), [found, columns, sorting]);
  const shown = inOrder.slice(0, maxRows);
  return (
    <div class="stack table-part">
      {searchText !== undefined && (
        <TableSearch
          label={label}
          value={search}
          onSearch={kept?.onSearch ?? setTyped}
          found={found.length}
          all={rows.length}
        />
      )}
      <div class="table-scroll" tabIndex={0} role="group" aria-label={`${label}, table`}>
        <table>
          <caption class="unseen">{label}</caption>
          <thead>
            <tr>
              {selection !== undefined && (
                <th scope="col">
                  <input
                    type="checkbox"
                    aria-label="Choose all rows"
                    checked={shown.length > 0 && shown.every((row) => selection.has(rowKey(row)))}
                    onChange={({ currentTarget }) =>
                      selection.set(shown as ReadonlyArray<Row & Named>, currentTarget.checked)
                    }
                  />
                </th>
              )}
              {columns.map((column) => (
                <Heading
                  key={column.key}
                  column={column}
                  sorting={sorting}
                  onSort={isPart ? undefined : setSorting}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr
                key={rowKey(row)}
                class={onRow && "chosen-by-click"}
                onClick={onRow && ((event) => isOwnPress(event) || onRow(row))}
              >
                {selection !== undefined && (
                  <td>
                    <SelectBox item={row as Row & Named} selection={selection} />
                  </td>
                )}
                {columns.map(({ cell, isFigure, key }) => (
                  <td key={key} class={isFigure === true ? "figure" : undefined}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
            {shown.length === 0 && (
              <tr>
                <td colSpan={columns.length + +(selection !== undefined)} class="no-rows">
                  {rows.length === 0 ? (empty ?? "Nothing here yet.") : `Nothing matches “${search.trim()}”.`}
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {inOrder.length > shown.length && (
        <p class="actions quiet">
          {formatNumber(shown.length)} of {formatCount(inOrder.length, "row")} are shown.{" "}
          <Button onPress={() => setMaxRows(maxRows + rowsShown)}>Show more rows</Button>
        </p>
      )}
    </div>
  );
};

const Heading = <Row,>({
  column: { heading, isFigure, key, sortBy },
  onSort,
  sorting,
}: {
  readonly column: Column<Row>;
  readonly sorting: Sorting | null;
  /** Undefined for a table that is not sorted. */
  readonly onSort: ((sorting: Sorting) => void) | undefined;
}) => {
  const isSorted = sorting?.key === key;
  const direction = isSorted ? (sorting.isDescending ? "descending" : "ascending") : "none";
  const className = isFigure === true ? "figure" : undefined;
  if (sortBy === undefined || onSort === undefined)
    return (
      <th scope="col" class={className}>
        {heading}
      </th>
    );
  // Figures begin with the largest, texts with A.
  const next = { key, isDescending: isSorted ? !sorting.isDescending : isFigure === true };
  return (
    <th scope="col" class={className} aria-sort={direction}>
      <button type="button" class="sort" onClick={() => onSort(next)}>
        {heading}
        <span class={`sort-mark sort-${direction}`} aria-hidden="true" />
      </button>
    </th>
  );
};

const TableSearch = ({
  all,
  found,
  label,
  onSearch,
  value,
}: {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
  readonly found: number;
  readonly all: number;
}) => {
  const id = useId();
  return (
    <div class="actions quiet">
      <label for={id} class="unseen">
        Search {label.toLowerCase()}
      </label>
      <input
        id={id}
        type="search"
        placeholder="Search"
        value={value}
        onInput={(event) => onSearch(event.currentTarget.value)}
      />
      <span role="status">
        {value.trim() === "" ? "" : `${formatCount(found, "row")} of ${formatNumber(all)}`}
      </span>
    </div>
  );
};

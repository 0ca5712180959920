/** Columns that many tables have. All can be sorted by. */
import type { ComponentChildren } from "preact";
import type { Column } from "./DataTable.tsx";
import { formatNumber } from "./DisplayFormats.ts";
import { InstantText } from "./InstantText.tsx";

/** An instant, or a word for none. */
export const InstantOr = ({ at, none, zone }: { at: string | null; none: string; zone?: string }) =>
  at === null ? (
    <span class="quiet">{none}</span>
  ) : (
    <InstantText at={at} {...(zone !== undefined && { zone })} />
  );

/** A text that people wrote, in the direction of its script; a word for none. */
export const textColumn = <Row,>(
  key: string,
  heading: string,
  text: (row: Row) => string | null,
  none = "none",
): Column<Row> => ({
  key,
  heading,
  cell: (row) => {
    const shown = text(row);
    return shown === null ? <span class="quiet">{none}</span> : <bdi>{shown}</bdi>;
  },
  sortBy: text,
});

/** A name that leads to the page of its row, with a line below it. */
export const linkColumn = <Row,>(
  heading: string,
  name: (row: Row) => string,
  href: (row: Row) => string,
  below?: (row: Row) => ComponentChildren,
): Column<Row> => ({
  key: "name",
  heading,
  cell: (row) => (
    <>
      <a class="row-link" href={href(row)} dir="auto">
        {name(row)}
      </a>
      {below?.(row)}
    </>
  ),
  sortBy: name,
});

/** An instant in the workspace's zone, or in the row's. */
export const timeColumn = <Row,>(
  key: string,
  heading: string,
  at: (row: Row) => string | null,
  none = "none",
  zone?: (row: Row) => string,
): Column<Row> => ({
  key,
  heading,
  cell: (row) => <InstantOr at={at(row)} none={none} {...(zone !== undefined && { zone: zone(row) })} />,
  sortBy: (row) => {
    const instant = at(row);
    return instant === null ? null : Date.parse(instant);
  },
});

/** A count. */
export const figureColumn = <Row,>(
  key: string,
  heading: string,
  value: (row: Row) => number | null,
  none = "none",
): Column<Row> => ({
  key,
  heading,
  isFigure: true,
  cell: (row) => {
    const shown = value(row);
    return shown === null ? <span class="quiet">{none}</span> : formatNumber(shown);
  },
  sortBy: value,
});

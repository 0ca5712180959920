/** The frame of a chart: its name, the drawing, and its figures as a table. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { DataTable } from "../DataTable.tsx";

/** The figures of a chart as a table. */
export interface ChartTable {
  readonly headings: ReadonlyArray<string>;
  readonly rows: ReadonlyArray<ReadonlyArray<string>>;
}

/** The width of an element, in pixels; 0 until it is known. */
export const useWidth = () => {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (ref.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
};

/** A chart with its caption and, on demand, the table of its figures. */
export const ChartFigure = ({
  caption,
  children,
  table,
}: {
  readonly caption: ComponentChildren;
  /** Left out where a table below the chart has its figures. */
  readonly table?: ChartTable | undefined;
  readonly children: ComponentChildren;
}) => (
  <figure class="chart">
    <figcaption>{caption}</figcaption>
    {children}
    {table !== undefined && <FigureTable {...table} />}
  </figure>
);

const FigureTable = ({ headings, rows }: ChartTable) => (
  <details class="chart-table">
    <summary>Show as table</summary>
    <DataTable
      label="Figures of the chart"
      columns={headings.map((heading, index) => ({
        key: heading,
        heading,
        isFigure: index > 0,
        cell: (row: ReadonlyArray<string>) => row[index],
      }))}
      rows={rows}
      rowKey={([first = ""]) => first}
    />
  </details>
);

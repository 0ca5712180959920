/** Figures by name as horizontal bars, the largest first. */
import { formatCount, formatNumber } from "../DisplayFormats.ts";
import { ChartFigure } from "./ChartFigure.tsx";

/** A bar. */
export interface Bar {
  readonly key: string;
  readonly name: string;
  readonly value: number;
}

const maxBars = 10;

/** The largest bars; the table has all of them. */
export const BarChart = ({ bars, label }: { readonly label: string; readonly bars: ReadonlyArray<Bar> }) => {
  const largest = bars.toSorted((a, b) => b.value - a.value);
  const shown = largest.slice(0, maxBars);
  const max = Math.max(1, ...shown.map(({ value }) => value));
  const table = {
    headings: ["Name", label],
    rows: largest.map(({ name, value }) => [name, formatNumber(value)]),
  };
  const rest = bars.length - shown.length;
  return (
    <ChartFigure table={table} caption={<strong>{label}</strong>}>
      <ul class="bars">
        {shown.map(({ key, name, value }) => (
          <li key={key}>
            <span class="bar-name">{name}</span>
            <span class="bar-value">{formatNumber(value)}</span>
            <svg class="bar" aria-hidden="true" height="8" width="100%" preserveAspectRatio="none">
              <rect width={`${(value / max) * 100}%`} height="8" rx="2" />
            </svg>
          </li>
        ))}
      </ul>
      {rest > 0 && <p class="hint">and {formatCount(rest, "more in the table", "more in the table")}</p>}
    </ChartFigure>
  );
};

/** Figures by name as horizontal bars, the largest first. */
import { formatCount, formatNumber } from "../DisplayFormats.ts";
import { ChartFigure, useWidth } from "./ChartFigure.tsx";

/** A bar. */
export interface Bar {
  readonly key: string;
  readonly name: string;
  readonly value: number;
  /** The figure of the period before; undefined without a comparison. */
  readonly before?: number | undefined;
}

interface BarChartProps {
  /** The counted noun, such as "Delivered". */
  readonly label: string;
  readonly bars: ReadonlyArray<Bar>;
  /** Whether a table below the chart has its figures. */
  readonly hasTableBelow?: boolean;
  /** Whether the bars have an order of their own, such as that of ratings. */
  readonly isOrdered?: boolean;
}

const maxBars = 10;
const rowHeight = 44;
const gap = 12;
const barY = 26;

/** The largest bars; the table has all of them. The drawing is one picture for screen readers. */
export const BarChart = ({ bars, hasTableBelow = false, isOrdered = false, label }: BarChartProps) => {
  const { ref, width } = useWidth();
  const inOrder = isOrdered ? bars : bars.toSorted((a, b) => b.value - a.value);
  const shown = inOrder.slice(0, maxBars);
  const isCompared = bars.some(({ before }) => before !== undefined);
  const table = {
    headings: ["Name", label, ...(isCompared ? [`${label}, period before`] : [])],
    rows: inOrder.map(({ before, name, value }) => [
      name,
      formatNumber(value),
      ...(isCompared ? [formatNumber(before ?? 0)] : []),
    ]),
  };
  const rest = bars.length - shown.length;
  return (
    <ChartFigure
      table={hasTableBelow ? undefined : table}
      caption={
        <>
          <strong>{label}</strong>
          {isCompared && <span class="chart-key chart-key-bar">period before</span>}
        </>
      }
    >
      <div ref={ref} class="chart-bars">
        {width > 0 && <Drawing width={width} bars={shown} label={label} />}
      </div>
      {rest > 0 && <p class="hint">and {formatCount(rest, "more in the table", "more in the table")}</p>}
    </ChartFigure>
  );
};

const Drawing = ({
  bars,
  label,
  width,
}: {
  readonly bars: ReadonlyArray<Bar>;
  readonly label: string;
  readonly width: number;
}) => {
  const max = Math.max(...bars.flatMap(({ before = 0, value }) => [value, before])) || 1;
  const height = Math.max(1, bars.length * (rowHeight + gap) - gap);
  const summary = bars.map(({ name, value }) => `${name} ${formatNumber(value)}`).join(", ");
  return (
    <svg
      role="img"
      aria-label={`${label}: ${summary}`}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      {bars.map(({ before, key, name, value }, index) => (
        <g key={key} transform={`translate(0 ${index * (rowHeight + gap)})`}>
          <title>{`${name}: ${formatNumber(value)}`}</title>
          {/* A drawing within the drawing cuts off what is too long. */}
          <svg width={Math.max(40, width - 9 * formatNumber(value).length - 16)} height="22">
            <text class="bar-name" x="0" y="16">
              {name}
            </text>
          </svg>
          <text class="bar-value" x={width} y="16" text-anchor="end">
            {formatNumber(value)}
          </text>
          <rect class="bar-ground" y={barY} width={width} height="8" rx="2" />
          <rect class="bar" y={barY} width={(value / max) * width} height="8" rx="2" />
          {before !== undefined && (
            <rect class="bar-before" y={barY + 11} width={(before / max) * width} height="4" rx="2" />
          )}
        </g>
      ))}
    </svg>
  );
};

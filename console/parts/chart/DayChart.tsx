/** A figure by day, with the figure of the days before for comparison. */
import { useState } from "preact/hooks";
import { formatDay, formatNumber, formatShortDay } from "../DisplayFormats.ts";
import { ChartFigure, useWidth } from "./ChartFigure.tsx";
import { labelIndexes, linePath, niceTicks } from "./ChartScale.ts";

/** A day of a chart. */
export interface ChartDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly value: number;
}

interface DayChartProps {
  /** The counted noun, such as "Delivered". */
  readonly label: string;
  readonly days: ReadonlyArray<ChartDay>;
  /** The period before, day by day in the same order. */
  readonly before?: ReadonlyArray<ChartDay> | undefined;
  /** Whether a table below the chart has its figures. */
  readonly hasTableBelow?: boolean;
}

const height = 240;
const margin = { top: 12, right: 8, bottom: 28, left: 8 };

/** A chart by day. The drawing is one picture for screen readers; the table has every figure. */
export const DayChart = ({ before, days, hasTableBelow = false, label }: DayChartProps) => {
  const { ref, width } = useWidth();
  const total = days.reduce((sum, { value }) => sum + value, 0);
  const [first, last] = [days[0], days.at(-1)];
  const range = first && last ? `${formatDay(first.day)} to ${formatDay(last.day)}` : "";
  const table = {
    headings: ["Day", label, ...(before === undefined ? [] : [`${label}, period before`])],
    rows: days.map(({ day, value }, index) => [
      formatDay(day),
      formatNumber(value),
      ...(before === undefined ? [] : [formatNumber(before[index]?.value ?? 0)]),
    ]),
  };
  return (
    <ChartFigure
      table={hasTableBelow ? undefined : table}
      caption={
        <>
          <strong>{label} by day</strong>
          <span class="chart-range">{range}</span>
          {before !== undefined && <span class="chart-key">period before</span>}
        </>
      }
    >
      <div ref={ref} class="chart-area">
        {width > 0 && (
          <Drawing
            width={width}
            days={days}
            before={before}
            label={label}
            summary={`${label} by day, ${range}: ${formatNumber(total)} in total`}
          />
        )}
      </div>
    </ChartFigure>
  );
};

const Drawing = ({
  before,
  days,
  label,
  summary,
  width,
}: DayChartProps & { readonly width: number; readonly summary: string }) => {
  const [hovered, setHovered] = useState<number | null>(null);
  const max = Math.max(0, ...days.map(({ value }) => value), ...(before ?? []).map(({ value }) => value));
  const ticks = niceTicks(max);
  const top = ticks.at(-1) ?? 1;
  const left = margin.left + formatNumber(top).length * 8 + 8;
  const step = (width - left - margin.right) / Math.max(1, days.length - 1);
  const x = (index: number): number => left + index * step;
  const y = (value: number): number => margin.top + (1 - value / top) * (height - margin.top - margin.bottom);
  const points = days.map(({ value }, index) => [x(index), y(value)] as const);
  const labelled = labelIndexes(days.length, Math.floor(width / 90));
  const shown = hovered === null ? undefined : days[hovered];
  const shownBefore = hovered === null ? undefined : before?.[hovered];
  const area = `${linePath(points)}L${x(days.length - 1).toFixed(1)} ${y(0)}L${left} ${y(0)}Z`;
  const find = (event: PointerEvent & { readonly currentTarget: SVGSVGElement }): void => {
    const at = (event.clientX - event.currentTarget.getBoundingClientRect().left - left) / step;
    setHovered(Math.min(days.length - 1, Math.max(0, Math.round(at))));
  };
  return (
    <>
      <svg
        role="img"
        aria-label={summary}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        onPointerMove={find}
        onPointerLeave={() => setHovered(null)}
      >
        {ticks.map((tick) => (
          <g key={tick} class="chart-grid">
            <line x1={left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
            <text x={left - 8} y={y(tick)} dy="0.32em" text-anchor="end">
              {formatNumber(tick)}
            </text>
          </g>
        ))}
        {days.map(({ day }, index) =>
          labelled.has(index) ? (
            <text
              key={day}
              class="chart-label"
              x={x(index)}
              y={height - 8}
              text-anchor={index === days.length - 1 ? "end" : "middle"}
            >
              {formatShortDay(day)}
            </text>
          ) : null,
        )}
        <path class="chart-fill" d={area} />
        {before !== undefined && (
          <path class="chart-before" d={linePath(before.map(({ value }, index) => [x(index), y(value)]))} />
        )}
        <path class="chart-line" d={linePath(points)} />
        {days.length === 1 && <circle class="chart-point" cx={x(0)} cy={points[0]?.[1]} r="4" />}
        {hovered !== null && shown !== undefined && (
          <g class="chart-hover">
            <line x1={x(hovered)} x2={x(hovered)} y1={margin.top} y2={y(0)} />
            <circle cx={x(hovered)} cy={y(shown.value)} r="4" />
          </g>
        )}
      </svg>
      {hovered !== null && shown !== undefined && (
        <div
          class={`chart-tip${hovered > days.length / 2 ? " chart-tip-left" : ""}`}
          style={{ left: `${x(hovered)}px` }}
          aria-hidden="true"
        >
          <b>{formatDay(shown.day)}</b>
          <span>
            {label}: {formatNumber(shown.value)}
          </span>
          {shownBefore !== undefined && (
            <span class="quiet">
              {formatDay(shownBefore.day)}: {formatNumber(shownBefore.value)}
            </span>
          )}
        </div>
      )}
    </>
  );
};

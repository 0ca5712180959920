/** A figure by day as bars, with the figure of the days before for comparison. */
import { useId, useState } from "preact/hooks";
import { workspace } from "../../session/Scope.ts";
import { formatDay, formatNumber, formatRange, formatShortDay, today } from "../DisplayFormats.ts";
import { ChartFigure, useWidth } from "./ChartFigure.tsx";
import { labelIndexes, niceTicks } from "./ChartScale.ts";

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

const rangeOf = (days: ReadonlyArray<ChartDay>): string => {
  const [first, last] = [days[0], days.at(-1)];
  return first && last ? formatRange({ start: first.day, end: last.day }) : "";
};

/** A chart by day. The arrow keys go through its days; the table has every figure. */
export const DayChart = ({ before, days, hasTableBelow = false, label }: DayChartProps) => {
  const { ref, width } = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const last = days.length - 1;
  const index = at === null ? null : Math.min(at, last);
  const shown = index === null ? undefined : days[index];
  const shownBefore = index === null ? undefined : before?.[index];
  const textOf = ({ day, value }: ChartDay): string => `${formatDay(day)}: ${formatNumber(value)}`;
  const table = {
    headings: ["Day", label, ...(before === undefined ? [] : [`${label}, period before`])],
    rows: days.map(({ day, value }, each) => [
      formatDay(day),
      formatNumber(value),
      ...(before === undefined ? [] : [formatNumber(before[each]?.value ?? 0)]),
    ]),
  };
  const press = (event: KeyboardEvent): void => {
    const from = index ?? last;
    const moves: Readonly<Record<string, number | null>> = {
      ArrowLeft: Math.max(0, from - 1),
      ArrowRight: Math.min(last, from + 1),
      Home: 0,
      End: last,
      Escape: null,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
  };
  return (
    <ChartFigure
      table={hasTableBelow ? undefined : table}
      caption={
        <>
          <strong>{label} by day</strong>
          <span class="chart-range">{rangeOf(days)}</span>
          {before !== undefined && <span class="chart-key">{rangeOf(before)}</span>}
        </>
      }
    >
      <div
        ref={ref}
        class="chart-area"
        tabIndex={0}
        role="slider"
        aria-label={`${label} by day, ${rangeOf(days)}`}
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={(index ?? last) + 1}
        aria-valuetext={[shown ?? days[last], shownBefore].map((day) => day && textOf(day)).join(". ")}
        onKeyDown={press}
        onBlur={() => setAt(null)}
        onPointerLeave={() => setAt(null)}
      >
        {width > 0 && <Drawing width={width} days={days} before={before} at={index} onAt={setAt} />}
        {width > 0 && index !== null && shown !== undefined && (
          <div
            class={`chart-tip${index > days.length / 2 ? " chart-tip-left" : ""}`}
            style={{ left: `${scaleOf(width, days, before).x(index)}px` }}
            aria-hidden="true"
          >
            <b>{formatDay(shown.day)}</b>
            <span>
              {label}: {formatNumber(shown.value)}
            </span>
            {shownBefore !== undefined && <span class="quiet">{textOf(shownBefore)}</span>}
          </div>
        )}
      </div>
    </ChartFigure>
  );
};

/** The positions of a drawing: `x` is the middle of a day. */
const scaleOf = (width: number, days: ReadonlyArray<ChartDay>, before: ReadonlyArray<ChartDay> = []) => {
  const ticks = niceTicks(Math.max(0, ...[...days, ...before].map(({ value }) => value)));
  const top = ticks.at(-1) ?? 1;
  const left = margin.left + formatNumber(top).length * 8 + 8;
  const step = (width - left - margin.right) / Math.max(1, days.length);
  return {
    ticks,
    left,
    step,
    bar: Math.min(64, Math.max(1, step - Math.min(4, step / 4))),
    x: (index: number): number => left + (index + 0.5) * step,
    y: (value: number): number => margin.top + (1 - value / top) * (height - margin.top - margin.bottom),
  };
};

const Drawing = ({
  at,
  before,
  days,
  onAt,
  width,
}: Pick<DayChartProps, "before" | "days"> & {
  readonly width: number;
  readonly at: number | null;
  readonly onAt: (index: number) => void;
}) => {
  const hatch = useId();
  const { bar, left, step, ticks, x, y } = scaleOf(width, days, before);
  const labelled = labelIndexes(days.length, Math.floor(width / 90));
  const now = today(workspace.value?.timezone ?? "UTC");
  return (
    <svg
      aria-hidden="true"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      onPointerMove={(event) => {
        const index = Math.floor(
          (event.clientX - event.currentTarget.getBoundingClientRect().left - left) / step,
        );
        onAt(Math.min(days.length - 1, Math.max(0, index)));
      }}
    >
      <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="bar-ground" width="6" height="6" />
        <rect class="bar" width="3" height="6" />
      </pattern>
      {ticks.map((tick) => (
        <g key={tick} class="chart-grid">
          <line x1={left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
          <text x={left - 8} y={y(tick)} dy="0.32em" text-anchor="end">
            {formatNumber(tick)}
          </text>
        </g>
      ))}
      {at !== null && (
        <rect class="chart-at" x={x(at) - step / 2} width={step} y={margin.top} height={y(0) - margin.top} />
      )}
      {days.map(({ day, value }, index) => (
        <g key={day}>
          <rect
            class="bar"
            x={x(index) - bar / 2}
            width={bar}
            y={y(value)}
            height={y(0) - y(value)}
            // The day is not over.
            style={day === now ? { fill: `url(#${hatch})` } : undefined}
          />
          {before?.[index] !== undefined && before[index].value > 0 && (
            <line
              class="chart-before"
              x1={x(index) - bar / 2}
              x2={x(index) + bar / 2}
              y1={y(before[index].value)}
              y2={y(before[index].value)}
            />
          )}
          {labelled.has(index) && (
            <text
              class="chart-label"
              x={index === days.length - 1 ? width - margin.right : x(index)}
              y={height - 8}
              text-anchor={index === days.length - 1 ? "end" : "middle"}
            >
              {day === now ? "Today" : formatShortDay(day)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
};

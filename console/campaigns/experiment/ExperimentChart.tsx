/** The shares of the arms by day with their ranges. The table has the same figures. */
import type { ExperimentArm, ExperimentDay } from "../../data/Resources.ts";
import { ChartFigure, useWidth } from "../../parts/chart/ChartFigure.tsx";
import { labelIndexes, niceTicks } from "../../parts/chart/ChartScale.ts";
import { formatDay, formatNumber, formatShortDay } from "../../parts/DisplayFormats.ts";
import { rateText } from "./ExperimentWords.ts";

const symbols = ["●", "■", "▲", "◆", "○", "□", "△", "◇"];
const symbolOf = (arm: number): string => symbols[arm % symbols.length] ?? "●";
const height = 240;
const margin = { top: 12, right: 16, bottom: 28, left: 48 };

type Arms = ReadonlyArray<ReadonlyArray<ExperimentDay>>;

const Drawing = ({ arms, width }: { readonly arms: Arms; readonly width: number }) => {
  const dates = arms[0]?.map(({ date }) => date) ?? [];
  const ticks = niceTicks(Math.max(0, ...arms.flat().map(({ interval }) => interval?.[1] ?? 0)));
  const top = ticks.at(-1) ?? 1;
  const step = (width - margin.left - margin.right) / Math.max(1, dates.length);
  const shown = labelIndexes(dates.length, Math.floor(width / (arms.length * 14 + 10)));
  const labelled = labelIndexes(dates.length, Math.floor(width / 90));
  // Ranges of one day stand beside each other.
  const apart = Math.min(14, Math.max(step, width / Math.max(1, shown.size)) / (arms.length + 1));
  const x = (day: number, arm: number) =>
    margin.left + (day + 0.5) * step + (arm - (arms.length - 1) / 2) * apart;
  const y = (percent: number) => margin.top + (1 - percent / top) * (height - margin.top - margin.bottom);
  return (
    <svg aria-hidden="true" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      {ticks.map((tick) => (
        <g key={tick} class="chart-grid">
          <line x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
          <text x={margin.left - 8} y={y(tick)} dy="0.32em" text-anchor="end">
            {formatNumber(tick)} %
          </text>
        </g>
      ))}
      {arms.map((days, arm) =>
        days.map(({ interval, rate }, day) =>
          rate === null || interval === null || !shown.has(day) ? null : (
            <g key={`${arm} ${day}`} class="chart-interval">
              <line x1={x(day, arm)} x2={x(day, arm)} y1={y(interval[0])} y2={y(interval[1])} />
              <text x={x(day, arm)} y={y(rate)} dy="0.35em" text-anchor="middle">
                {symbolOf(arm)}
              </text>
            </g>
          ),
        ),
      )}
      {dates.map((date, day) =>
        labelled.has(day) ? (
          <text
            key={date}
            class="chart-label"
            x={margin.left + (day + 0.5) * step}
            y={height - 8}
            text-anchor="middle"
          >
            {formatShortDay(date)}
          </text>
        ) : null,
      )}
    </svg>
  );
};

/** A chart with the legend of its symbols. */
export const ExperimentChart = ({
  days,
  nameOf,
}: {
  readonly days: ReadonlyArray<ExperimentDay>;
  readonly nameOf: (arm: Pick<ExperimentArm, "key" | "notification_id">) => string;
}) => {
  const { ref, width } = useWidth();
  const first = days.filter(({ date }) => date === days[0]?.date);
  const arms = first.map(({ key, notification_id: id }) =>
    days.filter((each) => each.key === key && each.notification_id === id),
  );
  const table = {
    headings: ["Day", ...first.map(nameOf)],
    rows: (arms[0] ?? []).map(({ date }, day) => [
      formatDay(date),
      ...arms.map((each) => (each[day] === undefined ? "–" : rateText(each[day]))),
    ]),
  };
  return (
    <ChartFigure
      table={table}
      caption={
        <>
          <strong>Share by day, with its range</strong>
          {first.map((arm, index) => (
            <span key={index} dir="auto">
              {symbolOf(index)} {nameOf(arm)}
            </span>
          ))}
        </>
      }
    >
      <div ref={ref} class="chart-area">
        {width > 0 && <Drawing arms={arms} width={width} />}
      </div>
    </ChartFigure>
  );
};

import { CliOutput } from "effect/cli";
import { formatCount } from "./Formats.ts";

/** One bar of the chart. */
export interface Day {
  readonly label: string;
  readonly value: number;
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const maxBarCells = 60;
const minBarCells = 8;
const defaultColumns = 100;

/** A bar of `cells` cells, exact to an eighth. Any positive value is visible. */
const bar = (cells: number): string => {
  const parts = Math.max(Math.round(cells * 8), cells > 0 ? 1 : 0);
  return "█".repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? "");
};

/** A line of at most `columns` cells for each day: label, value, and a bar relative to the highest value. */
export const dailyChart = (days: ReadonlyArray<Day>, columns: number | null): string => {
  const width = CliOutput.displayWidth;
  const highest = Math.max(0, ...days.map(({ value }) => value));
  const labelCells = Math.max(0, ...days.map(({ label }) => width(label)));
  const valueCells = Math.max(0, ...days.map(({ value }) => formatCount(value).length));
  const availableCells = (columns ?? defaultColumns) - labelCells - valueCells - 4;
  const barCells = Math.min(maxBarCells, Math.max(minBarCells, availableCells));
  return days
    .map(({ label, value }) => {
      const drawn = highest === 0 ? "" : bar((value / highest) * barCells);
      return `${label.padEnd(labelCells)}  ${formatCount(value).padStart(valueCells)}  ${drawn}`.trimEnd();
    })
    .join("\n");
};

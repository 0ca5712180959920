import { CliOutput } from "effect/cli";

/** One bar of the chart. */
export interface Day {
  readonly label: string;
  readonly value: number;
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const widestBar = 60;
const narrowestBar = 8;

/** A bar of `length` cells, to an eighth of one; anything but nothing shows. */
const bar = (length: number): string => {
  const parts = Math.round(length * 8);
  const whole = Math.max(parts, length > 0 ? 1 : 0);
  return "█".repeat(Math.floor(whole / 8)) + (eighths[whole % 8] ?? "");
};

const figureOf = (value: number): string => value.toLocaleString("en-US");

/** A line for each day: its label, a bar in proportion to the highest value, and the value; in lines of `room` cells. */
export const dailyChart = (days: ReadonlyArray<Day>, room: number | null): string => {
  const width = CliOutput.displayWidth;
  const highest = Math.max(0, ...days.map(({ value }) => value));
  const labels = Math.max(0, ...days.map(({ label }) => width(label)));
  const values = Math.max(0, ...days.map(({ value }) => figureOf(value).length));
  const longest = Math.min(widestBar, Math.max(narrowestBar, (room ?? 100) - labels - values - 4));
  return days
    .map(({ label, value }) => {
      const drawn = highest === 0 ? "" : bar((value / highest) * longest);
      const figure = figureOf(value).padStart(values);
      return `${label.padEnd(labels)}  ${figure}  ${drawn}`.trimEnd();
    })
    .join("\n");
};

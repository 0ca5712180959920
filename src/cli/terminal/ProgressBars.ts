import { Clock, Effect } from "effect";
import type { ProgressListener } from "../../backup/ProgressListener.ts";
import { CliEnvironment } from "../CliEnvironment.ts";
import { formatCount } from "./Formats.ts";

const redrawMillis = 100;
const eraseToEndOfLine = "\u001B[K";

const count = (value: number): string => formatCount(Math.round(value));

const duration = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

const size = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const bar = (share: number, cells: number): string => {
  const filled = Math.round(share * cells);
  return `[${"#".repeat(filled)}${"-".repeat(cells - filled)}] `;
};

/** Progress of one kind of work: its unit, how much is done, and how fast. */
interface Progress {
  readonly unit: string;
  readonly done: number;
  readonly total: number;
  readonly perSecond: number;
}

/** One line with a bar, the amount, the rate and the time left: as much of that as fits into the terminal. */
const progressLine = ({ done, perSecond, total, unit }: Progress, columns: number): string => {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const isBytes = unit.startsWith("bytes");
  const amount = isBytes ? size : count;
  const noun = isBytes ? unit.slice("bytes ".length) : unit;
  const percent = `${Math.floor(share * 100)}%`;
  const counts = `${amount(done)} of ${amount(total)} ${noun}`;
  const rate = perSecond > 0 ? `, ${amount(perSecond)}/s` : "";
  // The first percent is too little to estimate the rest from.
  const hasEstimate = perSecond > 0 && share >= 0.01 && done < total;
  const left = hasEstimate ? `, ${duration((total - done) / perSecond)} left` : "";
  const lines = [
    `${bar(share, 24)}${percent.padStart(4)}  ${counts}${rate}${left}`,
    `${bar(share, 10)}${percent.padStart(4)}  ${counts}${rate}${left}`,
    `${percent}  ${counts}${rate}${left}`,
    `${percent}  ${counts}${left}`,
    `${percent}  ${counts}`,
  ];
  return (lines.find((line) => line.length < columns) ?? percent).slice(0, Math.max(0, columns - 1));
};

/** The work of a bar: when it started, how much was done then, and when the bar was last drawn. */
interface CurrentWork {
  readonly unit: string;
  readonly startedAt: number;
  readonly doneAtStart: number;
  readonly drawnAt: number;
  readonly isComplete: boolean;
}

/** Progress bars on the terminal of stderr, for one kind of work after another. */
export const progressBars = Effect.gen(function* () {
  const { terminal } = yield* CliEnvironment;
  const clock = yield* Clock.Clock;
  let current: CurrentWork | null = null;
  const report: ProgressListener = (unit, done, total) => {
    if (terminal === null) return;
    const now = clock.currentTimeMillisUnsafe();
    const work: CurrentWork =
      current?.unit === unit
        ? current
        : {
            unit,
            startedAt: now,
            doneAtStart: done,
            drawnAt: Number.NEGATIVE_INFINITY,
            isComplete: current?.isComplete ?? false,
          };
    // The end is drawn immediately, but only once: an estimated total can be reached many times.
    const isDue = now - work.drawnAt >= redrawMillis || (done >= total && !work.isComplete);
    current = isDue ? { ...work, drawnAt: now, isComplete: done >= total } : work;
    if (!isDue) return;
    const seconds = (now - work.startedAt) / 1000;
    // Work that an earlier run did does not count for the rate.
    const perSecond = seconds > 0.2 ? (done - work.doneAtStart) / seconds : 0;
    const line = progressLine({ unit, done, total, perSecond }, terminal.columns);
    terminal.write(`\r${line}${eraseToEndOfLine}`);
  };
  return {
    report,
    /** Removes the bar, so that other output can follow. */
    clear: (): void => {
      if (terminal !== null && current !== null) terminal.write(`\r${eraseToEndOfLine}`);
    },
  };
});

/** A progress bar for one kind of work. */
export const progressBar = Effect.fnUntraced(function* (unit: string) {
  const { clear, report } = yield* progressBars;
  return { report: (done: number, total: number): void => report(unit, done, total), clear };
});

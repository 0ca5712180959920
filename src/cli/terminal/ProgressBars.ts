import { Clock, Effect } from "effect";
import type { ProgressListener } from "../../backup/ProgressListener.ts";
import { CliEnvironment } from "../CliEnvironment.ts";

const redrawMillis = 100;

const count = (value: number): string => Math.round(value).toLocaleString("en-US");

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

const barOf = (share: number, cells: number): string => {
  const filled = Math.round(share * cells);
  return `[${"#".repeat(filled)}${"-".repeat(cells - filled)}] `;
};

/** One line that says how far work is, how fast it goes and how long it will take: as much of that as the terminal has room for. */
const progressLine = (
  what: string,
  { all, done, perSecond }: { readonly done: number; readonly all: number; readonly perSecond: number },
  columns: number,
): string => {
  const share = all === 0 ? 1 : Math.min(1, done / all);
  const [unit = "", ...rest] = what.split(" ");
  const amount = unit === "bytes" ? size : count;
  const noun = unit === "bytes" ? rest.join(" ") : what;
  const percent = `${Math.floor(share * 100)}%`;
  const counts = `${amount(done)} of ${amount(all)} ${noun}`;
  const rate = perSecond > 0 ? `, ${amount(perSecond)}/s` : "";
  // Of the first moments nothing can be told about the rest.
  const left =
    perSecond > 0 && share >= 0.01 && done < all ? `, ${duration((all - done) / perSecond)} left` : "";
  const lines = [
    `${barOf(share, 24)}${percent.padStart(4)}  ${counts}${rate}${left}`,
    `${barOf(share, 10)}${percent.padStart(4)}  ${counts}${rate}${left}`,
    `${percent}  ${counts}${rate}${left}`,
    `${percent}  ${counts}${left}`,
    `${percent}  ${counts}`,
  ];
  return (lines.find((line) => line.length < columns) ?? percent).slice(0, Math.max(0, columns - 1));
};

/** A progress bar on the terminal of stderr, of one work after another; where there is no terminal it draws nothing. */
export const progressBars = Effect.gen(function* () {
  const { terminal } = yield* CliEnvironment;
  const clock = yield* Clock.Clock;
  let now = "";
  let began = 0;
  let from = 0;
  let drawn = Number.NEGATIVE_INFINITY;
  let isFull = false;
  const at: ProgressListener = (what, done, all) => {
    if (terminal === null) return;
    const millis = clock.currentTimeMillisUnsafe();
    if (what !== now) {
      now = what;
      began = millis;
      from = done;
      drawn = Number.NEGATIVE_INFINITY;
    }
    // The end is drawn at once; where the sum is an estimate there may be many such ends.
    if (millis - drawn < redrawMillis && (done < all || isFull)) return;
    isFull = done >= all;
    drawn = millis;
    const seconds = (millis - began) / 1000;
    // What was done when it was first told is not of this run.
    const perSecond = seconds > 0.2 ? (done - from) / seconds : 0;
    terminal.write(`\r${progressLine(what, { done, all, perSecond }, terminal.columns)}\u001B[K`);
  };
  return {
    at,
    /** Takes the bar away, for what is printed next. */
    clear: (): void => {
      if (terminal !== null && now !== "") terminal.write("\r\u001B[K");
    },
  };
});

/** A progress bar of one work. */
export const progressBar = Effect.fnUntraced(function* (what: string) {
  const { at, clear } = yield* progressBars;
  return { at: (done: number, all: number): void => at(what, done, all), clear };
});

import { Clock, Effect } from "effect";
import { CliOutput } from "effect/cli";
import { Surroundings } from "./Surroundings.ts";

const redrawMillis = 100;
const barWidth = 24;

const count = (value: number): string => Math.round(value).toLocaleString("en-US");

const duration = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** One line that says how far work is, how fast it goes and how long it will take, cut to the width of the terminal. */
const progressLine = (
  what: string,
  { all, done, perSecond }: { readonly done: number; readonly all: number; readonly perSecond: number },
  columns: number,
): string => {
  const share = all === 0 ? 1 : Math.min(1, done / all);
  const filled = Math.round(share * barWidth);
  const bar = `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}]`;
  const left = perSecond > 0 && done < all ? `, ${duration((all - done) / perSecond)} left` : "";
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const rate = perSecond > 0 ? `, ${count(perSecond)}/s` : "";
  const full = `${bar} ${percent}  ${count(done)} of ${count(all)} ${what}${rate}${left}`;
  const short = `${percent.trim()}  ${count(done)} of ${count(all)} ${what}`;
  return (CliOutput.displayWidth(full) < columns ? full : short).slice(0, Math.max(0, columns - 1));
};

/** A progress bar on the terminal of stderr; where there is none it draws nothing. Rates are of this run alone. */
export const progressBar = Effect.fnUntraced(function* (what: string) {
  const { terminal } = yield* Surroundings;
  const clock = yield* Clock.Clock;
  const began = clock.currentTimeMillisUnsafe();
  let drawn = Number.NEGATIVE_INFINITY;
  let from: number | null = null;
  return {
    /** Tells how much of all is done; what was done when it was first told counts toward no rate. */
    at: (done: number, all: number): void => {
      from ??= done;
      if (terminal === null) return;
      const now = clock.currentTimeMillisUnsafe();
      if (now - drawn < redrawMillis && done < all) return;
      drawn = now;
      const seconds = (now - began) / 1000;
      const perSecond = seconds > 0.2 ? (done - from) / seconds : 0;
      terminal.write(`\r${progressLine(what, { done, all, perSecond }, terminal.columns)}\u001B[K`);
    },
    /** Takes the bar away, for what is printed next. */
    clear: (): void => {
      if (terminal !== null && Number.isFinite(drawn)) terminal.write("\r\u001B[K");
    },
  };
});

/** The one way of a text to the terminal. Only the program's own styles reach it as control characters. */
import { Console, Effect } from "effect";
import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { visibleLines } from "../../wire/VisibleText.ts";

const escapeCharacter = "\u001B";

/** Stands for the escape character of a style. No text from outside can contain it, because it is random. */
const styleMark = `\u{F8FF}${randomUUID()}\u{F8FF}`;

/** Marks the styles in a text that `style` made from `text`, so that printing keeps these and no others. */
export const markStyles = (text: string, style: (text: string) => string): string =>
  style(visibleLines(text)).replaceAll(escapeCharacter, styleMark);

/** The text as it is printed: marked styles take effect, other control and bidi characters are visible. */
export const printedText = (text: string): string =>
  visibleLines(text).replaceAll(styleMark, escapeCharacter);

/** The console of commands: it prints every text by `printedText`. */
const printingConsole = (console: Console.Console): Console.Console => {
  const shown = (values: ReadonlyArray<unknown>): ReadonlyArray<string> =>
    values.map((value) => printedText(typeof value === "string" ? value : inspect(value)));
  return Object.assign(Object.create(console) as Console.Console, {
    debug: (...values: ReadonlyArray<unknown>) => console.debug(...shown(values)),
    error: (...values: ReadonlyArray<unknown>) => console.error(...shown(values)),
    info: (...values: ReadonlyArray<unknown>) => console.info(...shown(values)),
    log: (...values: ReadonlyArray<unknown>) => console.log(...shown(values)),
    warn: (...values: ReadonlyArray<unknown>) => console.warn(...shown(values)),
  } satisfies Partial<Console.Console>);
};

/** Runs an effect whose output goes through `printedText`. */
export const withPrintedText = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateService(effect, Console.Console, printingConsole);

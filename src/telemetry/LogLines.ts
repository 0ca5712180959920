import { Cause, Logger, LogLevel, Redactable, References } from "effect";
import { inspect, styleText } from "node:util";
import { visible, visibleLines } from "../wire/VisibleText.ts";
import { AccessLogEntry } from "./AccessLogEntry.ts";
import type { Mask } from "./SecretMasking.ts";

/** Whether JSON represents the value as it is. */
const isPlain = (value: unknown): boolean =>
  typeof value === "string" ||
  typeof value === "boolean" ||
  value === null ||
  (typeof value === "number" && Number.isFinite(value));

/** A plain value without secrets. Other values are masked in the finished line. */
const maskPlain = (value: unknown, mask: Mask): unknown => (typeof value === "string" ? mask(value) : value);

/**
 * Formats a log entry as one line of JSON, as Effect's formatter does, with secrets masked and control
 * characters escaped. Effect's formatter searches all values for secrets, cycles and errors; an entry of
 * plain values skips the search. An entry of the access log is masked already.
 */
export const jsonLine = (mask: Mask): Logger.Logger<unknown, string> =>
  Logger.make((entry) => {
    const { cause, date, fiber, logLevel, message } = entry;
    const text = Array.isArray(message) && message.length === 1 ? (message[0] as unknown) : message;
    const annotations = fiber.getRef(References.CurrentLogAnnotations);
    if (text instanceof AccessLogEntry) {
      return visibleLines(
        JSON.stringify({
          message: text.message,
          level: "INFO",
          timestamp: date.toISOString(),
          annotations: { ...annotations, ...text.fields },
          spans: {},
          fiberId: `#${fiber.id}`,
        }),
      );
    }
    const isSimple =
      typeof text === "string" &&
      cause.reasons.length === 0 &&
      fiber.getRef(References.CurrentLogSpans).length === 0 &&
      Object.values(annotations).every(isPlain);
    if (!isSimple) return visibleLines(mask(Logger.formatJson.log(entry)));
    const line = JSON.stringify({
      message: mask(text),
      level: logLevel.toUpperCase(),
      timestamp: date.toISOString(),
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [key, maskPlain(value, mask)]),
      ),
      spans: {},
      fiberId: `#${fiber.id}`,
    });
    return visibleLines(line);
  });

const levelStyles = {
  Trace: "gray",
  Debug: "blue",
  Info: "green",
  Warn: "yellow",
  Error: "red",
  Fatal: "red",
} as const;

const shownValue = (value: unknown): string => {
  const redacted = Redactable.redact(value);
  if (typeof redacted !== "string") return inspect(redacted, { breakLength: Number.POSITIVE_INFINITY });
  return /^[^\s"]+$/.test(redacted) ? redacted : JSON.stringify(redacted);
};

/**
 * Formats a log entry for people: one line with the time, the level, the message and `name=value` for each
 * annotation, then the cause. Secrets are masked and control characters escaped.
 */
export const prettyLine = (mask: Mask, hasColors: boolean): Logger.Logger<unknown, string> =>
  Logger.make(({ cause, date, fiber, logLevel, message }) => {
    const shown = (text: string): string => visible(mask(text));
    const style = (format: Parameters<typeof styleText>[0], text: string): string =>
      hasColors ? styleText(format, text, { validateStream: false }) : text;
    const parts = (Array.isArray(message) ? message : [message]) as ReadonlyArray<unknown>;
    const texts = parts.map((part) => (part instanceof AccessLogEntry ? part.message : part));
    const fields = parts.flatMap((part) =>
      part instanceof AccessLogEntry ? Object.entries(part.fields) : [],
    );
    const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations));
    const line = [
      style("gray", date.toTimeString().slice(0, 8)),
      style(
        logLevel === "All" || logLevel === "None" ? "gray" : levelStyles[logLevel],
        logLevel.toUpperCase(),
      ),
      ...texts.map((text) => shown(typeof text === "string" ? text : shownValue(text))),
      ...[...annotations, ...fields].map(
        ([name, value]) => `${style("gray", `${shown(name)}=`)}${shown(shownValue(value))}`,
      ),
    ].join(" ");
    return cause.reasons.length === 0 ? line : `${line}\n${visibleLines(mask(Cause.pretty(cause)))}`;
  });

/** How long a line waits for others, in milliseconds. */
const maxDelayMillis = 10;

/**
 * A logger that writes lines together, because under load a write costs more than a line. A warning or an
 * error is written immediately, with all lines before it; the rest after 10 milliseconds at most, or when the
 * process exits.
 */
export const batchedLogger = (lines: Logger.Logger<unknown, string>, write: (text: string) => void) => {
  let pending = "";
  let scheduled: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(scheduled);
    scheduled = undefined;
    const text = pending;
    pending = "";
    if (text !== "") write(text);
  };
  process.on("exit", flush);
  return Logger.make<unknown, void>((entry) => {
    pending += `${lines.log(entry)}\n`;
    if (LogLevel.isGreaterThanOrEqualTo(entry.logLevel, "Warn")) flush();
    else scheduled ??= setTimeout(flush, maxDelayMillis);
  });
};

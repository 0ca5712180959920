import { Cause, Logger, LogLevel, References } from "effect";
import { inspect } from "node:util";

/** Whether JSON represents the value as it is. */
const isPlain = (value: unknown): boolean =>
  typeof value === "string" ||
  typeof value === "boolean" ||
  value === null ||
  (typeof value === "number" && Number.isFinite(value));

/**
 * Formats a log entry as one line of JSON, exactly as Effect's formatter does. That formatter searches all
 * values for secrets, cycles and errors, which takes a tenth of the time of a request. An entry of plain
 * values, such as an access log, skips the search.
 */
export const jsonLine = Logger.make<unknown, string>((entry) => {
  const { cause, date, fiber, logLevel, message } = entry;
  const text = Array.isArray(message) && message.length === 1 ? (message[0] as unknown) : message;
  const annotations = fiber.getRef(References.CurrentLogAnnotations);
  const isSimple =
    typeof text === "string" &&
    cause.reasons.length === 0 &&
    fiber.getRef(References.CurrentLogSpans).length === 0 &&
    Object.values(annotations).every(isPlain);
  if (!isSimple) return Logger.formatJson.log(entry);
  return JSON.stringify({
    message: text,
    level: logLevel.toUpperCase(),
    timestamp: date.toISOString(),
    annotations,
    spans: {},
    fiberId: `#${fiber.id}`,
  });
});

/** Control and bidirectional characters as escapes: a logged text cannot command the terminal. */
const visible = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

const shown = (value: unknown): string => {
  if (typeof value !== "string") return visible(inspect(value, { breakLength: Number.POSITIVE_INFINITY }));
  return /^[^\s"=]+$/.test(value) ? visible(value) : visible(JSON.stringify(value));
};

const levelColors: Readonly<Record<string, number>> = { WARN: 33, ERROR: 31, FATAL: 31 };

/**
 * Formats a log entry for a person: the time, the level, the message and `key=value` pairs on one line. The
 * cause of an error follows on lines of its own.
 */
export const prettyLine = (hasColors: boolean) =>
  Logger.make<unknown, string>(({ cause, date, fiber, logLevel, message }) => {
    const paint = (code: number, text: string): string =>
      hasColors ? `\u001b[${code}m${text}\u001b[0m` : text;
    const texts = (Array.isArray(message) ? message : [message]).map((part: unknown) =>
      typeof part === "string" ? visible(part) : shown(part),
    );
    const pairs = Object.entries(fiber.getRef(References.CurrentLogAnnotations)).map(
      ([key, value]) => `${key}=${shown(value)}`,
    );
    const level = logLevel.toUpperCase();
    const line = [
      paint(90, date.toTimeString().slice(0, 8)),
      paint(levelColors[level] ?? 32, level.padEnd(5)),
      ...texts,
      ...(pairs.length === 0 ? [] : [paint(90, pairs.join(" "))]),
    ].join(" ");
    const lines = cause.reasons.length === 0 ? [] : Cause.pretty(cause).split("\n");
    return [line, ...lines.map((each) => `  ${visible(each)}`)].join("\n");
  });

/**
 * A logger that writes the lines of one iteration of the event loop together, because under load a write
 * costs more than a line. A warning or an error is written immediately, with all lines before it. The rest is
 * written when the process exits.
 */
export const batchedLogger = (lines: Logger.Logger<unknown, string>, write: (text: string) => void) => {
  let pending = "";
  let scheduled: NodeJS.Immediate | undefined;
  const flush = (): void => {
    if (scheduled !== undefined) clearImmediate(scheduled);
    scheduled = undefined;
    const text = pending;
    pending = "";
    if (text !== "") write(text);
  };
  process.on("exit", flush);
  return Logger.make<unknown, void>((entry) => {
    pending += `${lines.log(entry)}\n`;
    if (LogLevel.isGreaterThanOrEqualTo(entry.logLevel, "Warn")) flush();
    else scheduled ??= setImmediate(flush);
  });
};

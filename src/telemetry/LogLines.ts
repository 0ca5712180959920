import { Logger, LogLevel, References } from "effect";

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

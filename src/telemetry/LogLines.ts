import { Logger, LogLevel, References } from "effect";

/** What JSON writes as it is. */
const isPlain = (value: unknown): boolean =>
  typeof value === "string" ||
  typeof value === "boolean" ||
  value === null ||
  (typeof value === "number" && Number.isFinite(value));

/**
 * One line of JSON for a log entry, as Effect's own formatter writes it. That one looks through all values for secrets, cycles and
 * errors, at a tenth of what a request costs: an entry of plain values, as the access log has them, needs none of it.
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
 * Writes lines, those of one turn of the event loop together: under load a write for each costs more than the line. What warns is
 * written at once, with all before it, and so is what is left when the process exits.
 */
export const writtenTogether = (lines: Logger.Logger<unknown, string>, write: (text: string) => void) => {
  let waiting = "";
  let soon: NodeJS.Immediate | undefined;
  const flush = (): void => {
    if (soon !== undefined) clearImmediate(soon);
    soon = undefined;
    const text = waiting;
    waiting = "";
    if (text !== "") write(text);
  };
  process.on("exit", flush);
  return Logger.make<unknown, void>((entry) => {
    waiting += `${lines.log(entry)}\n`;
    if (LogLevel.isGreaterThanOrEqualTo(entry.logLevel, "Warn")) flush();
    else soon ??= setImmediate(flush);
  });
};

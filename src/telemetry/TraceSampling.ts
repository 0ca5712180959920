import { Option, Tracer } from "effect";

/** Whether a span that has no parent begins a trace: what only polls the database for work, again and again, does not. */
const isWorthATrace = ({ kind, name }: Pick<Tracer.Span, "kind" | "name">): boolean =>
  kind !== "client" && !name.startsWith("sql.");

/**
 * Sends what begins with a request or with work that was found, and the given share of that (0 to 1), each trace whole; a caller that sends
 * `traceparent` decides for its own. `chance` gives numbers from 0 to 1.
 */
export const sampled = (
  tracer: Tracer.Tracer,
  share: number,
  chance: () => number = Math.random,
): Tracer.Tracer =>
  Tracer.make({
    span: (options) =>
      tracer.span(
        Option.isSome(options.parent) || !options.sampled
          ? options
          : { ...options, sampled: isWorthATrace(options) && chance() < share },
      ),
    ...(tracer.context === undefined ? {} : { context: tracer.context }),
  });

import { Option, Tracer } from "effect";

/** Whether a span without a parent starts a trace. Statements that poll the database for work do not. */
const startsTrace = ({ kind, name }: Pick<Tracer.Span, "kind" | "name">): boolean =>
  kind !== "client" && !name.startsWith("sql.");

/**
 * A tracer that samples a share (0 to 1) of all traces. A trace starts with a request, or with work of a job.
 * A caller that sends `traceparent` decides for its own trace. `chance` returns numbers from 0 to 1.
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
          : { ...options, sampled: startsTrace(options) && chance() < share },
      ),
    ...(tracer.context === undefined ? {} : { context: tracer.context }),
  });

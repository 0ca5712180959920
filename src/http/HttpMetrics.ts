import { Effect, Metric } from "effect";

const requests = Metric.counter("waypost_http_requests_total", {
  description: "Requests answered, by interface, method and status.",
  incremental: true,
});

const duration = Metric.histogram("waypost_http_request_seconds", {
  description: "Time from a request's head to its answer, in seconds, by interface.",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

interface Counters {
  readonly requests: ReturnType<typeof labelled>;
  readonly duration: Metric.Metric<number, unknown>;
}

const labelled = (attributes: Readonly<Record<string, string>>) =>
  Metric.withAttributes(requests, attributes);
const known = new Map<string, Counters>();

/** Counts one answered request. Methods that HTTP does not know share one label, so that nobody can fill the memory. */
export const countRequest = (
  area: string,
  method: string,
  status: number,
  seconds: number,
): Effect.Effect<void> => {
  const verb = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method) ? method : "other";
  const key = `${area} ${verb} ${status}`;
  let counters = known.get(key);
  if (counters === undefined) {
    counters = {
      requests: labelled({ interface: area, method: verb, status: String(status) }),
      duration: Metric.withAttributes(duration, { interface: area }),
    };
    known.set(key, counters);
  }
  return Effect.andThen(Metric.update(counters.requests, 1), Metric.update(counters.duration, seconds));
};

import { Effect, Metric } from "effect";

const requests = Metric.counter("waypost_http_requests_total", {
  description: "Requests with a response, by interface, method and status.",
  incremental: true,
});

const duration = Metric.histogram("waypost_http_request_seconds", {
  description: "Time from the head of a request to its response, in seconds, by interface.",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

interface Counters {
  readonly requests: ReturnType<typeof labelled>;
  readonly duration: Metric.Metric<number, unknown>;
}

const labelled = (attributes: Readonly<Record<string, string>>) =>
  Metric.withAttributes(requests, attributes);
const cache = new Map<string, Counters>();

/** Counts one request with its response. Unknown methods share one label, which bounds the memory. */
export const countRequest = (
  interfaceName: string,
  method: string,
  status: number,
  seconds: number,
): Effect.Effect<void> => {
  const verb = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method) ? method : "other";
  const key = `${interfaceName} ${verb} ${status}`;
  let counters = cache.get(key);
  if (counters === undefined) {
    counters = {
      requests: labelled({ interface: interfaceName, method: verb, status: String(status) }),
      duration: Metric.withAttributes(duration, { interface: interfaceName }),
    };
    cache.set(key, counters);
  }
  return Effect.andThen(Metric.update(counters.requests, 1), Metric.update(counters.duration, seconds));
};

import { Context, Effect, Metric } from "effect";
import { knownSeries } from "../telemetry/KnownSeries.ts";
import type { SlowClientReason } from "./connections/SlowClients.ts";

/** The methods of each interface. */
const methods = {
  platform: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  device: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  operator: ["GET", "POST", "PUT", "PATCH", "DELETE"],
  console: ["GET", "POST", "DELETE"],
  media: ["GET"],
  other: ["GET"],
};
const statuses = ["200", "201", "401", "403", "404", "409", "413", "415", "422", "429", "500", "503"];

const requests = knownSeries(
  Metric.counter("waypost_http_requests_total", {
    description: "Requests with a response, by interface, method and status.",
    incremental: true,
  }),
  ...Object.entries(methods).map(([name, method]) => ({ interface: [name], method, status: statuses })),
);

const duration = knownSeries(
  Metric.histogram("waypost_http_request_seconds", {
    description: "Time from the head of a request to its response, in seconds, by interface.",
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  }),
  { interface: Object.keys(methods) },
);

interface Counters {
  readonly requests: ReturnType<typeof labelled>;
  readonly duration: Metric.Metric<number, unknown>;
}

const labelled = (attributes: Readonly<Record<string, string>>) =>
  Metric.withAttributes(requests, attributes);
const cache = new Map<string, Counters>();

/** Counts one request with its response. Unknown methods share one label, which bounds the memory. */
export const countRequest = (
  services: Context.Context<never>,
  interfaceName: string,
  method: string,
  status: number,
  seconds: number,
): void => {
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
  counters.requests.updateUnsafe(1, services);
  counters.duration.updateUnsafe(seconds, services);
};

const slowClients = knownSeries(
  Metric.counter("waypost_http_slow_clients_total", {
    description:
      "Connections ended for slow clients, by reason: body (sent too slowly), response (read too slowly), " +
      "address (too many long transfers of one address), file (read too slowly, or for too long).",
    incremental: true,
  }),
  { reason: ["body", "response", "address", "file"] },
);

/** A function that counts connections that were ended because their clients were slow. */
export const slowClientCounter = Effect.contextWith((all: Context.Context<never>) => {
  const services = Context.pick(Metric.MetricRegistry)(all);
  return Effect.succeed((reason: SlowClientReason): void =>
    Metric.withAttributes(slowClients, { reason }).updateUnsafe(1, services),
  );
});

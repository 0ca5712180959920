import { Clock, Effect, Layer } from "effect";
import { counter } from "./KnownSeries.ts";
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http";

const countFailure = counter(
  "waypost_telemetry_failures_total",
  "Failed attempts to send telemetry over OTLP, by signal (traces or metrics). It is dropped.",
  { signal: ["traces", "metrics"] },
);

/** Limits of a request and of requests in flight. Telemetry beyond them is dropped. */
const requestTimeout = "5 seconds";
const maxInFlight = 4;
/** Dropped telemetry is logged at most once in this many milliseconds. */
const logIntervalMillis = 60_000;

/** The request was dropped: there are too many in flight, or the receiver did not respond in time. */
class NotExported extends Error {
  override readonly name = "NotExported";
}

/**
 * The HTTP client of the exporters. A receiver that is unavailable, slow or hanging costs the memory of a few
 * requests and never delays a request to Waypost. Every failure is counted and logged.
 */
export class ExportClient {
  static readonly layer: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) => {
      let inFlight = 0;
      let loggedAt = Number.NEGATIVE_INFINITY;

      const recordFailure = Effect.fnUntraced(function* (url: string, problem: string) {
        const signal = url.endsWith("/metrics") ? "metrics" : "traces";
        yield* countFailure({ signal });
        const now = yield* Clock.currentTimeMillis;
        if (now - loggedAt < logIntervalMillis) return;
        loggedAt = now;
        yield* Effect.logWarning("Telemetry could not be sent and was dropped").pipe(
          Effect.annotateLogs({ host: URL.parse(url)?.host ?? "", signal, problem }),
        );
      });

      return HttpClient.transform(client, (request, { url }) =>
        Effect.suspend(() => {
          const drop = (problem: string) =>
            Effect.andThen(recordFailure(url, problem), Effect.die(new NotExported(problem)));
          if (inFlight >= maxInFlight) return drop(`${maxInFlight} requests are already in flight.`);
          inFlight += 1;
          return request.pipe(
            Effect.timeoutOrElse({
              duration: requestTimeout,
              orElse: () => drop("There was no response in time."),
            }),
            Effect.tap(({ status }) =>
              status < 400 ? Effect.void : recordFailure(url, `The response was ${status}.`),
            ),
            Effect.tapError((error) =>
              recordFailure(
                url,
                HttpClientError.isHttpClientError(error) ? error.reason._tag : "The request failed.",
              ),
            ),
            Effect.ensuring(
              Effect.sync(() => {
                inFlight -= 1;
              }),
            ),
          );
        }),
      );
    }),
  ).pipe(Layer.provide(FetchHttpClient.layer));
}

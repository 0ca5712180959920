import { Clock, Effect, Layer, Metric } from "effect";
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http";

const failures = Metric.counter("waypost_telemetry_failures_total", {
  description:
    "Attempts to send traces or metrics over OTLP that came to nothing, by signal: what is not taken is dropped.",
  incremental: true,
});

/** How long the receiver may take, and how many requests to it there are at once: what is beyond that is dropped. */
const patience = "5 seconds";
const mostAtOnce = 4;
/** It is said once in so many milliseconds that something was dropped. */
const quietMillis = 60_000;

/** The receiver has enough to do, or said no, or nothing in time. */
class NotExported extends Error {
  override readonly name = "NotExported";
}

/**
 * What exporters send with: a receiver that is away, slow or hangs costs a few requests of memory and no request of a client its time. It is
 * counted and said.
 */
export class ExportClient {
  static readonly layer: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) => {
      let inFlight = 0;
      let saidAt = Number.NEGATIVE_INFINITY;

      const note = Effect.fnUntraced(function* (url: string, problem: string) {
        const signal = url.endsWith("/metrics") ? "metrics" : "traces";
        yield* Metric.update(Metric.withAttributes(failures, { signal }), 1);
        const now = yield* Clock.currentTimeMillis;
        if (now - saidAt < quietMillis) return;
        saidAt = now;
        yield* Effect.logWarning("Telemetry could not be sent: what is not taken is dropped").pipe(
          Effect.annotateLogs({ host: URL.parse(url)?.host ?? "", signal, problem }),
        );
      });

      return HttpClient.transform(client, (request, { url }) =>
        Effect.suspend(() => {
          const refuse = (problem: string) =>
            Effect.andThen(note(url, problem), Effect.die(new NotExported(problem)));
          if (inFlight >= mostAtOnce) return refuse(`${mostAtOnce} requests to it have no answer yet.`);
          inFlight += 1;
          return request.pipe(
            Effect.timeoutOrElse({
              duration: patience,
              orElse: () => refuse("There was no answer in time."),
            }),
            Effect.tap(({ status }) =>
              status < 400 ? Effect.void : note(url, `It answered with ${status}.`),
            ),
            Effect.tapError((error) =>
              note(url, HttpClientError.isHttpClientError(error) ? error.reason._tag : "It failed."),
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

import { Effect, Layer } from "effect";
import { HttpRouter, HttpServerResponse } from "effect/http";
import { PrometheusMetrics } from "effect/observability";
import { Database } from "../database/Database.ts";
import { SupervisorChannel } from "../processes/SupervisorChannel.ts";
import { startKnownSeries } from "../telemetry/KnownSeries.ts";
import { processMetrics } from "./ProcessMetrics.ts";

const text = (body: string, status: number) =>
  HttpServerResponse.text(body, { status, headers: { "cache-control": "no-store" } });

/**
 * `GET /health/live`, `/health/ready` (503 without a database, or while its disk is full) and `/metrics`
 * (Prometheus). They need no token. The metrics of several processes under one supervisor are their sum.
 */
export const healthRoutes = Layer.mergeAll(
  HttpRouter.add("GET", "/health/live", text("ok\n", 200)),
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const database = yield* Database;
      yield* router.add(
        "GET",
        "/health/ready",
        Effect.gen(function* () {
          if (yield* database.isDiskFull) return text("the disk of the database is full\n", 503);
          return (yield* database.ready) ? text("ok\n", 200) : text("the database is away\n", 503);
        }),
      );
    }),
  ),
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const refresh = yield* processMetrics;
      yield* startKnownSeries;
      const supervisor = yield* SupervisorChannel;
      const own = Effect.andThen(refresh, PrometheusMetrics.format());
      if (supervisor !== null) yield* supervisor.publishMetrics(own);
      const all = supervisor?.metricsOfAll ?? own;
      yield* router.add(
        "GET",
        "/metrics",
        Effect.map(all, (metrics) =>
          metrics === null
            ? text("the other processes do not respond\n", 503)
            : HttpServerResponse.text(metrics, {
                contentType: "text/plain; version=0.0.4; charset=utf-8",
                headers: { "cache-control": "no-store" },
              }),
        ),
      );
    }),
  ),
);

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer";
import {
  Clock,
  Console,
  Context,
  Effect,
  FileSystem,
  Layer,
  Logger,
  Metric,
  Path,
  Random,
  References,
  Scope,
  Tracer,
} from "effect";
import { Etag, Headers, HttpMiddleware, HttpPlatform, HttpServer } from "effect/http";
import { NetAddress } from "effect/net";
import { Settings } from "../config/Settings.ts";
import { ProcessMember } from "../processes/ProcessMember.ts";
import { transferClient } from "./ClientAddress.ts";
import { DrainingServer } from "./connections/DrainingServer.ts";
import { slowClientCounter } from "./HttpMetrics.ts";
import { SlowClients } from "./connections/SlowClients.ts";

/**
 * The time for requests in flight on shutdown, in milliseconds; the rest of 10 seconds is for the database.
 */
const drainMillis = 9_000;

/** A server that does not listen, with the address of the request processes beside this one. */
const silentServer = (address: string) => {
  const { hostname, port } = new URL(address);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return Layer.merge(
    Layer.effect(
      HttpServer.HttpServer,
      Effect.fromResult(NetAddress.inetAddressFromIpString(host, Number(port === "" ? 80 : port))).pipe(
        Effect.map((inet) => HttpServer.make({ address: inet, serve: () => Effect.void })),
        Effect.orDie,
      ),
    ),
    NodeHttpServer.layerHttpServices,
  );
};

/** Services that the responses and uploads of HttpApi need while a request runs. */
const httpServices = Context.pick(
  Scope.Scope,
  FileSystem.FileSystem,
  Path.Path,
  HttpPlatform.HttpPlatform,
  Etag.Generator,
);

/** Settings of Effect while a request runs, where they differ from the default. */
const runtimeServices = Context.pick(
  Clock.Clock,
  Console.Console,
  Random.Random,
  Logger.CurrentLoggers,
  References.MinimumLogLevel,
  References.CurrentLogAnnotations,
  Metric.MetricRegistry,
  Tracer.Tracer,
  HttpMiddleware.TracerDisabledWhen,
  Headers.CurrentRedactedNames,
);

/**
 * A server whose requests start with these services only: handlers take the services of Waypost when they are
 * built. HttpApi copies the context of a request when it merges it with that of the handlers, so all services
 * of the process would take up to an eighth of the time of `GET /me`, and a quarter of its memory.
 */
const withFewServices = (server: HttpServer.HttpServer["Service"]) =>
  HttpServer.make({
    address: server.address,
    serve: (app, middleware) =>
      (middleware === undefined ? server.serve(app) : server.serve(app, middleware)).pipe(
        Effect.updateContext((all: Context.Context<Scope.Scope>) =>
          Context.merge(runtimeServices(all), httpServices(all)),
        ),
      ),
  });

/**
 * The listening socket. A client has 10 seconds to send the head and an hour to send the whole request, which
 * is enough for an import of a million devices: it is read only as fast as the database stores it. It must
 * send and read faster than `connections/TransferRate.ts` says. On shutdown the requests whose head has
 * arrived are finished.
 */
export const serverLayer = Layer.unwrap(
  Effect.gen(function* () {
    const member = yield* ProcessMember;
    if (member !== null && member.address !== null) return silentServer(member.address);
    const { host, port, trustedProxies } = yield* Settings;
    const slowClients = new SlowClients({
      clientOf: (request) => transferClient(request, trustedProxies),
      onEnded: yield* slowClientCounter,
    });
    const nodeServer = NodeHttpServer.make(
      () =>
        new DrainingServer(
          {
            headersTimeout: 10_000,
            requestTimeout: 3_600_000,
            keepAliveTimeout: 65_000,
            connectionsCheckingInterval: 2_000,
            maxHeaderSize: 16_384,
            noDelay: true,
          },
          slowClients,
        ),
      { port, host, gracefulShutdownTimeout: drainMillis },
    );
    return Layer.merge(
      Layer.effect(HttpServer.HttpServer, Effect.map(nodeServer, withFewServices)),
      NodeHttpServer.layerHttpServices,
    );
  }),
);

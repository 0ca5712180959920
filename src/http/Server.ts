import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer";
import { Context, Effect, Layer, Scope } from "effect";
import { HttpServer } from "effect/http";
import { Settings } from "../config/Settings.ts";
import { transferClient } from "./ClientAddress.ts";
import { DrainingServer } from "./DrainingServer.ts";
import { slowClientCounter } from "./HttpMetrics.ts";
import { SlowClients } from "./SlowClients.ts";

/**
 * The time for requests in flight on shutdown, in milliseconds; the rest of 10 seconds is for the database.
 */
const drainMillis = 9_000;

/**
 * A server whose requests start with the services that are there when the server is built, which are those
 * below the services of the slices. Otherwise each request would copy the whole process's services: HttpApi
 * merges the context of a request with that of its handlers, which takes an eighth of the time of `GET /me`.
 */
const withFewServices = Effect.gen(function* () {
  const server = yield* HttpServer.HttpServer;
  const services = yield* Effect.context();
  return HttpServer.make({
    address: server.address,
    serve: (app, middleware) =>
      Effect.updateContext(
        middleware === undefined ? server.serve(app) : server.serve(app, middleware),
        (all: Context.Context<Scope.Scope>) =>
          Context.add(services, Scope.Scope, Context.get(all, Scope.Scope)),
      ),
  });
});

/**
 * The listening socket. A client has 10 seconds to send the head and five minutes to send the whole request,
 * which is enough for 50 MB of media over a slow line. It must send and read faster than `TransferRate.ts`
 * says. On shutdown the requests whose head has arrived are finished.
 */
export const serverLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { host, port, trustedProxies } = yield* Settings;
    const slowClients = new SlowClients({
      clientOf: (request) => transferClient(request, trustedProxies),
      onEnded: yield* slowClientCounter,
    });
    const nodeServer = NodeHttpServer.layer(
      () =>
        new DrainingServer(
          {
            headersTimeout: 10_000,
            requestTimeout: 300_000,
            keepAliveTimeout: 65_000,
            connectionsCheckingInterval: 2_000,
            maxHeaderSize: 16_384,
            noDelay: true,
          },
          slowClients,
        ),
      { port, host, gracefulShutdownTimeout: drainMillis },
    );
    return Layer.effect(HttpServer.HttpServer, withFewServices).pipe(Layer.provideMerge(nodeServer));
  }),
);

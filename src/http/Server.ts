import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer";
import { Context, Effect, FileSystem, Layer, Path, Scope } from "effect";
import { Etag, HttpPlatform, HttpServer } from "effect/http";
import { NetAddress } from "effect/net";
import { Settings } from "../config/Settings.ts";
import { ProcessMember } from "../processes/ProcessMember.ts";
import { transferClient } from "./ClientAddress.ts";
import { DrainingServer } from "./DrainingServer.ts";
import { slowClientCounter } from "./HttpMetrics.ts";
import { SlowClients } from "./SlowClients.ts";

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

/** What HttpApi's responses and uploads need while a request runs. */
const requestServices = Context.pick(
  Scope.Scope,
  FileSystem.FileSystem,
  Path.Path,
  HttpPlatform.HttpPlatform,
  Etag.Generator,
);

/**
 * A server whose requests start with the services that are there when the server is built, which are those
 * below the services of the slices. Otherwise each request would copy all services of the process: HttpApi
 * merges the context of a request with that of its handlers, which took up to an eighth of the time of
 * `GET /me`.
 */
const withFewServices = Effect.fnUntraced(function* (server: HttpServer.HttpServer["Service"]) {
  const services = yield* Effect.context();
  return HttpServer.make({
    address: server.address,
    serve: (app, middleware) =>
      Effect.updateContext(
        middleware === undefined ? server.serve(app) : server.serve(app, middleware),
        (all: Context.Context<Scope.Scope>) => Context.merge(services, requestServices(all)),
      ),
  });
});

/**
 * The listening socket. A client has 10 seconds to send the head and an hour to send the whole request, which
 * is enough for an import of a million devices: it is read only as fast as the database stores it. It must
 * send and read faster than `TransferRate.ts` says. On shutdown the requests whose head has arrived are
 * finished.
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
      Layer.effect(HttpServer.HttpServer, Effect.flatMap(nodeServer, withFewServices)),
      NodeHttpServer.layerHttpServices,
    );
  }),
);

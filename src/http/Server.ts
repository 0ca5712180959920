import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer";
import { Effect, Layer } from "effect";
import { Settings } from "../config/Settings.ts";
import { DrainingServer } from "./DrainingServer.ts";

/**
 * The time for requests in flight on shutdown, in milliseconds; the rest of 10 seconds is for the database.
 */
const drainMillis = 9_000;

/**
 * The listening socket. A client has 10 seconds to send the head and five minutes to send the whole request,
 * which is enough for 50 MB of media over a slow line. On shutdown the requests whose head has arrived are
 * finished.
 */
export const serverLayer = Layer.unwrap(
  Effect.map(Settings, ({ host, port }) =>
    NodeHttpServer.layer(
      () =>
        new DrainingServer({
          headersTimeout: 10_000,
          requestTimeout: 300_000,
          keepAliveTimeout: 65_000,
          connectionsCheckingInterval: 2_000,
          maxHeaderSize: 16_384,
          noDelay: true,
        }),
      { port, host, gracefulShutdownTimeout: drainMillis },
    ),
  ),
);

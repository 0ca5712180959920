import { Effect, type Scope } from "effect";
import { createServer, type RequestListener } from "node:http";
import { type DemoFailed, failed } from "./DemoFailed.ts";

/** Serves on a free loopback port until the scope closes, so that the demo needs no internet. */
export const loopbackServer = (answer: RequestListener): Effect.Effect<string, DemoFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }, DemoFailed>((resume) => {
      const server = createServer(answer);
      const close = (): void => {
        server.close();
        server.closeAllConnections();
      };
      server.once("error", (error) => resume(Effect.fail(failed(error.message))));
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        const port = typeof address === "object" && address !== null ? address.port : 0;
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }));
      });
    }),
    ({ close }) => Effect.sync(close),
  ).pipe(Effect.map(({ url }) => url));

/** Serves the page behind the button of the demo's message. Returns the address. */
export const landingPage: Effect.Effect<string, DemoFailed, Scope.Scope> = Effect.map(
  loopbackServer((_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end("<!doctype html><title>Acme</title><h1>A coffee is waiting for you</h1>\n");
  }),
  (url) => `${url}/coffee`,
);

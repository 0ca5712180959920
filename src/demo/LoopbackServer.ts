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

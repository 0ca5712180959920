import { Effect, type Scope } from "effect";
import type { DemoFailed } from "./DemoFailed.ts";
import { loopbackServer } from "./LoopbackServer.ts";

/** Serves the page behind the button of the demo's message. Returns the address. */
export const landingPage: Effect.Effect<string, DemoFailed, Scope.Scope> = Effect.map(
  loopbackServer((_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end("<!doctype html><title>Acme</title><h1>A coffee is waiting for you</h1>\n");
  }),
  (url) => `${url}/coffee`,
);

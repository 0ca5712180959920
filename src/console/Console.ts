import { Layer } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { ConsoleApi } from "./SessionApi.ts";
import { consoleAddressesHandlers } from "./ConsoleAddressesHttp.ts";
import { consolePages } from "./ConsolePages.ts";
import { sessionAuthenticators } from "./SessionAuthenticators.ts";
import { sessionHandlers } from "./SessionHttp.ts";
import { sessionListHandlers } from "./SessionListHttp.ts";
import { Sessions } from "./Sessions.ts";

/** The console of a process with the role `api`, which loads this file on demand. */
export class Console {
  static readonly api = ConsoleApi;
  static readonly authenticators = sessionAuthenticators;
  static readonly sessions = Sessions.layer;
  static readonly operatorHandlers = Layer.merge(consoleAddressesHandlers, sessionListHandlers);
  static readonly routes = Layer.merge(
    consolePages,
    HttpApiBuilder.layer(ConsoleApi).pipe(Layer.provide(sessionHandlers)),
  );
}

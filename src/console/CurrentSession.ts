import { Context } from "effect";
import type { OpenSession } from "./Sessions.ts";

/** The authenticated session of a request to the console's own endpoints. */
export class CurrentSession extends Context.Service<
  CurrentSession,
  {
    /** The session of the request's cookie; null without one. */
    readonly session: OpenSession | null;
    /** The request's cookie, also of a session that has ended. */
    readonly cookie: string | null;
    readonly clientAddress: string;
    /** The name of the cookie at the address that the browser called. */
    readonly cookieName: string;
  }
>()("waypost/console/CurrentSession") {}

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
    /** Whether the browser called by https. */
    readonly isSecure: boolean;
  }
>()("waypost/console/CurrentSession") {}

import { Forbidden } from "../wire/ApiError.ts";

/** The parts of a request that say which page sent it. */
export interface RequestOrigin {
  /** The `Sec-Fetch-Site` header, which browsers send to https addresses and to localhost. */
  readonly fetchSite: string | undefined;
  /** The `Origin` header. */
  readonly origin: string | undefined;
  /** The host that the client called. */
  readonly host: string | undefined;
  readonly isSecure: boolean;
}

/** The 403 of a request that another site may have sent. */
export const crossOrigin = Forbidden.of(
  "cross_origin",
  "A session of the console works for pages of the same origin only: open the console itself, at https or " +
    "at localhost. A program uses a token in the Authorization header instead.",
);

/** Whether a page of this origin sent the request. A request that does not say so may come from any site. */
export const isSameOrigin = ({ fetchSite, host, isSecure, origin }: RequestOrigin): boolean => {
  if (fetchSite === "same-origin") return true;
  // A browser that sends the header and names another site is believed, whatever the Origin.
  if (fetchSite !== undefined || origin === undefined || host === undefined) return false;
  const server = URL.parse(`${isSecure ? "https" : "http"}://${host}`);
  return server !== null && origin === server.origin;
};

import { isIP } from "node:net";
import { isPublicAddress } from "./PublicAddressRanges.ts";

/** Characters that a URL parser drops or replaces. */
export const untidy = /[\s\p{Cc}\\]/u;

/** The name or address of a URL's host, without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1");

/** Whether a URL may lead to the public internet, as far as its text shows. */
export const mayBePublic = (url: URL): boolean => {
  const host = hostOf(url);
  return host !== "localhost" && (isIP(host) === 0 || isPublicAddress(host));
};

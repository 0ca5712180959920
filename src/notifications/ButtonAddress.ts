import { untidy } from "../outgoing/OutgoingUrls.ts";

/** Schemes that run code or open files in the app itself, or wrap an address that does. */
const dangerous = new Set([
  "javascript:",
  "data:",
  "file:",
  "vbscript:",
  "blob:",
  "view-source:",
  "feed:",
  "jar:",
  "filesystem:",
]);
/** In an address that a browser opens, some are dropped, so that another address opens. */
const control = /\p{Cc}/u;

const notAnAddress =
  "The button address must be a full address, such as https://example.com/offer or shop://offers/1.";

/**
 * Checks the text of an address: gives the URL to request, null for one that is not requested, or a problem.
 */
export const parseAddress = (text: string): { readonly url: URL | null } | { readonly problem: string } => {
  if (untidy.test(text)) {
    return {
      problem:
        "The button address may not contain spaces, backslashes or control characters: percent-encode them.",
    };
  }
  const url = URL.parse(text);
  if (url === null || (url.host === "" && url.pathname === "")) return { problem: notAnAddress };
  if (dangerous.has(url.protocol)) {
    return {
      problem: `The button address cannot begin with ${url.protocol} (use https, or a scheme of your app).`,
    };
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") return { url: null };
  return /^https?:\/\//i.test(text) ? { url } : { problem: notAnAddress };
};

const scheme = /^([a-z][a-z0-9+.-]*:)/i;
// RFC 3986: a scheme, and an authority with a host. `https:///x` has none.
const withHost =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[^\s/?#@\\]*@)?(?:\[[0-9a-f:.]+\]|[^\s/?#@:[\]\\]+)(?::\d*)?(?:[/?#]|$)/i;

/**
 * Whether the template of an address has to be checked as it renders with empty values (contract O1, O1.10):
 * if it then is an address with a host, or has a scheme that is always refused.
 */
export const isCheckedAddress = (rendered: string): boolean =>
  dangerous.has(scheme.exec(rendered)?.[1]?.toLowerCase() ?? "") ||
  (withHost.test(rendered) && !untidy.test(rendered));

/** Whether a rendered address can be sent: only its scheme and control characters are checked (O1.7). */
export const isSendable = (address: string): boolean => {
  const found = scheme.exec(address)?.[1]?.toLowerCase();
  return found !== undefined && !dangerous.has(found) && !control.test(address);
};

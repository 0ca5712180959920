import { Effect } from "effect";
import { hostOf, untidy } from "../outgoing/OutgoingUrls.ts";
import type { PublicHosts } from "../outgoing/PublicHosts.ts";

const notAnAddress = "The url must be a full address, such as https://example.com/waypost.";
const lookupTimeout = "5 seconds";

/** The URL of a text, or the problem with it. */
const parseUrl = (text: string): URL | string => {
  if (untidy.test(text)) {
    return "The url may not contain spaces, backslashes or control characters: percent-encode them.";
  }
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) return notAnAddress;
  if (url.username !== "" || url.password !== "") {
    return "The url may not contain a user name or password: calls are signed instead.";
  }
  return url;
};

/**
 * Checks the address of a webhook: null if it leads to the public internet, else a sentence that says why not
 * (contract N1). It resolves the name, so no transaction should be open.
 */
export const urlProblem = Effect.fnUntraced(function* (hosts: PublicHosts["Service"], text: string) {
  const url = parseUrl(text);
  if (typeof url === "string") return url;
  const host = hostOf(url);
  return yield* hosts.addressesOf(host).pipe(
    Effect.as(null),
    Effect.catchTags({
      HostUnknown: () => Effect.succeed(`The url must lead to a host that exists: ${host} has no address.`),
      HostNotPublic: () => Effect.succeed(`The url must lead to the public internet: ${host} does not.`),
    }),
    Effect.timeoutOrElse({
      duration: lookupTimeout,
      orElse: () => Effect.succeed(`The url must lead to a host that exists: ${host} could not be resolved.`),
    }),
  );
});

import { Context, Effect, Layer } from "effect";
import { parseAddress } from "./ButtonAddress.ts";
import type { HttpResponse } from "../outgoing/HttpExchange.ts";
import { OutgoingRequests } from "../outgoing/OutgoingRequests.ts";

const maxRedirects = 5;
const timeLimit = "5 seconds";
const fixed = { headers: ["accept", "*/*", "user-agent", "Waypost (link check)"], body: null };

const redirects = new Set([301, 302, 303, 307, 308]);

const isGood = ({ status }: HttpResponse): boolean => status < 500 && status !== 404 && status !== 410;

/**
 * One sentence for a host that is unknown, not public, refuses to answer, or is slow. Different ones would
 * let a client map the private network of the server, and find open ports, by saving notifications.
 */
const unreachable = ({ host }: URL): string =>
  "The button address must lead to the public internet and answer when it is opened, within " +
  `${timeLimit}: ${host} does not.`;

/** Checks whether the address of a button can be opened (contract F1). */
export class LinkCheck extends Context.Service<
  LinkCheck,
  {
    /**
     * Null for an address that can be opened, else a sentence that says why not. Sends requests for up to
     * five seconds by the `Clock`, so no transaction should be open.
     */
    readonly check: (text: string) => Effect.Effect<string | null>;
  }
>()("waypost/notifications/LinkCheck") {
  static readonly layerNoDeps = Layer.effect(
    LinkCheck,
    Effect.gen(function* () {
      const requests = yield* OutgoingRequests;

      /** Requests by HEAD, and what HEAD refuses by GET: some servers do not support HEAD. */
      const headOf = Effect.fnUntraced(function* (url: URL) {
        const head = yield* requests.send({ ...fixed, url, method: "HEAD" });
        return head.status >= 400 ? yield* requests.send({ ...fixed, url, method: "GET" }) : head;
      });

      /** Follows redirects. `hop` has the address that is requested at the moment. */
      const follow = Effect.fnUntraced(function* (hop: { url: URL }) {
        for (let hops = 0; ; hops++) {
          const { url } = hop;
          const response = yield* Effect.result(headOf(url));
          if (response._tag === "Failure") return unreachable(url);
          const { location, status } = response.success;
          if (!redirects.has(status) || location === undefined) {
            return isGood(response.success)
              ? null
              : "The button address must lead to a page that is there: " +
                  `${url.host} answered with status ${status}.`;
          }
          if (hops === maxRedirects) return `The button address may redirect at most ${maxRedirects} times.`;
          const next = URL.parse(location, url.href);
          if (next === null || (next.protocol !== "http:" && next.protocol !== "https:")) {
            return "The button address may redirect only to addresses of http or https.";
          }
          hop.url = next;
        }
      });

      return LinkCheck.of({
        check: (text) => {
          const parsed = parseAddress(text);
          if ("problem" in parsed) return Effect.succeed(parsed.problem);
          if (parsed.url === null) return Effect.succeed(null);
          const hop = { url: parsed.url };
          return Effect.timeoutOrElse(follow(hop), {
            duration: timeLimit,
            orElse: () => Effect.sync(() => unreachable(hop.url)),
          });
        },
      });
    }),
  );
  static readonly layer = LinkCheck.layerNoDeps.pipe(Layer.provide(OutgoingRequests.layer));
}

import { Context, Effect, Layer } from "effect";
import { answerHead, type AnswerHead, type NoAnswer } from "./AnswerHead.ts";
import { type HostNotPublic, type HostUnknown, PublicHosts } from "./PublicHosts.ts";

const mostRedirects = 5;
const timeLimit = "5 seconds";

/** Schemes that run or open something in the app itself, so that no button may lead there. */
const dangerous = new Set(["javascript:", "data:", "file:", "vbscript:", "blob:"]);
const redirects = new Set([301, 302, 303, 307, 308]);

const notAnAddress =
  "The button address must be a full address, such as https://example.com/offer or shop://offers/1.";

// What a URL parser would drop or turn into something else than what stands there.
const untidy = /[\s\p{Cc}\\]/u;

/** What an address is without asking anyone: the URL to ask, or null for one that needs no asking, or what is wrong. */
const readButtonAddress = (text: string): { readonly url: URL | null } | { readonly problem: string } => {
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
      problem: `The button address cannot begin with ${url.protocol} (use https, or a scheme of your own app).`,
    };
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") return { url: null };
  return /^https?:\/\//i.test(text) ? { url } : { problem: notAnAddress };
};

const isGood = ({ status }: AnswerHead): boolean => status < 500 && status !== 404 && status !== 410;

const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1");

const sayWhy = (error: HostUnknown | HostNotPublic | NoAnswer, url: URL): string => {
  switch (error._tag) {
    case "HostUnknown":
      return `The button address must lead to a host that exists: ${error.host} has no address.`;
    case "HostNotPublic":
      return `The button address must lead to the public internet: ${error.host} does not.`;
    case "NoAnswer":
      return (
        `The button address must answer when it is opened: there was no answer from ${url.host}` +
        `${error.code === undefined ? "" : ` (${error.code})`}.`
      );
  }
};

/**
 * Whether the address behind a button can be opened (contract F1). It asks the network, within five seconds by the `Clock`, so
 * call it while no transaction is open.
 */
export class CallToAction extends Context.Service<CallToAction>()("waypost/notifications/CallToAction", {
  make: Effect.gen(function* () {
    const hosts = yield* PublicHosts;

    /** Some servers know no HEAD, so what HEAD refuses is asked for by GET. */
    const ask = Effect.fnUntraced(function* (url: URL) {
      const addresses = yield* hosts.addressesOf(hostOf(url));
      const head = yield* answerHead(url, "HEAD", addresses);
      return head.status >= 400 ? yield* answerHead(url, "GET", addresses) : head;
    });

    const follow = Effect.fnUntraced(function* (start: URL) {
      let url = start;
      for (let hops = 0; ; hops++) {
        const answer = yield* Effect.result(ask(url));
        if (answer._tag === "Failure") return sayWhy(answer.failure, url);
        const { location, status } = answer.success;
        if (!redirects.has(status) || location === undefined) {
          return isGood(answer.success)
            ? null
            : `The button address must lead to a page that is there: ${url.host} answered with status ${status}.`;
        }
        if (hops === mostRedirects) return `The button address may redirect at most ${mostRedirects} times.`;
        const next = URL.parse(location, url.href);
        if (next === null || (next.protocol !== "http:" && next.protocol !== "https:")) {
          return "The button address may redirect only to addresses of http or https.";
        }
        url = next;
      }
    });

    return {
      /** Null for an address that can be opened, else a sentence about why it cannot. */
      check: (text: string): Effect.Effect<string | null> => {
        const read = readButtonAddress(text);
        if ("problem" in read) return Effect.succeed(read.problem);
        if (read.url === null) return Effect.succeed(null);
        return Effect.timeoutOrElse(follow(read.url), {
          duration: timeLimit,
          orElse: () => Effect.succeed(`The button address must answer within ${timeLimit}.`),
        });
      },
    };
  }),
}) {
  static readonly layerNoDeps = Layer.effect(CallToAction, CallToAction.make);
  static readonly layer = CallToAction.layerNoDeps.pipe(Layer.provide(PublicHosts.layer));
}

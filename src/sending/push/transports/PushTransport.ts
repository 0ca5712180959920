import { Effect } from "effect";
import type { KeptCredentials, PushProvider } from "../PushCredential.ts";
import type { PushContent } from "../PushPayload.ts";

/** A message on its way to one device. */
export interface Push {
  /** The message's id, the same on every attempt: what tells a repeated hand-over from another push (contract L5). */
  readonly id: string;
  readonly content: PushContent;
  /** As the device registered it, without the transport. */
  readonly address: unknown;
}

/**
 * What a push service made of a push. `Refused` is for good; `Gone` says that nobody is at the address any more; `Unauthorized` that the
 * credentials are not good; `Unavailable` is worth another try, after so many milliseconds if the service said when (contract L6, L7).
 * `reason` is a sentence without anything secret.
 */
export type PushOutcome =
  | { readonly _tag: "Accepted" }
  | { readonly _tag: "Gone" | "Refused" | "Unauthorized"; readonly reason: string }
  | {
      readonly _tag: "Unavailable";
      readonly reason: string;
      readonly retryAfter: number | null;
      /** There was no answer, and the service may have the push all the same. */
      readonly mayHaveArrived?: boolean;
    };

/** The one outcome that has nothing to say. */
export const accepted: PushOutcome = { _tag: "Accepted" };

/** Gives a push up: nothing more is told of it. Whether the service has got it is then unknown. */
export type GiveUp = () => void;

/** What became of a push; or, where more is to be done than to ask the service once, such as to get a token, what finds out. */
export type Told = PushOutcome | Effect.Effect<PushOutcome>;

/** A way to one push service with the credentials of one environment. */
export interface PushChannel {
  /**
   * Hands one over, and tells once what became of it: maybe before it returns, maybe never. Plain functions, not an effect for each push:
   * there are ten thousand of them a second.
   */
  readonly send: (push: Push, tell: (told: Told) => void) => GiveUp;
  /** Of a channel to many services: a name of the one that an address is at, whatever the address holds. */
  readonly serviceOf?: (address: unknown) => string;
}

/** Gives up what is over already. */
export const nothingToGiveUp: GiveUp = () => {};

/** Waits for what is told, and for what is to be done to know it; interrupted, it gives up. */
export const awaited = (begin: (tell: (told: Told) => void) => GiveUp): Effect.Effect<PushOutcome> =>
  Effect.flatMap(
    Effect.callback<Told>((resume) => {
      const giveUp = begin((told) => resume(Effect.succeed(told)));
      return Effect.sync(giveUp);
    }),
    (told) => (Effect.isEffect(told) ? told : Effect.succeed(told)),
  );

/** Speaks the protocol of one push service. */
export interface PushTransport<S extends PushProvider> {
  /** Opens a channel; nothing is asked of the service before the first push. */
  readonly open: (credentials: KeptCredentials[S]) => Effect.Effect<PushChannel>;
}

/** How long a service keeps a push for a device that is away, in seconds. */
export const keptSeconds = 86_400;

/** The outcome that a status stands for where a service has no better word: 429 and 5xx can be tried again (contract L7). */
export const outcomeOf = (
  service: string,
  status: number,
  detail: string,
  retryAfter: number | null,
): PushOutcome => {
  const reason = `${service} answered with status ${status}${detail === "" ? "" : ` (${detail})`}.`;
  if (status >= 200 && status < 300) return accepted;
  return status === 429 || status >= 500
    ? { _tag: "Unavailable", reason, retryAfter }
    : { _tag: "Refused", reason };
};

/** Milliseconds that a `Retry-After` header asks to wait, in seconds or as a date (RFC 9110); null for none that can be read. */
export const retryAfterMillis = (header: string | undefined, now: number): number | null => {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
};

/** The word that a service has for what is wrong; empty where it is none. What else it says could be anything, even what was sent to it. */
export const wordOf = (text: unknown): string =>
  typeof text === "string" && /^[A-Za-z_]{1,64}$/.test(text) ? text : "";

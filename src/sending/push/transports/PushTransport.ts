import { Effect } from "effect";
import { type HttpResponse, NotReached } from "../../../outgoing/HttpExchange.ts";
import type { OutgoingRequest, OutgoingRequests } from "../../../outgoing/OutgoingRequests.ts";
import type { KeptCredentials, PushProvider } from "../../credentials/PushCredential.ts";
import type { CutField, PushContent } from "../PushPayload.ts";

/** A message to send to one device. */
export interface Push {
  /** The message id, the same on every attempt: a device shows a repeated push once (contract L5). */
  readonly id: string;
  readonly content: PushContent;
  /** When its first attempt was, in epoch milliseconds; null for the first. */
  readonly firstAt: number | null;
  /** As the device registered it, without the transport. */
  readonly address: unknown;
}

/**
 * The outcome of a push attempt (contract L6, L7). `Refused` is permanent. `Gone`: the address is no longer
 * valid. `Unauthorized`: the credentials are refused. `Unavailable` can be retried, after `retryAfter`
 * milliseconds if the provider said so. `reason` is a sentence without secrets.
 */
export type PushOutcome =
  | { readonly _tag: "Accepted" }
  | { readonly _tag: "Gone" | "Refused"; readonly reason: string }
  | {
      readonly _tag: "Unauthorized";
      readonly reason: string;
      /** The provider lacks credentials for the platform of the device: others may accept these. */
      readonly isOfPlatform?: true;
    }
  | {
      readonly _tag: "Unavailable";
      readonly reason: string;
      readonly retryAfter: number | null;
      /** There was no response; the provider may have the push. */
      readonly mayHaveArrived?: boolean;
    };

/** The outcome without details. */
export const accepted: PushOutcome = { _tag: "Accepted" };

/** Cancels an attempt: no result is reported any more. Whether the provider has the push is then unknown. */
export type Cancel = () => void;

/** Cancels an attempt that is already over. */
export const nothingToCancel: Cancel = () => {};

/** The outcome of an attempt, or the effect that finds it if one request is not enough. */
export type SendResult = PushOutcome | Effect.Effect<PushOutcome>;

/** Reports the result of an attempt. */
export type Report = (result: SendResult) => void;

/** Sends pushes to one provider with the credentials of one environment. */
export interface PushChannel {
  /**
   * Starts an attempt. `report` is called at most once, possibly before this returns. A plain function: an
   * effect for each of 10,000 pushes a second would cost more than the request.
   */
  readonly send: (push: Push, report: Report) => Cancel;
  /** The names of the fields that are cut or left out of a content to fit the provider's limit. */
  readonly cutOf: (content: PushContent) => ReadonlyArray<CutField>;
  /** Web Push only: the name of the push service of an address. It accepts any address. */
  readonly serviceOf?: (address: unknown) => string;
}

/** Starts an attempt and waits for its outcome. Interruption cancels it. */
export const awaitOutcome = (start: (report: Report) => Cancel): Effect.Effect<PushOutcome> =>
  Effect.flatMap(
    Effect.callback<SendResult>((resume) => {
      const cancel = start((result) => resume(Effect.succeed(result)));
      return Effect.sync(cancel);
    }),
    (result) => (Effect.isEffect(result) ? result : Effect.succeed(result)),
  );

/** The protocol of one push provider. */
export interface PushTransport<P extends PushProvider> {
  /** Opens a channel. Makes no request before the first push. */
  readonly open: (credentials: KeptCredentials[P]) => Effect.Effect<PushChannel>;
}

/** The outcome of a status without a more specific error code: 429 and 5xx can be retried (contract L7). */
export const outcomeOfStatus = (
  sender: string,
  status: number,
  detail: string,
  retryAfter: number | null,
): PushOutcome => {
  const reason = `${sender} answered with status ${status}${detail === "" ? "" : ` (${detail})`}.`;
  if (status >= 200 && status < 300) return accepted;
  return status === 429 || status >= 500
    ? { _tag: "Unavailable", reason, retryAfter }
    : { _tag: "Refused", reason };
};

/** The outcome of a push without a response. */
export const outcomeOfError = ({ detail, host, isPrivate, mayHaveArrived }: NotReached): PushOutcome =>
  isPrivate === true
    ? { _tag: "Refused", reason: `The push service must be on the public internet: ${host} is not.` }
    : {
        _tag: "Unavailable",
        reason: `There was no answer from ${host} (${detail}).`,
        retryAfter: null,
        mayHaveArrived,
      };

/** Sends a push by one request. `classify` turns the response into an outcome. */
export const sendByRequest = (
  requests: OutgoingRequests["Service"],
  request: OutgoingRequest,
  classify: (response: HttpResponse) => PushOutcome,
  report: Report,
): Cancel => {
  const started = requests.start(request, (result) =>
    report(result instanceof NotReached ? outcomeOfError(result) : classify(result)),
  );
  return () => started.cancel();
};

/** An error code that can be logged: one word, else empty. Other text may be an echo of the request. */
export const loggableCode = (text: unknown): string =>
  typeof text === "string" && /^[A-Za-z_]{1,64}$/.test(text) ? text : "";

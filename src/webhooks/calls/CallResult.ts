import { type HttpResponse, NotReached } from "../../outgoing/HttpExchange.ts";

/** The first bytes of an answer that are shown, for the result of a test. */
const maxShown = 1_024;

/** The answer of a receiver, or why there was none. */
export interface CallResult {
  readonly statusCode: number | null;
  /** Null for a success. */
  readonly error: string | null;
  /** Milliseconds, from `Retry-After`. */
  readonly retryAfter: number | null;
  /** The first kilobyte of the answer; null for none. */
  readonly body: string | null;
}

/** The timeout of a call, in milliseconds (contract N4). */
export const callTimeoutMillis = 15_000;

/** A result without an answer. */
export const unanswered = (error: string): CallResult => ({
  statusCode: null,
  error,
  retryAfter: null,
  body: null,
});

/** Whether a result is a success: an answer with a status of 2xx. */
export const isSuccess = ({ error }: CallResult): boolean => error === null;

const problemOf = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `The receiver answered with status ${status}: redirects are not followed.`
    : `The receiver answered with status ${status}: only 2xx is a success.`;
};

/**
 * One result for a connection that was refused or lost, and for a timeout. Different ones would let a client
 * find the open ports of other hosts by testing webhooks (contract N5).
 */
export const noAnswer = unanswered(
  "There was no answer from the receiver: no connection, or none for " +
    `${callTimeoutMillis / 1000} seconds.`,
);

/** The codes of a certificate, whose owner has to renew it. */
const certificateCode = /CERT|SIGNATURE/;

const withoutAnswer = ({ code, host, isPrivate }: NotReached): CallResult => {
  if (isPrivate === true) return unanswered(`The receiver must be on the public internet: ${host} is not.`);
  if (code === "ENOTFOUND") return unanswered(`The receiver's host has no address: ${host}.`);
  return certificateCode.test(code)
    ? unanswered(`The receiver needs a certificate that is valid for its host (${code}).`)
    : noAnswer;
};

/** The result of a request. The status decides, also if its body did not arrive. */
export const callResultOf = (result: HttpResponse | NotReached): CallResult => {
  const response = result instanceof NotReached ? (result.received ?? null) : result;
  if (response === null) return withoutAnswer(result as NotReached);
  const { body, retryAfter, status } = response;
  return {
    statusCode: status,
    error: problemOf(status),
    retryAfter,
    body: body.toString("utf8", 0, maxShown),
  };
};

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

const reasonOf = ({ code, host, isPrivate }: NotReached): string => {
  if (isPrivate === true) return `The receiver must be on the public internet: ${host} is not.`;
  return code === "ENOTFOUND"
    ? `The receiver's host has no address: ${host}.`
    : `There was no answer from the receiver (${code}).`;
};

/** The result of a request. The status decides, also if its body did not arrive. */
export const callResultOf = (result: HttpResponse | NotReached): CallResult => {
  const response = result instanceof NotReached ? (result.received ?? null) : result;
  if (response === null) return unanswered(reasonOf(result as NotReached));
  const { body, retryAfter, status } = response;
  return {
    statusCode: status,
    error: problemOf(status),
    retryAfter,
    body: body.toString("utf8", 0, maxShown),
  };
};

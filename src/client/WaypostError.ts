import type { ServiceCode } from "./generated/ErrorCodes.ts";

/** Error codes without a response of the API, or with an unreadable one. */
type ClientCode = "network_error" | "timeout" | "unexpected_response";

/** An error code. A server that is newer than the client may return others, which this type does not name. */
export type WaypostErrorCode = ServiceCode | ClientCode;

/** Problems by dotted field name, such as `trigger_config.send_at` or `location_ids.2`. */
export type FieldProblems = Readonly<Record<string, ReadonlyArray<string>>>;

interface Options
  extends
    Pick<WaypostError, "status" | "code" | "message">,
    Partial<Pick<WaypostError, "fields" | "requestId" | "retryAfter" | "cause">> {}

/** A failed call: an error of the API, or a missing or unreadable response. */
export class WaypostError extends Error {
  override readonly name = "WaypostError";
  /** HTTP status of the last response; null if there was none (`network_error`, `timeout`). */
  readonly status: number | null;
  /** The kind of the error. Programs should use this, not the message. */
  readonly code: WaypostErrorCode;
  /** Problems by dotted field name; empty if the error is not about fields. */
  readonly fields: FieldProblems;
  /** The `X-Request-Id` of the last response, for the operator of the server; null if there is none. */
  readonly requestId: string | null;
  /** Seconds after which a retry may succeed; null if the server did not say. */
  readonly retryAfter: number | null;

  constructor(options: Options) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = options.status;
    this.code = options.code;
    this.fields = options.fields ?? {};
    this.requestId = options.requestId ?? null;
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** A received response, with its body as text. */
export interface ReceivedResponse {
  readonly status: number;
  /** The value of a header; null if the response has none. */
  readonly header: (name: string) => string | null;
  readonly text: string;
  /** The seconds of its `Retry-After` header. */
  readonly retryAfter: number | null;
}

/** The error of an unsuccessful response. The response may also be a redirect, or the page of a proxy. */
export const responseError = (response: ReceivedResponse): WaypostError => {
  const { header, retryAfter, status, text } = response;
  const known = { status, requestId: header("x-request-id"), retryAfter };
  const error = parseError(text);
  if (error !== null) return new WaypostError({ ...known, ...error });
  return new WaypostError({
    ...known,
    code: status === 405 ? "method_not_allowed" : "unexpected_response",
    message: unexpectedMessage(response),
  });
};

/** The error of a successful response whose body is not a response of the API. */
export const unexpectedSuccess = ({ header, status, text }: ReceivedResponse): WaypostError =>
  new WaypostError({
    status,
    requestId: header("x-request-id"),
    code: "unexpected_response",
    message:
      `The response (${status}) is not from the Waypost API: is the url right? ` +
      `It starts with: ${openingOf(text)}`,
  });

const unexpectedMessage = ({ header, status, text }: ReceivedResponse): string => {
  if (status === 0 || (status >= 300 && status < 400)) {
    const location = header("location");
    const target = location === null ? "" : ` to ${location}`;
    return `The url redirects${target}: set url to the final address.`;
  }
  return (
    `The response (${status}) is not an error of the Waypost API: a proxy may have sent it. ` +
    `It starts with: ${openingOf(text)}`
  );
};

const openingOf = (text: string): string => {
  const plain = text
    .slice(0, 2000)
    .replace(/<(style|script)\b[\s\S]*?<\/\1>|<[^>]*>/gi, " ")
    .replace(/\s+/g, " ")
    .trim();
  return plain === "" ? "(nothing)" : plain.slice(0, 200);
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Parses an error response of the API; null for any other text. */
export const parseError = (text: string): Pick<WaypostError, "code" | "message" | "fields"> | null => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  const error = isObject(body) ? body["error"] : undefined;
  if (!isObject(error) || typeof error["code"] !== "string") return null;
  const { code, fields, message } = error;
  return {
    code: code as WaypostErrorCode,
    message: typeof message === "string" ? message : code,
    fields: isObject(fields)
      ? Object.fromEntries(
          Object.entries(fields).map(([name, messages]) => [
            name,
            (Array.isArray(messages) ? messages : [messages]).map(String),
          ]),
        )
      : {},
  };
};

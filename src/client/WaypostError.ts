import type { ApiError } from "../wire/ApiError.ts";

/** Codes of the service's errors. */
type ServiceCode = ApiError["error"]["code"];

/** Codes of what never was an answer of the service, or none that can be read. */
type ClientCode = "network_error" | "timeout" | "unexpected_response";

/** What went wrong: branch on this. A newer service may have codes that this client does not know. */
export type WaypostErrorCode = ServiceCode | ClientCode | (string & Record<never, never>);

/** Problems by dotted field name, such as `trigger_config.send_at` or `location_ids.2`. */
export type FieldProblems = Readonly<Record<string, ReadonlyArray<string>>>;

interface Options {
  readonly status: number | null;
  readonly code: WaypostErrorCode;
  readonly message: string;
  readonly fields?: FieldProblems;
  readonly requestId?: string | null;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/** A call that did not succeed: what the service refused, or why there is no answer that can be read. */
export class WaypostError extends Error {
  override readonly name = "WaypostError";
  /** HTTP status of the last answer; null where there was none (`network_error`, `timeout`). */
  readonly status: number | null;
  /** What went wrong: branch on this, not on the message. */
  readonly code: WaypostErrorCode;
  /** Problems by dotted field name; empty where the error is not about fields. */
  readonly fields: FieldProblems;
  /** The `X-Request-Id` of the last answer, to give to the operator; null where there is none. */
  readonly requestId: string | null;
  /** Seconds after which another try may succeed; null where the service did not say. */
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

/** A response that is no success, as far as it is needed to tell what it says. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** Seconds of its `Retry-After`. */
  readonly retryAfter: number | null;
}

/** What a response that is no success says, also where it is not of the service: a proxy's page, a redirect, nothing at all. */
export const refusalError = ({ headers, retryAfter, status, text }: Refusal): WaypostError => {
  const known = { status, requestId: headers["x-request-id"] ?? null, retryAfter };
  const said = saidError(text);
  if (said !== null) return new WaypostError({ ...known, ...said });
  return new WaypostError({
    ...known,
    code: status === 405 ? "method_not_allowed" : "unexpected_response",
    message: strangeMessage(status, headers, text),
  });
};

/** A success whose body is not what the service sends. */
export const strangeSuccess = ({ headers, status, text }: Refusal): WaypostError =>
  new WaypostError({
    status,
    requestId: headers["x-request-id"] ?? null,
    code: "unexpected_response",
    message: `The answer (${status}) is not JSON of Waypost: is the url right? It begins: ${beginning(text)}`,
  });

const strangeMessage = (status: number, headers: Refusal["headers"], text: string): string => {
  if (status === 0 || (status >= 300 && status < 400)) {
    const where = headers["location"];
    return `The url leads elsewhere (a redirect${where === undefined ? "" : ` to ${where}`}): give the client the address itself.`;
  }
  return `The answer is ${status} and not an error of Waypost, so something in between may have sent it. It begins: ${beginning(text)}`;
};

const beginning = (text: string): string => {
  const plain = text
    .slice(0, 2000)
    .replace(/<(style|script)\b[\s\S]*?<\/\1>|<[^>]*>/gi, " ")
    .replace(/\s+/g, " ")
    .trim();
  return plain === "" ? "(nothing)" : plain.slice(0, 200);
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** The code of an answer in the service's error shape, its message and fields; null for any other text. */
export const saidError = (text: string): Pick<WaypostError, "code" | "message" | "fields"> | null => {
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
    code,
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

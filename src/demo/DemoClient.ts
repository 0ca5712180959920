/** The HTTP client of the demo: it prints every request and response. */
import { Effect } from "effect";
import { type DemoFailed, failed } from "./DemoFailed.ts";
import { at } from "./ExpectedFigures.ts";
import type { Narrator } from "./Narrator.ts";

/** A shell variable, such as `SANDBOX_TOKEN`. Requests print its name and send its value. */
export interface Variable {
  readonly name: string;
  readonly value: string;
}

/** An interface of the server, and the credential to use there. */
export interface Access {
  readonly base: Variable;
  readonly credential: Variable;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request of the demo. */
export interface DemoRequest {
  /** Expected status; 200 if left out. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** A file that is the body. Only its name is printed. */
  readonly file?: { readonly name: string; readonly text: string };
  /** A file in a form. Only its name is printed. */
  readonly upload?: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> };
  /** The printed part of the response: fields of `data`, or a function. Everything if left out. */
  readonly show?: ReadonlyArray<string> | ((response: DemoResponse) => unknown);
}

/** A response with the expected status. */
export class DemoResponse {
  readonly body: unknown;
  readonly headers: Headers;

  constructor(body: unknown, headers: Headers) {
    this.body = body;
    this.headers = headers;
  }

  /** The value at a path inside `data`; undefined if there is none. */
  data(...path: ReadonlyArray<string | number>): unknown {
    return at(this.body, "data", ...path);
  }

  /** The text at a path inside `data`. */
  text(...path: ReadonlyArray<string | number>): Effect.Effect<string, DemoFailed> {
    const value = this.data(...path);
    return typeof value === "string"
      ? Effect.succeed(value)
      : Effect.fail(failed(`The response has no text at data.${path.join(".")}.`));
  }

  /** The access with the credential in a field of `data`, which requests print by this name. */
  access(base: Variable, name: string, field: string): Effect.Effect<Access, DemoFailed> {
    return Effect.map(this.text(field), (value) => ({ base, credential: { name, value } }));
  }
}

/** Sends a request, prints it with its response, and checks the status. Another status ends the demo. */
export type SendRequest = (
  access: Access,
  endpoint: `${Method} /${string}`,
  request?: DemoRequest,
) => Effect.Effect<DemoResponse, DemoFailed>;

/** The fields of an object with these names, in this order. */
export const pick = (value: unknown, names: ReadonlyArray<string>): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, at(value, name)]));

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const payloadOf = ({ body, file, upload }: DemoRequest): string | FormData | undefined => {
  if (upload === undefined) return file?.text ?? (body === undefined ? undefined : JSON.stringify(body));
  const form = new FormData();
  form.set("file", new Blob([upload.bytes]), upload.name);
  return form;
};

const shownPart = (response: DemoResponse, show: DemoRequest["show"]): unknown => {
  if (show === undefined) return response.body;
  return typeof show === "function" ? show(response) : pick(response.data(), show);
};

/** A client that prints what it does through the narrator. */
export const demoClient =
  (narrator: Pick<Narrator, "exchange">): SendRequest =>
  (access, endpoint, request = {}) =>
    Effect.gen(function* () {
      const [method = "GET", path = ""] = endpoint.split(" ");
      const { body, file, headers = {}, show, status: expected = 200, upload } = request;
      const payload = payloadOf(request);
      const { response, status } = yield* Effect.tryPromise({
        try: async (signal) => {
          const sent = new Headers(headers);
          sent.set("authorization", `Bearer ${access.credential.value}`);
          if (typeof payload === "string" && !sent.has("content-type"))
            sent.set("content-type", "application/json");
          const answer = await fetch(access.base.value + path, {
            method,
            signal,
            headers: sent,
            ...(payload === undefined ? {} : { body: payload }),
          });
          const text = await answer.text();
          return { status: answer.status, response: new DemoResponse(parseJson(text), answer.headers) };
        },
        catch: (error) => failed(`${endpoint} got no response: ${String(error)}`),
      });
      const isExpected = status === expected;
      yield* narrator.exchange(
        {
          method,
          path,
          base: access.base.name,
          credential: access.credential.name,
          headers,
          body,
          file: file?.name,
          upload: upload?.name,
        },
        status,
        isExpected ? shownPart(response, show) : response.body,
      );
      if (isExpected) return response;
      return yield* failed(
        `${endpoint} returned ${status} instead of ${expected}: ${JSON.stringify(response.body)}`,
      );
    });

/** A client that prints nothing. */
export const silentClient = demoClient({ exchange: () => Effect.void });

/** Sends the demo's requests over real HTTP and tells each of them. */
import { Effect } from "effect";
import { DemoFailed } from "./DemoFailed.ts";
import type { Narrator, ToldRequest } from "./Narrator.ts";

/** A shell variable of the story, such as `SANDBOX_TOKEN`: told by its name, sent by its value. */
export interface Variable {
  readonly name: string;
  readonly value: string;
}

/** One request of the story. */
export interface DemoRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly base: Variable;
  readonly path: string;
  readonly credential: Variable;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, and told by its name. */
  readonly file?: { readonly name: string; readonly text: string };
  /** Sent as a form with one file, and told by its name. */
  readonly upload?: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> };
  /** The status that the story expects. */
  readonly status: number;
  /** The part of the answer worth showing; all of it if left out. */
  readonly show?: (body: unknown, headers: Headers) => unknown;
}

/** An answer with the expected status. */
export interface DemoAnswer {
  readonly body: unknown;
  readonly headers: Headers;
}

/** Sends, tells and checks the status of a request; another status than the expected one ends the demo. */
export type Ask = (request: DemoRequest) => Effect.Effect<DemoAnswer, DemoFailed>;

const parsed = (text: string): unknown => {
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

/** An `Ask` that tells what it does through the narrator. */
export const demoClient =
  (narrator: Narrator): Ask =>
  (request) =>
    Effect.gen(function* () {
      const method = request.method ?? "GET";
      const payload = payloadOf(request);
      const { body, headers, status } = yield* Effect.tryPromise({
        try: async (signal) => {
          const sent = new Headers(request.headers);
          sent.set("authorization", `Bearer ${request.credential.value}`);
          if (typeof payload === "string" && !sent.has("content-type"))
            sent.set("content-type", "application/json");
          const response = await fetch(request.base.value + request.path, {
            method,
            signal,
            headers: sent,
            ...(payload === undefined ? {} : { body: payload }),
          });
          return { status: response.status, headers: response.headers, body: parsed(await response.text()) };
        },
        catch: (error) =>
          new DemoFailed({ message: `${method} ${request.path} got no answer: ${String(error)}` }),
      });
      const isExpected = status === request.status;
      const told: ToldRequest = {
        method,
        base: request.base.name,
        path: request.path,
        credential: request.credential.name,
        ...(request.headers === undefined ? {} : { headers: request.headers }),
        body: request.body,
        file: request.file?.name,
        upload: request.upload?.name,
      };
      yield* narrator.exchange(told, status, isExpected && request.show ? request.show(body, headers) : body);
      if (isExpected) return { body, headers };
      return yield* new DemoFailed({
        message: `${method} ${request.path} was answered ${status}, and ${request.status} was expected: ${JSON.stringify(body)}`,
      });
    });

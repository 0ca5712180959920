import { Data, Option, Schema } from "effect";
import { HttpClientError } from "effect/http";
import type { ApiError } from "../wire/ApiError.ts";
import { visible } from "../wire/VisibleText.ts";
import type { Fields } from "../wire/Problems.ts";

const ErrorText = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.Struct({
      message: Schema.String,
      fields: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String))),
    }),
  }),
);

/** The first `code` of an error or one of its causes. */
const codeOf = (error: unknown): string => {
  let current: unknown = error;
  for (let depth = 0; depth < 8 && typeof current === "object" && current !== null; depth++) {
    if ("code" in current && typeof current.code === "string") return current.code;
    current =
      "reason" in current && typeof current.reason === "object"
        ? current.reason
        : "cause" in current
          ? current.cause
          : null;
  }
  return "";
};

/** Why a server could not be reached, by the code of the failure. */
const unreachable = (url: string, code: string): string => {
  const host = URL.parse(url)?.host ?? url;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `There is no host ${host}. Check the address given by --url or WAYPOST_URL.`;
  if (code === "EPROTO" || code.startsWith("ERR_SSL"))
    return `The server at ${url} does not speak TLS: try --url http://${host}`;
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    return (
      `The certificate of ${url} is not trusted (${code}). If your own certificate authority signed it, ` +
      "set NODE_EXTRA_CA_CERTS to the file of that authority's certificate."
    );
  }
  return `Nothing answers at ${url}: is Waypost running there?`;
};

/** The command was understood but not carried out. `message` says why, in sentences. Exit code 1. */
export class CommandRefused extends Data.TaggedError("CommandRefused")<{ readonly message: string }> {
  /** Every problem of a request by its field, one line each. */
  static readonly fields = (fields: Fields): CommandRefused => {
    const lines = Object.entries(fields).flatMap(([name, messages]) =>
      messages.map((message) => visible(`  ${name}: ${message}`)),
    );
    return new CommandRefused({ message: ["The request is not valid:", ...lines].join("\n") });
  };

  /** An error as the server at `url` responds with it. */
  static readonly fromText = (url: string, body: string): CommandRefused => {
    const error = Option.getOrNull(Schema.decodeUnknownOption(ErrorText)(body))?.error;
    if (error?.fields !== undefined) return CommandRefused.fields(error.fields);
    const message = error?.message ?? `The server at ${url} is not the operator interface of a Waypost.`;
    return new CommandRefused({ message });
  };

  /** The failure of a request to the server at `url`. */
  static readonly from = (
    url: string,
    failure: ApiError | HttpClientError.HttpClientError | Schema.SchemaError,
  ): CommandRefused => {
    if (Schema.isSchemaError(failure)) {
      return new CommandRefused({
        message: `The response of ${url} is not valid. It may run another version of Waypost.`,
      });
    }
    if (!HttpClientError.isHttpClientError(failure)) {
      const { fields, message } = { fields: undefined, ...failure.error };
      if (fields !== undefined) return CommandRefused.fields(fields);
      const hint =
        failure._tag === "Unauthorized" ? " Give the right one with --key or WAYPOST_OPERATOR_KEY." : "";
      return new CommandRefused({ message: visible(message) + hint });
    }
    const { reason } = failure;
    const message =
      reason._tag === "StatusCodeError" || reason._tag === "DecodeError"
        ? `The server at ${url} is not the operator interface of a Waypost.`
        : unreachable(url, codeOf(failure));
    return new CommandRefused({ message });
  };
}

/** Invalid usage of a command. `message` says what is right. Exit code 2. */
export class BadUsage extends Data.TaggedError("BadUsage")<{ readonly message: string }> {}

import { Data, Schema } from "effect";
import { HttpClientError } from "effect/http";
import type { ApiError } from "../wire/ApiError.ts";
import type { Fields } from "../wire/Problems.ts";

/** The first code that an error or one of its causes has. */
const codeIn = (error: unknown): string => {
  let at: unknown = error;
  for (let depth = 0; depth < 8 && typeof at === "object" && at !== null; depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
    at = "reason" in at && typeof at.reason === "object" ? at.reason : "cause" in at ? at.cause : null;
  }
  return "";
};

/** Why a server could not be asked, by the code of the failure. */
const unreached = (url: string, code: string): string => {
  const host = URL.parse(url)?.host ?? url;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `There is no host ${host}: is the address right?`;
  if (code === "EPROTO" || code.startsWith("ERR_SSL")) {
    return `What answers at ${url} does not speak TLS: try --url http://${host}`;
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    return (
      `The certificate of ${url} cannot be trusted (${code}). If an authority of your own signed it, name its certificate by ` +
      "NODE_EXTRA_CA_CERTS."
    );
  }
  return `Nothing answers at ${url}: is Waypost running there?`;
};

/** The command was understood but not carried out; `message` says why in sentences. Exit code 1. */
export class CommandRefused extends Data.TaggedError("CommandRefused")<{ readonly message: string }> {
  /** Everything wrong with what was asked for, a line for each problem. */
  static readonly fields = (fields: Fields): CommandRefused => {
    const lines = Object.entries(fields).flatMap(([name, messages]) =>
      messages.map((message) => `  ${name}: ${message}`),
    );
    return new CommandRefused({ message: ["This was refused:", ...lines].join("\n") });
  };

  /** What came back from asking the server at `url`. */
  static readonly from = (
    url: string,
    failure: ApiError | HttpClientError.HttpClientError | Schema.SchemaError,
  ): CommandRefused => {
    if (Schema.isSchemaError(failure)) {
      return new CommandRefused({
        message: `The answer of ${url} is not what was expected: is it another version?`,
      });
    }
    if (!HttpClientError.isHttpClientError(failure)) {
      const { fields, message } = { fields: undefined, ...failure.error };
      if (fields !== undefined) return CommandRefused.fields(fields);
      const hint =
        failure._tag === "Unauthorized" ? " Give the right one with --key or WAYPOST_OPERATOR_KEY." : "";
      return new CommandRefused({ message: message + hint });
    }
    const { reason } = failure;
    const message =
      reason._tag === "StatusCodeError" || reason._tag === "DecodeError"
        ? `What answers at ${url} is not the operator interface of a Waypost.`
        : unreached(url, codeIn(failure));
    return new CommandRefused({ message });
  };
}

/** The command cannot be meant like this; `message` says what would be right. Exit code 2. */
export class BadUsage extends Data.TaggedError("BadUsage")<{ readonly message: string }> {}

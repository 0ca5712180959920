import { Data, Schema } from "effect";
import { HttpClientError } from "effect/http";
import type { ApiError } from "../../wire/ApiError.ts";
import type { Fields } from "../../wire/Problems.ts";

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
      return fields === undefined ? new CommandRefused({ message }) : CommandRefused.fields(fields);
    }
    const { reason } = failure;
    const message =
      reason._tag === "StatusCodeError" || reason._tag === "DecodeError"
        ? `What answers at ${url} is not the operator interface of a Waypost.`
        : `Nothing answers at ${url}: is Waypost running there?`;
    return new CommandRefused({ message });
  };
}

/** The command cannot be meant like this; `message` says what would be right. Exit code 2. */
export class BadUsage extends Data.TaggedError("BadUsage")<{ readonly message: string }> {}

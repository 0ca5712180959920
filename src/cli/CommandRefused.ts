import { Data } from "effect";
import { WaypostError } from "../client/WaypostError.ts";
import type { Fields } from "../wire/Problems.ts";
import { visible } from "../wire/VisibleText.ts";

/** The first `code` of an error or one of its causes. */
const codeOf = (error: unknown): string => {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if ("code" in current && typeof current.code === "string") return current.code;
    current = current.cause;
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
    return refused(["The request is not valid:", ...lines].join("\n"));
  };

  /** The failure of a request to the server at `url`. `hint` says where another credential can be given. */
  static readonly from = (url: string, failure: unknown, hint: string): CommandRefused => {
    if (!(failure instanceof WaypostError))
      return refused(failure instanceof Error ? failure.message : String(failure));
    const { cause, code, fields, message, status } = failure;
    if (code === "network_error") return refused(unreachable(url, codeOf(cause)));
    if (code === "unexpected_response") return refused(`The server at ${url} is not a Waypost.`);
    const [problem] = fields["Waypost-Workspace"] ?? [];
    if (problem !== undefined) return refused(problem);
    if (Object.keys(fields).length > 0) return CommandRefused.fields(fields);
    return refused(visible(message) + (status === 401 ? ` ${hint}` : ""));
  };
}

/** A refusal for this reason. */
export const refused = (message: string): CommandRefused => new CommandRefused({ message });

/** Invalid usage of a command. `message` says what is right. Exit code 2. */
export class BadUsage extends Data.TaggedError("BadUsage")<{ readonly message: string }> {}

/** Invalid usage for this reason. */
export const badUsage = (message: string): BadUsage => new BadUsage({ message });

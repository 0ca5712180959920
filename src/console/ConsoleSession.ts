import { Schema } from "effect";
import { Ability } from "../access/Ability.ts";
import { nullableText, shownId, shownInstant, shownText } from "../wire/ShownFields.ts";
import { optionalText } from "../wire/Text.ts";
import { Environment } from "../workspaces/Environment.ts";

const credential = (description: string, example: string) =>
  Schema.optionalKey(Schema.NullOr(Schema.String).annotate({ description, examples: [example] }));

/** Body that opens a session: one of `access_key` and `code`. */
export const SignIn = Schema.Struct({
  access_key: credential(
    "The operator key, or a platform API token.",
    "wps_0000000000000000000000000000000000000",
  ),
  code: credential("The code of a one-time address.", "wpo_0000000000000000000000000000000000000"),
  name: optionalText({
    max: 80,
    description: "The person, as the activity log names them.",
    example: "Kim",
  }),
}).annotate({ identifier: "SignIn" });
export type SignIn = typeof SignIn.Type;

/** A session of the console: who is signed in, and what they may do. */
export const ConsoleSession = Schema.Struct({
  id: shownId("Id of the session.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  kind: Schema.Literals(["operator", "token"]).annotate({
    description: "Whether the operator is signed in, or somebody with a platform API token.",
    examples: ["operator"],
  }),
  name: nullableText("The person; null if they gave no name.", "Kim"),
  workspace: Schema.NullOr(
    Schema.Struct({
      id: shownId("Id of the workspace.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
      name: shownText("Name of the workspace.", "Acme"),
      timezone: shownText("IANA time zone in which reports count days.", "Europe/Amsterdam"),
    }),
  ).annotate({ description: "The workspace of the token; null for the operator." }),
  environment: Schema.NullOr(Environment).annotate({
    description: "The environment of the token; null for the operator.",
    examples: ["sandbox"],
  }),
  abilities: Schema.Array(Ability).annotate({ description: "The session's abilities.", examples: [[]] }),
  expires_at: shownInstant("When the session ends."),
  now: shownInstant("The time of the server, by which the console counts days."),
}).annotate({ identifier: "ConsoleSession" });
export type ConsoleSession = typeof ConsoleSession.Type;

import { Schema } from "effect";
import { nullableInstant, nullableText, shownId, shownInstant, shownText } from "../wire/ShownFields.ts";
import { flag } from "../wire/Text.ts";
import { Environment } from "../workspaces/Environment.ts";

const id = "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60";

const named = (noun: string, name: string) =>
  Schema.NullOr(
    Schema.Struct({ id: shownId(`Id of the ${noun}.`, id), name: shownText(`Name of the ${noun}.`, name) }),
  ).annotate({ description: `The ${noun} of the session; null for the operator.` });

/** A session of the console, as the operator sees it among all. */
export const ListedSession = Schema.Struct({
  id: shownId("Id of the session.", id),
  kind: Schema.Literals(["operator", "token"]).annotate({
    description: "Whether the operator is signed in, or somebody with a platform API token.",
    examples: ["operator"],
  }),
  name: nullableText("The person; null if they gave no name.", "Kim"),
  token: named("token", "Warehouse sync"),
  workspace: named("workspace", "Acme"),
  environment: Schema.NullOr(Environment).annotate({
    description: "The environment of the token; null for the operator.",
    examples: ["sandbox"],
  }),
  created_at: shownInstant("When the session was opened."),
  last_used_at: nullableInstant("When its latest request came; null for none.", "2026-11-21T09:30:00+00:00"),
  expires_at: shownInstant("When the session ends at the latest."),
  address: nullableText("The address that signed in; null if it is not known.", "203.0.113.7"),
  last_address: nullableText("The address of its latest request; null if it is not known.", "203.0.113.7"),
  user_agent: nullableText("The browser that signed in; null if it is not known.", "Mozilla/5.0"),
  is_current: flag("Whether this request was made with the session.", false),
}).annotate({ identifier: "ListedSession" });
export type ListedSession = typeof ListedSession.Type;

import { Context, Schema } from "effect";

/** The kinds of actors. A session is a person who is signed in to the console. */
export const ActorType = Schema.Literals(["token", "operator", "session"]).annotate({
  description: "The credential of the change: an API token, the operator key, or a session of the console.",
  examples: ["token"],
});
export type ActorType = typeof ActorType.Type;

/** Who makes a change. The operator has no id. */
export interface Actor {
  readonly type: ActorType;
  readonly id: string | null;
  readonly name: string;
}

/** The authenticated caller of the request, as activity names it; null outside a request and for devices. */
export const CurrentActor = Context.Reference<Actor | null>("waypost/access/CurrentActor", {
  defaultValue: () => null,
});

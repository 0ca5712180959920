import { Exit, Option, Schema } from "effect";
import { schemaProblems } from "../wire/SchemaProblems.ts";
import { timeProblem, Transition } from "./Transition.ts";

/** A reported event: readable, or the reasons why it is rejected. */
export type ReadTransition =
  | { readonly _tag: "Read"; readonly transition: Transition; readonly problem: string | null }
  | { readonly _tag: "Unreadable"; readonly reasons: ReadonlyArray<string> };

const decode = Schema.decodeUnknownExit(Transition, { errors: "all" });

/** Reads one event of a request, with all its problems. `problem` is that of its time. */
export const readTransition = (input: unknown, now: number): ReadTransition => {
  const decoded = decode(input);
  if (Exit.isSuccess(decoded)) {
    const transition = decoded.value;
    return { _tag: "Read", transition, problem: timeProblem(transition.occurred_at, now) };
  }
  const error = Option.getOrThrow(Exit.findErrorOption(decoded));
  return { _tag: "Unreadable", reasons: Object.values(schemaProblems(error.issue).fields).flat() };
};

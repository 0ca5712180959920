import { Exit, Option, Schema } from "effect";
import { schemaProblems } from "../wire/SchemaProblems.ts";
import { timeProblem, Transition } from "./Transition.ts";

/** An event as a device sent it: what could be read, or why it is rejected. */
export type ReadTransition =
  | { readonly _tag: "Read"; readonly transition: Transition; readonly problem: string | null }
  | { readonly _tag: "Unreadable"; readonly reasons: ReadonlyArray<string> };

const decode = Schema.decodeUnknownExit(Transition, { errors: "all" });

/** Reads one event of a report by itself, with all that is wrong with it; `problem` is what is wrong with its time. */
export const readTransition = (input: unknown, now: number): ReadTransition => {
  const decoded = decode(input);
  if (Exit.isSuccess(decoded)) {
    const transition = decoded.value;
    return { _tag: "Read", transition, problem: timeProblem(transition.occurred_at, now) };
  }
  const error = Option.getOrThrow(Exit.findErrorOption(decoded));
  return { _tag: "Unreadable", reasons: Object.values(schemaProblems(error.issue).fields).flat() };
};

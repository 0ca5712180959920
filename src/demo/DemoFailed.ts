import { Data } from "effect";

/** The demo's story did not go as told; `message` names the figure or the step that was wrong. */
export class DemoFailed extends Data.TaggedError("DemoFailed")<{ readonly message: string }> {}

import { Data } from "effect";

/** The demo did not run as expected. `message` names the step or figure that was wrong. */
export class DemoFailed extends Data.TaggedError("DemoFailed")<{ readonly message: string }> {}

/** A failure for this reason. */
export const failed = (message: string): DemoFailed => new DemoFailed({ message });

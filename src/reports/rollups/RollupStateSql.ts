import { Statement } from "effect/sql";

/** Whether roll-ups are complete, over the columns of `rollup_state`. */
export const isComplete = Statement.fragment([
  Statement.literal("(rolled_from = '-infinity' AND fed_until = 'infinity')"),
]);

/**
 * Whether the columns of `rollup_state` belong together. Processes of the version before, which know of `fed_until` alone, may have been at work while this
 * one came; what they have left half made is of no use.
 */
export const isSound = Statement.fragment([
  Statement.literal("((rolled_from = '-infinity') = (fed_until = 'infinity'))"),
]);

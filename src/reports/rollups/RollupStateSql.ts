import { Statement } from "effect/sql";

/** Whether rollups are complete, over the columns of `rollup_state`. */
export const isComplete = Statement.fragment([Statement.literal("rolled_up_from = '-infinity'")]);

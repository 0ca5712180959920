import { Statement } from "effect/sql";

/**
 * SQL condition on the delivery `d`: its device may have it. A push can be shown before the provider's answer
 * is stored, and after an attempt without an answer, while it waits for the next one (contract X1a).
 */
export const mayHaveArrivedSql: Statement.Fragment = Statement.fragment([
  Statement.literal("(d.status IN ('handed_over', 'delivered') OR (d.status = 'queued' AND d.attempts > 0))"),
]);

/** Messages between a supervisor and its processes, over the channel that Node opens for each of them. */

/** Asks for metrics, or has them. `id` connects the two. */
type MetricsMessage =
  | { readonly kind: "metrics_wanted"; readonly id: number }
  | { readonly kind: "metrics"; readonly id: number; readonly text: string };

/** Messages of a process to its supervisor. */
export type MemberMessage =
  | MetricsMessage
  /** It works. `address` is where the request processes listen. */
  | { readonly kind: "ready"; readonly address: string }
  /** It cannot start. `isFinal` if it would fail again in the same way. */
  | { readonly kind: "refused"; readonly message: string; readonly isFinal: boolean };

/** Messages of a supervisor to its processes. */
export type SupervisorMessage = MetricsMessage;

/**
 * How long a process may take to collect its metrics, in milliseconds. It waits two seconds for a database
 * that does not respond.
 */
export const metricsMillis = 3_000;

/** A plan of `EXPLAIN (FORMAT JSON)`. */
interface Plan {
  readonly "Plan Rows": number;
  /** On Citus: the plans of the nodes. */
  readonly "Distributed Query"?: {
    readonly Job: {
      readonly Tasks: ReadonlyArray<{
        readonly "Remote Plan": ReadonlyArray<ReadonlyArray<{ readonly Plan: Plan }>>;
      }>;
    };
  };
}

/** The answer of `EXPLAIN (FORMAT JSON)`. */
export interface Explained {
  readonly "QUERY PLAN": readonly [{ readonly Plan: Plan }];
}

/** How many rows a plan expects. Citus has no estimate of its own for a statement that runs on a shard. */
export const plannedRows = ({ "QUERY PLAN": [{ Plan: plan }] }: Explained): number => {
  const tasks = plan["Distributed Query"]?.Job.Tasks;
  if (tasks === undefined) return plan["Plan Rows"];
  const remote = tasks.flatMap((task) => task["Remote Plan"].flat());
  return remote.reduce((sum, { Plan: part }) => sum + part["Plan Rows"], 0);
};

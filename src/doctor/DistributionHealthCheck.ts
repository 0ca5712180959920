import { Effect } from "effect";
import { distributionState, type DistributionState } from "../database/citus/Distribution.ts";
import { distributedTables, distributionColumn } from "../database/citus/DistributedTables.ts";
import { counted } from "../wire/Text.ts";
import { ok, type Outcome, outcomesOr, problem, warning } from "./HealthCheck.ts";

/** The oldest version of Citus that Waypost was tested with. */
const minVersion = 13;

/** Above this, what a lost node has prepared is unseen for long after its return, in seconds. */
const maxRecoverySeconds = 10;

/** Findings about a distribution. Pure. */
export const distributionOutcomes = (state: DistributionState): ReadonlyArray<Outcome> => {
  const byName = new Map(state.tables.map((table) => [table.name, table]));
  const distributed = distributedTables.flatMap((name) => byName.get(name) ?? []);
  const missing = distributedTables.filter((name) => !byName.has(name));
  if (distributed.length === 0)
    return [ok(`Citus ${state.version} is installed, and no table is distributed.`)];
  const groups = new Set(distributed.map(({ colocation }) => colocation));
  const misplaced = distributed.filter(({ column }) => column !== distributionColumn);
  const inactive = state.nodes.filter(({ active }) => !active);
  return outcomesOr(
    `Citus ${state.version}: ${counted(distributed.length, "table")} are distributed by workspace over ` +
      `${counted(state.nodes.length, "node")}, in ${counted(distributed[0]?.shards ?? 0, "shard")} each.`,
    [
      Number.parseInt(state.version, 10) < minVersion &&
        warning(
          `Citus ${state.version} is older than ${minVersion}, with which Waypost was tested.`,
          "Upgrade Citus on every node.",
        ),
      missing.length > 0 &&
        problem(
          `${counted(missing.length, "table")} not distributed yet: ${missing.join(", ")}.`,
          "Stop Waypost and run waypost database distribute --yes.",
        ),
      groups.size > 1 &&
        problem(
          "The distributed tables are not colocated: statements over several of them fail.",
          "Distribute them again, colocated with device.",
        ),
      misplaced.length > 0 &&
        problem(
          `${misplaced.map(({ name }) => name).join(", ")} are distributed by another column.`,
          `Distribute them by ${distributionColumn}.`,
        ),
      state.recoverySeconds > maxRecoverySeconds &&
        warning(
          "After the loss of a node, changes that were answered may be unseen for " +
            `${state.recoverySeconds} s after its return.`,
          "Set citus.recover_2pc_interval = '5s' on the coordinator.",
        ),
      inactive.length > 0 &&
        problem(
          `${inactive.map(({ name, port }) => `${name}:${port}`).join(", ")} is not active.`,
          "SELECT citus_activate_node(…) once it runs.",
        ),
    ],
  );
};

/** The check of the distribution; nothing to say on a database without Citus. */
export const distributionHealthCheck = Effect.map(distributionState, (state) =>
  state === null ? [] : distributionOutcomes(state),
);

import { Console, Effect } from "effect";
import { Command } from "effect/cli";
import { counted } from "../../wire/Text.ts";
import { command } from "../DeclaredCommand.ts";
import { switchFlag } from "../Flags.ts";
import { Json, SettingsFile, settingsRecord } from "../Operator.ts";

// Loaded on demand: most commands do not need a database server.
const programs = Effect.promise(() => import("../../database/citus/DistributeDatabase.ts"));

/** `waypost database distribute` */
const distributeCommand = command("distribute", {
  description:
    "Spread the tables of what devices are and did over the nodes of a Citus cluster, by workspace, with " +
    "their rows. No Waypost may run meanwhile",
  examples: [
    { command: "waypost database distribute", description: "Show what would be done" },
    "waypost database distribute --yes",
  ],
  flags: {
    yes: switchFlag("yes", "Do it; without this flag the steps are only shown"),
  },
  *run({ yes }) {
    const { distributeDatabase } = yield* programs;
    const steps = yield* distributeDatabase(yield* settingsRecord, yes);
    if (yield* Json) return yield* Console.log(JSON.stringify({ applied: yes, steps }, null, 2));
    if (steps.length === 0) return yield* Console.log("All tables are distributed.");
    for (const { statement, what } of steps) yield* Console.log(`${what}.\n  ${statement};`);
    yield* Console.log(
      yes
        ? `Distributed the database in ${counted(steps.length, "step")}. Start Waypost on every machine.`
        : `${counted(steps.length, "step")} left. Take a backup, stop Waypost, and repeat this with --yes.`,
    );
  },
}).pipe(Command.withGlobalFlags([SettingsFile, Json]));

/** `waypost database` */
export const databaseCommand = Command.make("database").pipe(
  Command.withDescription("Work on the database as a whole"),
  Command.withSubcommands([distributeCommand]),
  Command.withExamples([{ command: "waypost database distribute" }]),
);

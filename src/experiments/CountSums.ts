import { Effect, Layer } from "effect";
import { Worker } from "../workers/Worker.ts";
import { CountSumsSql } from "./CountSumsSql.ts";

/** The job that adds up the counts of experiments, every two seconds. */
export const countSumsJob = Layer.effectDiscard(
  Effect.flatMap(CountSumsSql, ({ addUp }) => Worker.every("experiment_counts", "2 seconds", addUp)),
);

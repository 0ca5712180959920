import { Effect, Layer } from "effect";
import { TableStatistics } from "../database/TableStatistics.ts";
import { Worker } from "./Worker.ts";

/** Analyzes grown tables every two seconds. */
export const tableStatisticsRefresh = Layer.effectDiscard(
  Effect.flatMap(TableStatistics, ({ analyzeGrown }) =>
    Worker.every("table_statistics", "2 seconds", analyzeGrown),
  ),
);

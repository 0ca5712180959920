import { Effect, Layer } from "effect";
import { TableStatistics } from "../database/TableStatistics.ts";
import { Worker } from "./Worker.ts";

/** Analyzes tables that have doubled, every two seconds. */
export const tableStatisticsRefresh = Layer.effectDiscard(
  Effect.flatMap(TableStatistics, ({ look }) => Worker.every("table_statistics", "2 seconds", look)),
);

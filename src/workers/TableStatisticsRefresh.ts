import { Layer } from "effect";
import { analyzeGrownTables } from "../database/TableStatistics.ts";
import { Worker } from "./Worker.ts";

/** Analyzes grown tables every two seconds. */
export const tableStatisticsRefresh = Layer.effectDiscard(
  Worker.every("table_statistics", "2 seconds", analyzeGrownTables),
);

/** The towns, which are loaded with the first map. */
import { type Town, type TownFile, townsOf } from "./Towns.ts";

const read = async (): Promise<ReadonlyArray<Town>> => {
  const response = await fetch(TOWNS_URL);
  if (!response.ok) throw new Error("The towns could not be loaded.");
  return townsOf((await response.json()) as TownFile);
};

let loading: Promise<ReadonlyArray<Town>> | undefined;

/** All towns. A failed read is tried again by the next call. */
export const loadTowns = (): Promise<ReadonlyArray<Town>> =>
  (loading ??= read().catch((error: unknown) => {
    loading = undefined;
    throw error;
  }));

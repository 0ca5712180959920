import { Context } from "effect";
import type { SettingsRecord } from "../../Config.ts";

/** Where a command is given: what it may read besides its arguments, and how wide its answer may be. */
export class Surroundings extends Context.Service<
  Surroundings,
  {
    readonly environment: SettingsRecord;
    /** Cells in a line of the terminal; null where there is none, as in a pipe. */
    readonly columns: number | null;
  }
>()("waypost/operator/commands/Surroundings") {}

import { Context } from "effect";
import type { SettingsRecord } from "../config/Settings.ts";

/** Where a command is given: what it may read besides its arguments, and how wide its answer may be. */
export class CliEnvironment extends Context.Service<
  CliEnvironment,
  {
    readonly environment: SettingsRecord;
    /** Cells in a line of the terminal; null where there is none, as in a pipe. */
    readonly columns: number | null;
    /** The terminal that stderr is on, for what is drawn while work goes on; null where there is none. */
    readonly terminal: { readonly columns: number; readonly write: (text: string) => void } | null;
    /** Which streams are to have colours. */
    readonly colors: { readonly stdout: boolean; readonly stderr: boolean };
  }
>()("waypost/operator/commands/CliEnvironment") {}

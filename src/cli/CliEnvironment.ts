import { Context } from "effect";
import type { SettingsRecord } from "../config/Settings.ts";

/** The environment of a command: variables, terminal width and colours. */
export class CliEnvironment extends Context.Service<
  CliEnvironment,
  {
    readonly environment: SettingsRecord;
    /** Width of the terminal of stdout, in cells; null if stdout is not a terminal. */
    readonly columns: number | null;
    /** The terminal of stderr, where progress is drawn; null if stderr is not a terminal. */
    readonly terminal: { readonly columns: number; readonly write: (text: string) => void } | null;
    /** The streams that get colours. */
    readonly colors: { readonly stdout: boolean; readonly stderr: boolean };
  }
>()("waypost/cli/CliEnvironment") {}

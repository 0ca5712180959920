/** Colours for terminals, and for nothing else. */
import type { SettingsRecord } from "../../config/Settings.ts";

const style =
  (isOn: boolean, code: number) =>
  (text: string): string =>
    isOn && text !== "" ? `\u001B[${code}m${text}\u001B[0m` : text;

/** Styles that give a text as it is where colours are not wanted. */
export const paint = (isColored: boolean) => ({
  bold: style(isColored, 1),
  faint: style(isColored, 2),
  red: style(isColored, 31),
  green: style(isColored, 32),
  yellow: style(isColored, 33),
  cyan: style(isColored, 36),
});

/** The styles of one stream. */
export type Paint = ReturnType<typeof paint>;

/**
 * Whether a stream is to have colours: a terminal has them, but for `TERM=dumb`; `FORCE_COLOR` gives them to a pipe too, and `NO_COLOR`
 * (no-color.org) takes them from all. Both count when they are not empty, `FORCE_COLOR` not when it is 0 or false.
 */
export const wantsColors = (environment: SettingsRecord, isTerminal: boolean): boolean => {
  if (environment["NO_COLOR"]) return false;
  const forced = environment["FORCE_COLOR"];
  if (forced && !["0", "false"].includes(forced.toLowerCase())) return true;
  return isTerminal && environment["TERM"] !== "dumb";
};

import { styleText } from "node:util";
import type { SettingsRecord } from "../../config/Settings.ts";
import { markStyles } from "./PrintedText.ts";

type Format = Parameters<typeof styleText>[0];

/**
 * Styles of a stream. They leave texts unchanged if the stream has no colours. Styles are marked, and take
 * effect when the text is printed: measure a text before styling it.
 */
export const paint = (hasColors: boolean) => {
  // `wantsColors` decides about colours: styleText's own check would apply to stdout only.
  const style = (format: Format) => (text: string) =>
    hasColors ? markStyles(text, (shown) => styleText(format, shown, { validateStream: false })) : text;
  return {
    bold: style("bold"),
    faint: style("dim"),
    red: style("red"),
    green: style("green"),
    yellow: style("yellow"),
    cyan: style("cyan"),
  };
};

/** The styles of one stream. */
export type Paint = ReturnType<typeof paint>;

/**
 * Whether a stream gets colours. A terminal does, unless `TERM=dumb`. `FORCE_COLOR` (other than 0 and false)
 * turns them on for pipes too. `NO_COLOR` (no-color.org) turns them off and wins. Both count only if they are
 * not empty.
 */
export const wantsColors = (environment: SettingsRecord, isTerminal: boolean): boolean => {
  if (environment["NO_COLOR"]) return false;
  const forced = environment["FORCE_COLOR"];
  if (forced && !["0", "false"].includes(forced.toLowerCase())) return true;
  return isTerminal && environment["TERM"] !== "dumb";
};

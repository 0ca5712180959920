/** Quiet hours as forms have them, and as the API takes them. */

import type { QuietHours } from "../../data/Resources.ts";

/** Quiet hours on the wire: those of a workspace, or a campaign's own or none. */
type ShownQuietHours =
  | { readonly from: string; readonly to: string; readonly action: "hold" | "drop" }
  | { readonly enabled: false }
  | null;

/** Typed and chosen values. */
export interface QuietValues {
  readonly quiet_from: string;
  readonly quiet_to: string;
  /** "" for none of its own; "none" for no quiet hours although the workspace has some. */
  readonly quiet_action: "" | "hold" | "drop" | "none";
}

/** The values that no quiet hours have. */
export const noQuietHours: QuietValues = { quiet_from: "", quiet_to: "", quiet_action: "" };

/** The values of quiet hours that are there. */
export const quietValuesOf = (shown: ShownQuietHours | undefined): QuietValues => {
  if (shown === null || shown === undefined) return noQuietHours;
  if ("enabled" in shown) return { ...noQuietHours, quiet_action: "none" };
  return { quiet_from: shown.from, quiet_to: shown.to, quiet_action: shown.action };
};

/** Quiet hours as a write takes them. What is incomplete is sent so, and the API says what is missing. */
export const sentQuietHours = ({ quiet_action: action, quiet_from: from, quiet_to: to }: QuietValues) => {
  if (action === "none") return { enabled: false } as const;
  if (action === "" && from.trim() === "" && to.trim() === "") return null;
  const times = { from: from.trim(), to: to.trim() };
  return (action === "" ? times : { ...times, action }) as QuietHours;
};

const timePattern = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** Whether the API refuses the values in any case. */
export const isQuietIncomplete = (values: QuietValues): boolean => {
  const sent = sentQuietHours(values);
  if (sent === null || !("from" in sent)) return false;
  const { from, to } = sent;
  return values.quiet_action === "" || from === to || ![from, to].every((time) => timePattern.test(time));
};

/** Quiet hours as a sentence; null without any. */
export const quietText = (shown: ShownQuietHours | undefined): string | null => {
  if (shown === null || shown === undefined) return null;
  if ("enabled" in shown) return "None.";
  const what = shown.action === "hold" ? "messages wait until they end" : "messages are dropped";
  return `From ${shown.from} to ${shown.to}, ${what}.`;
};

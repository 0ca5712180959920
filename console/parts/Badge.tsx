/** The tone of a badge. The text says the same, so nothing depends on the colour. */
export type Tone = "good" | "quiet" | "waiting" | "bad";

/** A short state, such as "Active". */
export const Badge = ({ text, tone }: { readonly text: string; readonly tone: Tone }) => (
  <span class={`badge badge-${tone}`}>{text}</span>
);

/** Visits in plain words, over all events known at a time. Times are in half minutes. */

export interface KnownEvent {
  readonly type: "enter" | "exit";
  readonly at: number;
  readonly reportedAt: number;
}

/** Half minutes after the minute at which a visit no longer fires. */
const tooLate = 30;

/**
 * When a device gets the message of a notification that waits for so many half minutes: each enter is looked
 * at once, when its minute has come and it is known.
 */
export const firedAt = (events: ReadonlyArray<KnownEvent>, wait: number, end: number): Array<number> => {
  const fired: Array<{ readonly from: number; readonly at: number }> = [];
  for (let now = 0; now <= end; now++) {
    const known = events.filter(({ reportedAt }) => reportedAt <= now).toSorted((a, b) => a.at - b.at);
    const due = known.filter(
      ({ at, reportedAt, type }) => type === "enter" && Math.max(at + wait, reportedAt) === now,
    );
    for (const enter of due) {
      if (now - (enter.at + wait) > tooLate) continue;
      const before = known.findLast(({ at }) => at < enter.at);
      if (before?.type === "enter") continue;
      const exit = known.find(({ at, type }) => type === "exit" && at > enter.at)?.at ?? Infinity;
      if (exit < enter.at + wait) continue;
      if (fired.some(({ from }) => from > enter.at && from < exit)) continue;
      fired.push({ from: enter.at, at: now });
    }
  }
  return fired.map(({ at }) => at);
};

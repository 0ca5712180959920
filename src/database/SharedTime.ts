/** The smallest step of the shared clock that counts, in milliseconds, beyond the uncertainty of readings. */
const minStepMillis = 1_000;
/** The slowest round trip of a reading that replaces another one, in milliseconds. */
const maxRoundTripMillis = 1_000;

/** A reading of the shared clock. Instants of this process are monotonic milliseconds. */
export interface ClockReading {
  readonly epochMillis: number;
  /** When the request was sent and the response had arrived. The clock was read between the two. */
  readonly before: number;
  readonly after: number;
}

/** The shared clock as this process knows it: it had `epochMillis` at `at`, give or take `uncertainty`. */
export interface SharedTime {
  readonly epochMillis: number;
  readonly at: number;
  readonly uncertainty: number;
  /** Time does not go back before this, except by a step. */
  readonly least: number;
}

/** The epoch milliseconds of the shared clock at a monotonic instant. */
export const epochAt = ({ at, epochMillis, least }: SharedTime, instant: number): number =>
  Math.max(least, Math.floor(epochMillis + instant - at));

/** The time by the first reading, however slow it was. */
export const firstTime = ({ after, before, epochMillis }: ClockReading): SharedTime => {
  const uncertainty = (after - before) / 2;
  return { epochMillis, at: before + uncertainty, uncertainty, least: Number.NEGATIVE_INFINITY };
};

/**
 * The time by a further reading, and by how many milliseconds the shared clock was set. A reading within the
 * uncertainty changes nothing, and a small correction never makes time go back.
 */
export const nextTime = (
  time: SharedTime,
  reading: ClockReading,
): { readonly time: SharedTime; readonly stepMillis: number } => {
  const next = firstTime(reading);
  if (reading.after - reading.before > maxRoundTripMillis) return { time, stepMillis: 0 };
  const difference = next.epochMillis - (time.epochMillis + next.at - time.at);
  const isStep = Math.abs(difference) > minStepMillis + next.uncertainty + time.uncertainty;
  if (isStep) return { time: next, stepMillis: Math.round(difference) };
  const isBetter = next.uncertainty < time.uncertainty;
  if (!isBetter && Math.abs(difference) <= next.uncertainty) return { time, stepMillis: 0 };
  return { time: { ...next, least: epochAt(time, reading.after) }, stepMillis: 0 };
};

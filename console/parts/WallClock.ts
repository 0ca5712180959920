/** Dates and times as forms have them: written in a zone, as the API takes them. */

/** An instant in a zone as "2026-11-22 14:05". */
export const wallTimeAt = (instant: string, timeZone: string): string => wallText(instant, timeZone, 16);

/** The end of something in a zone. The last second of a day is written as the day alone. */
export const wallEndAt = (instant: string, timeZone: string): string => {
  const text = wallText(instant, timeZone, 19);
  return text.endsWith("23:59:59") ? text.slice(0, 10) : text.slice(0, 16);
};

/** The instant of a time in a zone; where clocks go back, one of the two. Null for no time. */
export const instantOf = (wall: string, timeZone: string): number | null => {
  const wanted = Date.parse(`${wall.replace(" ", "T")}Z`);
  if (Number.isNaN(wanted)) return null;
  const shift = (guess: number): number =>
    wanted - Date.parse(`${wallTimeAt(new Date(guess).toISOString(), timeZone).replace(" ", "T")}Z`);
  const near = wanted + shift(wanted);
  return near + shift(near);
};

const wallText = (instant: string, timeZone: string, length: number): string =>
  new Intl.DateTimeFormat("sv-SE", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone,
  })
    .format(new Date(instant))
    .slice(0, length);

/** The typed time, as the API takes it: a date, or a date and a time with a space between. */
export const sentWallTime = (typed: string): string =>
  typed.trim().replace(/^(\d{4}-\d\d-\d\d)[T ]\s*(\d\d:\d\d)(?::\d\d)?$/, "$1 $2");

/** The time of the server: "today" is the server's, also where the clock of this machine is wrong. */

let offset = 0;

/** The time of this machine, in milliseconds since 1970. */
export const machineNow = (): number => performance.timeOrigin + performance.now();

/** Sets the time of the server, as it is now. */
export const setServerTime = (instant: string): void => {
  offset = Date.parse(instant) - machineNow();
};

/** The time of the server, in milliseconds since 1970. */
export const serverNow = (): number => machineNow() + offset;

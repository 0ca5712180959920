import { DAY_MS } from "../../../src/time/DayNumbers.ts";
import { begun, type OffsetPeriod, shown } from "./ZoneOracle.ts";

/** A model of contract P3 without a database: which devices a send at a local time reaches, and when. */

export interface LocalDevice {
  readonly key: number;
  /** Null: that of the campaign. */
  zone: string | null;
  registered: boolean;
}

export interface LocalSendModel {
  readonly notification: string;
  readonly day: number;
  /** `HH:MM`. */
  readonly time: string;
  readonly zone: string;
  readonly late: "send" | "skip";
  readonly plannedAt: number;
  /** The devices that it reached. */
  readonly reached: Set<number>;
  /** Parts up to this instant are fixed. */
  fixedUntil: number;
  hasRun: boolean;
  isOver: boolean;
}

/** Workers run the parts that are due. */
export const work = (
  send: LocalSendModel,
  devices: ReadonlyArray<LocalDevice>,
  periodsOf: (zone: string) => ReadonlyArray<OffsetPeriod>,
  now: number,
): void => {
  const registered = devices.filter((device) => device.registered && !send.isOver);
  const local = Date.parse(`${new Date(send.day).toISOString().slice(0, 10)}T${send.time}:00Z`);
  const instants = registered.map(({ zone }) => shown(periodsOf(zone ?? send.zone), local));
  const reached = registered.filter(({ key, zone }, index) => {
    const due = instants[index] ?? Infinity;
    if (due <= send.fixedUntil || due > now || send.reached.has(key)) return false;
    if (due < send.plannedAt) return send.late === "send";
    const dayEnds = begun(periodsOf(zone ?? send.zone), send.day + DAY_MS) - 1000;
    return now <= dayEnds || now < due + 60_000;
  });
  for (const { key } of reached) send.reached.add(key);
  send.hasRun ||= reached.length > 0;
  send.fixedUntil = now;
  if (send.hasRun && instants.every((due) => due <= now)) send.isOver = true;
  if (now >= local + DAY_MS / 2) send.isOver = true;
};

import { randomUUID } from "node:crypto";
import { postHead } from "./RequestLoad.ts";

/** A visit that a device reports: its body, and the index of the device. */
interface ReportedVisit {
  readonly device: number;
  readonly body: string;
}

const bodyOf = (type: "enter" | "exit", location: string): string => {
  const event = { id: randomUUID(), location_id: location, occurred_at: new Date().toISOString(), type };
  return JSON.stringify({ events: [event] });
};

/**
 * Visits: a device enters, and leaves again about two thousand requests later. Few locations have most of
 * them.
 */
export const visits = (devices: number, locations: ReadonlyArray<string>): (() => ReportedVisit) => {
  const inside: Array<readonly [device: number, location: string]> = [];
  return () => {
    const left = inside.length > 1000 && Math.random() < 0.5 ? inside.shift() : undefined;
    if (left !== undefined) return { device: left[0], body: bodyOf("exit", left[1]) };
    const device = Math.floor(Math.random() * devices);
    const location = locations[Math.floor(Math.random() * Math.random() * locations.length)] ?? "";
    inside.push([device, location]);
    return { device, body: bodyOf("enter", location) };
  };
};

/** Requests that report visits, as text for `requestLoad`. */
export const visitRequests = (
  url: string,
  tokens: ReadonlyArray<string>,
  locations: ReadonlyArray<string>,
): (() => string) => {
  const { length } = bodyOf("enter", randomUUID());
  const heads = tokens.map((token) => postHead(url, { authorization: `Bearer ${token}` }, length));
  const next = visits(heads.length, locations);
  return () => {
    const { body, device } = next();
    return `${heads[device] ?? ""}${body.padEnd(length)}`;
  };
};

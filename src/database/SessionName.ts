/** How a process calls its sessions, so that others who look at the database know who works on it. */
import type { Role } from "../config/Settings.ts";

/** A process of Waypost, as its sessions tell of it. */
export interface NamedProcess {
  readonly roles: ReadonlySet<Role>;
  readonly host: string;
  readonly pid: number;
}

/** PostgreSQL keeps 63 characters. */
const mostHost = 35;

/** `waypost api,worker host 4711` */
export const sessionName = ({ host, pid, roles }: NamedProcess): string => {
  const known = (["api", "worker"] as const).filter((role) => roles.has(role));
  return `waypost ${known.join(",")} ${host.replaceAll(/[^\x21-\x7e]/g, "?").slice(0, mostHost)} ${pid}`;
};

/** The process that a session belongs to; null for one that is not of a running Waypost. */
export const processOf = (name: string): NamedProcess | null => {
  const [, roles, host, pid] = /^waypost (\S+) (\S+) (\d+)$/.exec(name) ?? [];
  if (roles === undefined || host === undefined) return null;
  const known = new Set((["api", "worker"] as const).filter((role) => roles.split(",").includes(role)));
  return { roles: known, host, pid: Number(pid) };
};

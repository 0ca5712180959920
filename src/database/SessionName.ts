/** The `application_name` of database sessions. It shows which process uses the database. */
import type { Role } from "../config/Settings.ts";

/** A Waypost process, as the names of its sessions describe it. */
export interface NamedProcess {
  readonly roles: ReadonlySet<Role>;
  readonly host: string;
  readonly pid: number;
}

/** PostgreSQL keeps 63 characters of the whole name. */
const maxHostLength = 35;

/** The session name of a process, such as `waypost api,worker host 4711`. */
export const sessionName = ({ host, pid, roles }: NamedProcess): string => {
  const known = (["api", "worker"] as const).filter((role) => roles.has(role));
  return `waypost ${known.join(",")} ${host.replaceAll(/[^\x21-\x7e]/g, "?").slice(0, maxHostLength)} ${pid}`;
};

/** The process of a session; null if it is not a Waypost process. */
export const processOf = (name: string): NamedProcess | null => {
  const [, roles, host, pid] = /^waypost (\S+) (\S+) (\d+)$/.exec(name) ?? [];
  if (roles === undefined || host === undefined) return null;
  const known = new Set((["api", "worker"] as const).filter((role) => roles.split(",").includes(role)));
  return { roles: known, host, pid: Number(pid) };
};

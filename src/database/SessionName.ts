/** The `application_name` of database sessions. It shows which process uses the database. */
import { maxStatementConnections } from "./pool/PoolLimits.ts";
import type { Role } from "../config/Settings.ts";

/** A Waypost process, as the names of its sessions describe it. */
export interface NamedProcess {
  readonly roles: ReadonlySet<Role>;
  readonly host: string;
  readonly pid: number;
  /** Maximum connections of the process, with the one that listens. */
  readonly connections: number;
}

/** Maximum connections of a process that runs alone. Its name does not have them. */
const defaultConnections = maxStatementConnections + 1;

/** PostgreSQL keeps 63 characters of the whole name. */
const maxHostLength = 35;

/** The session name of a process: `waypost api,worker host 4711`, or `waypost api host 4711 9` of several. */
export const sessionName = ({ connections, host, pid, roles }: NamedProcess): string => {
  const known = (["api", "worker"] as const).filter((role) => roles.has(role));
  const shown = host.replaceAll(/[^\x21-\x7e]/g, "?").slice(0, maxHostLength);
  const share = connections === defaultConnections ? "" : ` ${connections}`;
  return `waypost ${known.join(",")} ${shown} ${pid}${share}`;
};

/** The process of a session; null if it is not a Waypost process. */
export const processOf = (name: string): NamedProcess | null => {
  const [, roles, host, pid, share] = /^waypost (\S+) (\S+) (\d+)(?: (\d+))?$/.exec(name) ?? [];
  if (roles === undefined || host === undefined) return null;
  const known = new Set((["api", "worker"] as const).filter((role) => roles.split(",").includes(role)));
  return { roles: known, host, pid: Number(pid), connections: Number(share ?? defaultConnections) };
};

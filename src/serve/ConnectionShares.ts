/** How the processes of one machine share the connections of the database server. */
import { maxStatementConnections } from "../database/pool/PoolLimits.ts";

/** The fewest connections for statements with which a process works. */
const minStatementConnections = 2;

/** The fewest with which `auto` starts a further process. */
const minAutoConnections = 5;

/** For people, `doctor` and backups. */
const spareConnections = 10;

/** The connections for statements of each process with an embedded server, which is made large enough. */
const embeddedConnections = 8;

/** The connections that a database server accepts. */
export interface ServerConnections {
  /** Without those that the server reserves. */
  readonly available: number;
  /** Whether the server belongs to this machine's Waypost alone. */
  readonly isOwn: boolean;
}

/**
 * The connections of all processes together. A server that other machines may use gives half of its own: in
 * a rolling restart a second Waypost runs beside the first. But it gives no less than one process had.
 */
const budget = ({ available, isOwn }: ServerConnections): number => {
  const usable = available - spareConnections;
  return isOwn ? usable : Math.max(Math.floor(usable / 2), Math.min(usable, maxStatementConnections + 1));
};

/** The connections for statements of each of so many processes; fewer than 2 are too few. */
const shareOf = (processes: number, server: ServerConnections): number =>
  Math.min(maxStatementConnections, Math.floor(budget(server) / processes) - 1);

/** The most request processes whose connections, with those of the worker, are enough for the server. */
const maxWith = (server: ServerConnections, minConnections: number): number =>
  Math.max(1, Math.floor(budget(server) / (minConnections + 1)) - 1);

/** The request processes that a server has connections for: what `auto` starts of so many. */
export const limitedByServer = (requestProcesses: number, server: ServerConnections): number =>
  Math.min(requestProcesses, maxWith(server, minAutoConnections));

/**
 * The connections for statements of each process, of so many request processes and `workers`. Null if the
 * server has too few of them; `maxProcesses` says how many request processes it has enough for.
 */
export const connectionShare = (
  requestProcesses: number,
  workers: number,
  server: ServerConnections,
): number | null => {
  const share = shareOf(requestProcesses + workers, server);
  return share < minStatementConnections ? null : share;
};

/** The most request processes with which every process has enough connections to work. */
export const maxProcesses = (server: ServerConnections): number => maxWith(server, minStatementConnections);

/** `max_connections` of the embedded server: at least those of one process. */
export const embeddedMaxConnections = (requestProcesses: number): number => {
  const reserved = 3;
  const own = (requestProcesses + 1) * (embeddedConnections + 1);
  return Math.max(60, own + spareConnections + reserved);
};

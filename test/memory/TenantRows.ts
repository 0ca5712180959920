/** Rows of memory tables that belong to one environment of a workspace. */
import type { MemoryTable, MemoryTransaction } from "./MemoryStore.ts";
import type { TenantKey } from "../../src/workspaces/Environment.ts";

const isOwnedBy =
  ({ environment, workspaceId }: TenantKey) =>
  (row: TenantKey): boolean =>
    row.workspaceId === workspaceId && row.environment === environment;

/** The rows of a table that belong to the tenant, in insertion order. */
export const tenantRows = <Row extends TenantKey>(
  tables: MemoryTransaction,
  table: MemoryTable<Row>,
  tenant: TenantKey,
): Array<Row> => tables.filter(table, isOwnedBy(tenant));

/** The row of a key if it belongs to the tenant, else null. */
export const tenantRow = <Row extends TenantKey>(
  tables: MemoryTransaction,
  table: MemoryTable<Row>,
  tenant: TenantKey,
  key: string,
): Row | null => {
  const row = tables.rows(table).get(key.toLowerCase());
  return row !== undefined && isOwnedBy(tenant)(row) ? row : null;
};

/** Orders rows by their ids, oldest first. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : 1;

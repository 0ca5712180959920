/** Tables of tokens and SDK keys. */
import { serverNow } from "../data/ServerTime.ts";
import { Badge } from "../parts/Badge.tsx";
import { textColumn, timeColumn } from "../parts/Columns.tsx";
import type { Column } from "../parts/DataTable.tsx";
import type { SdkKey, Token } from "../data/Resources.ts";

/** A token or an SDK key. */
export type AccessKey = Omit<SdkKey, "allowed_origins"> & Partial<Pick<Token, "expires_at">>;

const isExpired = (at: string | null | undefined): boolean =>
  typeof at === "string" && Date.parse(at) <= serverNow();

const KeyStatus = ({ expires_at: expiry, revoked_at: revoked }: AccessKey) => {
  if (revoked !== null) return <Badge text="Revoked" tone="quiet" />;
  return isExpired(expiry) ? <Badge text="Expired" tone="quiet" /> : <Badge text="Active" tone="good" />;
};

/** The columns that tokens and SDK keys have. */
export const keyColumns: ReadonlyArray<Column<AccessKey>> = [
  textColumn("name", "Name", ({ name }) => name),
  { key: "status", heading: "Status", cell: (key) => <KeyStatus {...key} /> },
  timeColumn("created", "Created", (key) => key.created_at),
  timeColumn("used", "Last used", (key) => key.last_used_at, "never"),
];

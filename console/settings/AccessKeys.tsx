/** Tables of tokens and SDK keys. */
import { serverNow } from "../data/ServerTime.ts";
import { Badge } from "../parts/Badge.tsx";
import type { Column } from "../parts/DataTable.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import type { SdkKey, Token } from "../data/Resources.ts";

/** A token or an SDK key. */
export type AccessKey = Omit<SdkKey, "allowed_origins"> & Partial<Pick<Token, "expires_at">>;

const isExpired = (at: string | null | undefined): boolean =>
  typeof at === "string" && Date.parse(at) <= serverNow();

const KeyStatus = ({ expires_at: expiry, revoked_at: revoked }: AccessKey) => {
  if (revoked !== null) return <Badge text="Revoked" tone="quiet" />;
  return isExpired(expiry) ? <Badge text="Expired" tone="quiet" /> : <Badge text="Active" tone="good" />;
};

/** An instant, or a word for none. */
export const InstantOr = ({ at, none }: { readonly at: string | null; readonly none: string }) =>
  at === null ? <span class="quiet">{none}</span> : <InstantText at={at} />;

/** The columns that tokens and SDK keys have. */
export const keyColumns: ReadonlyArray<Column<AccessKey>> = [
  { key: "name", heading: "Name", cell: ({ name }) => name, sortBy: ({ name }) => name },
  { key: "status", heading: "Status", cell: (key) => <KeyStatus {...key} /> },
  {
    key: "created",
    heading: "Created",
    cell: ({ created_at: at }) => <InstantText at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
  {
    key: "used",
    heading: "Last used",
    cell: ({ last_used_at: at }) => <InstantOr at={at} none="never" />,
    sortBy: ({ last_used_at: at }) => at,
  },
];

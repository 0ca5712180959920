/** "Sessions": who is signed in to the console, since when and from where, and what ends a session. */
import { operator } from "../data/Api.ts";
import type { ListedSession } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { ConfirmButton } from "../parts/ConfirmButton.tsx";
import { InstantOr, timeColumn } from "../parts/Columns.tsx";
import type { Column } from "../parts/DataTable.tsx";
import { TablePage } from "../parts/list/ListPage.tsx";

/** The person, else the credential that the session was opened with. */
const personOf = ({ name, token }: ListedSession): string => name ?? token?.name ?? "Operator";

/** The data of a session that is open to it. */
const scopeOf = ({ environment, token, workspace }: ListedSession): string =>
  token === null ? "All workspaces" : `Token ${token.name} of ${workspace?.name}, ${environment}`;

const End = (props: Omit<Parameters<typeof ConfirmButton>[0], "children">) => (
  <ConfirmButton {...props}>
    <p>
      It ends at once. A person with the access key can sign in again: revoke the token, or replace the
      operator key.
    </p>
  </ConfirmButton>
);

const columns: ReadonlyArray<Column<ListedSession>> = [
  {
    key: "who",
    heading: "Who",
    cell: (session) => (
      <>
        {personOf(session)} {session.is_current && <Badge text="This one" tone="good" />}
        <p class="quiet">{scopeOf(session)}</p>
      </>
    ),
  },
  timeColumn("since", "Signed in", (session) => session.created_at),
  {
    key: "used",
    heading: "Last used",
    cell: ({ last_address: address, last_used_at: at }) => (
      <>
        <InstantOr at={at} none="unknown" />
        {address !== null && <p class="quiet">from {address}</p>}
      </>
    ),
  },
  {
    key: "from",
    heading: "From",
    cell: ({ address, user_agent: browser }) => (
      <div class="wide-cell">
        {address ?? <span class="quiet">unknown</span>}
        {browser !== null && <p class="quiet">{browser}</p>}
      </div>
    ),
  },
  {
    key: "end",
    heading: "Actions",
    cell: (session) =>
      !session.is_current && (
        <End
          title={`End the session of ${personOf(session)}`}
          action="End"
          label={`End the session of ${personOf(session)}`}
          request={operator.sessions.end(session.id)}
          done="The session has ended."
          variant="plain"
        />
      ),
  },
];

/** The sessions of all who are signed in. */
export const SessionListPage = () => (
  <TablePage
    title="Sessions"
    lead="Who is signed in to the console, of all workspaces. A session lasts 12 hours."
    action={
      <End
        title="End all other sessions"
        action="End all others"
        request={operator.sessions.endAll({ keep_current: "true" })}
        done="All other sessions have ended."
        variant="secondary"
      />
    }
    list={operator.sessions.list}
    columns={columns}
    empty={["Nobody is signed in", "Sign in again to see your own session."]}
  />
);

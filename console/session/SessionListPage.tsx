/** "Sessions": who is signed in to the console, since when and from where, and what ends a session. */
import { useState } from "preact/hooks";
import { operator } from "../data/Api.ts";
import { type ApiRequest, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { ListedSession } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { Button } from "../parts/Button.tsx";
import type { Column } from "../parts/DataTable.tsx";
import { ConfirmDialog } from "../parts/Dialog.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { TablePage } from "../parts/list/ListPage.tsx";
import { showToast } from "../parts/Toasts.tsx";

/** The person, else the credential that the session was opened with. */
const personOf = ({ name, token }: ListedSession): string => name ?? token?.name ?? "Operator";

/** The data of a session that is open to it. */
const scopeOf = ({ environment, token, workspace }: ListedSession): string =>
  token === null ? "All workspaces" : `Token ${token.name} of ${workspace?.name}, ${environment}`;

interface EndProps {
  readonly title: string;
  readonly action: string;
  readonly label?: string;
  readonly request: ApiRequest<unknown>;
  /** Says what was done. */
  readonly done: string;
  readonly variant: "plain" | "secondary";
}

/** A button that ends sessions. It asks first. */
const End = ({ action, done, label = action, request, title, variant }: EndProps) => {
  const [isAsking, setAsking] = useState(false);
  const end = async (): Promise<void> => {
    await send(request);
    await refresh();
    showToast(done);
  };
  return (
    <>
      <Button variant={variant} label={label} onPress={() => setAsking(true)}>
        {action}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={title}
          action={action}
          isDangerous
          onConfirm={end}
          onClose={() => setAsking(false)}
        >
          <p>
            It ends at once. A person with the access key can sign in again: revoke the token, or replace the
            operator key.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
};

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
  { key: "since", heading: "Signed in", cell: ({ created_at: at }) => <InstantText at={at} /> },
  {
    key: "used",
    heading: "Last used",
    cell: ({ last_address: address, last_used_at: at }) => (
      <>
        {at === null ? <span class="quiet">unknown</span> : <InstantText at={at} />}
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

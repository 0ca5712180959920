/** A list of tokens or SDK keys: the table, the dialog that issues one, and its secret, shown once. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ApiRequest } from "../data/ApiCall.ts";
import { useData } from "../data/Query.ts";
import type { Page } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { ConfirmButton } from "../parts/ConfirmButton.tsx";
import type { Column } from "../parts/DataTable.tsx";
import { LoadedTable } from "../parts/list/LoadedTable.tsx";
import { SecretDialog } from "../parts/SecretDialog.tsx";
import { type AccessKey, keyColumns } from "./AccessKeys.tsx";

/** A new key with its secret. */
export interface IssuedKey {
  readonly name: string;
  readonly secret: string;
}

/** Properties of a dialog that issues a key. */
export interface IssueProps {
  readonly onClose: () => void;
  readonly onIssued: (key: IssuedKey) => void;
}

interface IssuedKeysProps<Key extends AccessKey> {
  /** The name of the list, such as "Tokens". */
  readonly title: string;
  /** The name of one, such as "Token". */
  readonly noun: string;
  /** The button that issues one, such as "Issue token". */
  readonly action: string;
  readonly about: string;
  readonly empty: string;
  readonly list: ApiRequest<Page<Key>>;
  readonly revoke: (id: string) => ApiRequest<unknown>;
  /** The columns between those that all keys have and the actions. */
  readonly columns: ReadonlyArray<Column<Key>>;
  /** Uses that stop working with a revoked key. */
  readonly effect: string;
  readonly issue: (props: IssueProps) => ComponentChildren;
}

/** The section of the settings with a list of keys. */
export const IssuedKeys = <Key extends AccessKey>({
  about,
  action,
  columns,
  effect,
  empty,
  issue,
  list: request,
  noun,
  revoke,
  title,
}: IssuedKeysProps<Key>) => {
  const list = useData(request, { isWhole: true });
  const [isIssuing, setIssuing] = useState(false);
  const [issued, setIssued] = useState<IssuedKey | null>(null);
  const actions: Column<Key> = {
    key: "revoke",
    heading: "Actions",
    cell: ({ id, name, revoked_at: revoked }) =>
      revoked === null && (
        <ConfirmButton
          title={`Revoke “${name}”`}
          action="Revoke"
          label={`Revoke ${name}`}
          request={revoke(id)}
          done={`“${name}” is revoked.`}
          variant="plain"
        >
          <p>{effect}</p>
        </ConfirmButton>
      ),
  };
  return (
    <CardSection
      title={title}
      id={title.toLowerCase().replace(" ", "-")}
      actions={<Button onPress={() => setIssuing(true)}>{action}</Button>}
    >
      <p class="quiet">{about}</p>
      <LoadedTable
        list={list}
        label={title}
        columns={[...(keyColumns as ReadonlyArray<Column<Key>>), ...columns, actions]}
        rowKey={({ id }) => id}
        empty={empty}
      />
      {isIssuing &&
        issue({
          onClose: () => setIssuing(false),
          onIssued: (key) => {
            setIssuing(false);
            setIssued(key);
          },
        })}
      {issued !== null && (
        <SecretDialog
          title={`${noun} “${issued.name}”`}
          label={noun}
          secret={issued.secret}
          onClose={() => setIssued(null)}
        />
      )}
    </CardSection>
  );
};

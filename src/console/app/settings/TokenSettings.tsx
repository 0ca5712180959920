/** Tokens of the platform API: the list, "Issue token" and "Revoke". */
import { useState } from "preact/hooks";
import { operator } from "../data/ApiCall.ts";
import { refresh, useOperator } from "../data/Query.ts";
import type { Ability, Environment, One, Page } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { SelectField, TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { LoadProblem, Loading } from "../parts/PageFrame.tsx";
import { SecretDialog } from "../parts/SecretDialog.tsx";
import { environment, workspaceId } from "../session/Scope.ts";
import { currentSession } from "../session/SessionState.ts";
import { AbilityFields } from "./AbilityFields.tsx";
import { InstantOr, keyColumns, Revoke } from "./AccessKeys.tsx";
import type { AccessToken, NewAccessToken } from "./SettingsResources.ts";

const tokensPath = (): string => `/workspaces/${workspaceId.value}/tokens`;
const environmentNames = { production: "Production", sandbox: "Sandbox" } as const;

interface TokenValues {
  readonly name: string;
  readonly environment: Environment;
  readonly abilities: ReadonlyArray<Ability>;
  readonly expires_at: string;
}

const IssueToken = ({
  onClose,
  onIssued,
}: {
  readonly onClose: () => void;
  readonly onIssued: (token: NewAccessToken) => void;
}) => {
  const form = useForm<TokenValues>({
    draft: "token",
    initial: { name: "", environment: environment.value, abilities: ["reports:read"], expires_at: "" },
    send: async ({ expires_at: day, ...values }) => {
      const json = { ...values, ...(day === "" ? {} : { expires_at: `${day}T00:00:00+00:00` }) };
      const { body } = await operator<One<NewAccessToken>>(tokensPath(), { method: "POST", json });
      onIssued(body.data);
      await refresh();
    },
  });
  const { abilities, environment: chosen, expires_at: day, name } = form.values.value;
  return (
    <Dialog title="Issue token" onClose={onClose} actions={<Button onPress={onClose}>Cancel</Button>}>
      <Form model={form} label="New token">
        <TextField
          name="name"
          label="Name"
          hint="What it is for, or whom."
          value={name}
          onValue={(value) => form.set({ name: value })}
        />
        <SelectField
          name="environment"
          label="Token environment"
          value={chosen}
          choices={[
            { value: "production", text: "Production" },
            { value: "sandbox", text: "Sandbox" },
          ]}
          onValue={(value) => form.set({ environment: value === "sandbox" ? "sandbox" : "production" })}
        />
        <AbilityFields
          // The operator has all abilities that there are.
          all={currentSession.value?.abilities ?? []}
          chosen={abilities}
          onChosen={(value) => form.set({ abilities: value })}
        />
        <TextField
          name="expires_at"
          label="Expires on"
          hint="The start of this day in UTC. Empty: never."
          type="date"
          value={day}
          onValue={(value) => form.set({ expires_at: value })}
        />
        <Button type="submit" look="primary" isBusy={form.isSending.value}>
          Issue token
        </Button>
      </Form>
    </Dialog>
  );
};

const columns: ReadonlyArray<Column<AccessToken>> = [
  ...(keyColumns as ReadonlyArray<Column<AccessToken>>),
  {
    key: "environment",
    heading: "Environment",
    cell: ({ environment: each }) => environmentNames[each],
    sortBy: ({ environment: each }) => each,
  },
  {
    key: "abilities",
    heading: "Abilities",
    cell: ({ abilities }) => <p class="wide-cell">{abilities.join(", ")}</p>,
  },
  { key: "expires", heading: "Expires", cell: ({ expires_at: at }) => <InstantOr at={at} none="never" /> },
  {
    key: "revoke",
    heading: "Actions",
    cell: ({ id, name, revoked_at: revoked }) =>
      revoked === null && (
        <Revoke
          name={name}
          path={`${tokensPath()}/${id}`}
          effect="Requests with this token are refused at once, and sessions of the console end."
        />
      ),
  },
];

/** The tokens of a workspace, of both environments. */
export const TokenSettings = () => {
  const { data, problem } = useOperator<Page<AccessToken>>(`${tokensPath()}?limit=100`);
  const [isIssuing, setIssuing] = useState(false);
  const [issued, setIssued] = useState<NewAccessToken | null>(null);
  return (
    <CardSection title="Tokens" actions={<Button onPress={() => setIssuing(true)}>Issue token</Button>}>
      <p class="quiet">For systems that use the platform API, and for colleagues who sign in here.</p>
      <LoadProblem problem={problem} />
      {data === undefined && problem === undefined && <Loading />}
      {data !== undefined && (
        <DataTable
          label="Tokens"
          columns={columns}
          rows={data.data}
          rowKey={({ id }) => id}
          empty="No token yet. Issue one for each system and each person."
        />
      )}
      {isIssuing && (
        <IssueToken
          onClose={() => setIssuing(false)}
          onIssued={(token) => {
            setIssuing(false);
            setIssued(token);
          }}
        />
      )}
      {issued !== null && (
        <SecretDialog
          title={`Token “${issued.name}”`}
          label="Token"
          secret={issued.token}
          onClose={() => setIssued(null)}
        />
      )}
    </CardSection>
  );
};

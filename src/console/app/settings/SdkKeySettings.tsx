/** SDK keys, with which apps register devices: the list, "Issue SDK key" and "Revoke". */
import { useState } from "preact/hooks";
import { operator } from "../data/ApiCall.ts";
import { refresh, useOperator } from "../data/Query.ts";
import type { One, Page } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { LoadProblem, Loading } from "../parts/PageFrame.tsx";
import { SecretDialog } from "../parts/SecretDialog.tsx";
import { environment, workspaceId } from "../session/Scope.ts";
import { keyColumns, Revoke } from "./AccessKeys.tsx";
import type { AppKey, NewAppKey } from "./SettingsResources.ts";

const keysPath = (): string => `/workspaces/${workspaceId.value}/${environment.value}/sdk-keys`;

const IssueSdkKey = ({
  onClose,
  onIssued,
}: {
  readonly onClose: () => void;
  readonly onIssued: (key: NewAppKey) => void;
}) => {
  const form = useForm({
    draft: "sdk-key",
    initial: { name: "" },
    send: async (values) => {
      const { body } = await operator<One<NewAppKey>>(keysPath(), { method: "POST", json: values });
      onIssued(body.data);
      await refresh();
    },
  });
  return (
    <Dialog title="Issue SDK key" onClose={onClose} actions={<Button onPress={onClose}>Cancel</Button>}>
      <Form model={form} label="New SDK key">
        <TextField
          name="name"
          label="Name"
          hint="The app that uses it."
          value={form.values.value.name}
          onValue={(value) => form.set({ name: value })}
        />
        <Button type="submit" look="primary" isBusy={form.isSending.value}>
          Issue SDK key
        </Button>
      </Form>
    </Dialog>
  );
};

const columns: ReadonlyArray<Column<AppKey>> = [
  ...(keyColumns as ReadonlyArray<Column<AppKey>>),
  {
    key: "revoke",
    heading: "Actions",
    cell: ({ id, name, revoked_at: revoked }) =>
      revoked === null && (
        <Revoke
          name={name}
          path={`${keysPath()}/${id}`}
          effect="Apps with this key register no more devices. Devices that are registered still work."
        />
      ),
  },
];

/** The SDK keys of the environment. */
export const SdkKeySettings = () => {
  const { data, problem } = useOperator<Page<AppKey>>(`${keysPath()}?limit=100`);
  const [isIssuing, setIssuing] = useState(false);
  const [issued, setIssued] = useState<NewAppKey | null>(null);
  return (
    <CardSection title="SDK keys" actions={<Button onPress={() => setIssuing(true)}>Issue SDK key</Button>}>
      <p class="quiet">An app has one of them. With it, its devices register in this environment.</p>
      <LoadProblem problem={problem} />
      {data === undefined && problem === undefined && <Loading />}
      {data !== undefined && (
        <DataTable
          label="SDK keys"
          columns={columns}
          rows={data.data}
          rowKey={({ id }) => id}
          empty="No SDK key yet. Issue one for each app."
        />
      )}
      {isIssuing && (
        <IssueSdkKey
          onClose={() => setIssuing(false)}
          onIssued={(key) => {
            setIssuing(false);
            setIssued(key);
          }}
        />
      )}
      {issued !== null && (
        <SecretDialog
          title={`SDK key “${issued.name}”`}
          label="SDK key"
          secret={issued.sdk_key}
          onClose={() => setIssued(null)}
        />
      )}
    </CardSection>
  );
};

/** Push services: whether they are set up, and "Send a test". */
import { useState } from "preact/hooks";
import { operator } from "../data/ApiCall.ts";
import { useOperator } from "../data/Query.ts";
import type { One, Page } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { LoadProblem, Loading } from "../parts/PageFrame.tsx";
import { environment, workspaceId } from "../session/Scope.ts";
import { InstantOr } from "./AccessKeys.tsx";
import type { PushTest, PushTransport } from "./SettingsResources.ts";

const transportsPath = (): string => `/workspaces/${workspaceId.value}/${environment.value}/transports`;

const names: Readonly<Record<PushTransport["transport"], string>> = {
  fcm: "Firebase Cloud Messaging",
  apns: "Apple Push Notification service",
  webpush: "Web Push",
};

const outcomes: Readonly<Record<PushTest["outcome"], string>> = {
  accepted: "The push service accepted the push.",
  gone: "The address of the device no longer exists.",
  refused: "The push service refused the push.",
  unauthorized: "The push service refused the credentials.",
  unavailable: "The push service gave no usable answer.",
};

const TestDialog = ({
  onClose,
  transport,
}: {
  readonly transport: PushTransport["transport"];
  readonly onClose: () => void;
}) => {
  const [result, setResult] = useState<PushTest | null>(null);
  const form = useForm({
    draft: null,
    initial: { device_id: "" },
    send: async (values) => {
      setResult(null);
      const path = `${transportsPath()}/${transport}/test`;
      const { body } = await operator<One<PushTest>>(path, { method: "POST", json: values });
      setResult(body.data);
    },
  });
  return (
    <Dialog
      title={`Test of ${names[transport]}`}
      onClose={onClose}
      actions={<Button onPress={onClose}>Close</Button>}
    >
      <p>One push is sent to a device now. It counts nowhere.</p>
      <Form model={form} label="Test">
        <TextField
          name="device_id"
          label="Device"
          hint="The id of a registered device."
          value={form.values.value.device_id}
          onValue={(value) => form.set({ device_id: value.trim() })}
        />
        <Button type="submit" look="primary" isBusy={form.isSending.value}>
          Send
        </Button>
      </Form>
      <div role="status">
        {result !== null && (
          <p class={`notice${result.accepted ? "" : " notice-problem"}`}>
            {outcomes[result.outcome]} {result.reason} It took {formatNumber(result.duration_ms)} ms.
          </p>
        )}
      </div>
    </Dialog>
  );
};

const columnsWith = (
  onTest: (transport: PushTransport["transport"]) => void,
): ReadonlyArray<Column<PushTransport>> => [
  { key: "name", heading: "Service", cell: ({ transport }) => names[transport] },
  {
    key: "status",
    heading: "Status",
    cell: ({ configured }) =>
      configured ? <Badge text="Set up" tone="good" /> : <Badge text="Not set up" tone="quiet" />,
  },
  {
    key: "updated",
    heading: "Credentials set",
    cell: ({ updated_at: at }) => <InstantOr at={at} none="never" />,
  },
  {
    key: "test",
    heading: "Test",
    cell: ({ configured, transport }) =>
      configured && (
        <Button label={`Send a test by ${names[transport]}`} onPress={() => onTest(transport)}>
          Send a test
        </Button>
      ),
  },
];

/** The transports of the environment. */
export const TransportSettings = () => {
  const { data, problem } = useOperator<Page<PushTransport>>(transportsPath());
  const [tested, setTested] = useState<PushTransport["transport"] | null>(null);
  return (
    <CardSection title="Transports">
      <p class="quiet">
        The push services of this environment. <code>waypost transport set</code> sets their credentials.
      </p>
      <LoadProblem problem={problem} />
      {data === undefined && problem === undefined && <Loading />}
      {data !== undefined && (
        <DataTable
          label="Transports"
          columns={columnsWith(setTested)}
          rows={data.data}
          rowKey={({ transport }) => transport}
        />
      )}
      {tested !== null && <TestDialog transport={tested} onClose={() => setTested(null)} />}
    </CardSection>
  );
};

/** Push services: whether they are set up, and "Send a test". */
import { useState } from "preact/hooks";
import { here, operator, platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { refresh, useData } from "../data/Query.ts";
import type { Transport, TransportTest } from "../data/Resources.ts";
import { platformTexts, transportTexts } from "../devices/DeviceWords.ts";
import { Badge } from "../parts/Badge.tsx";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { textColumn, timeColumn } from "../parts/Columns.tsx";
import type { Column } from "../parts/DataTable.tsx";
import { ConfirmDialog, Dialog } from "../parts/Dialog.tsx";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { SelectField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { LoadedTable } from "../parts/list/LoadedTable.tsx";
import { TransportCredentials } from "./TransportCredentials.tsx";

const outcomes: Readonly<Record<TransportTest["outcome"], string>> = {
  accepted: "The push service accepted the push.",
  gone: "The address of the device no longer exists.",
  refused: "The push service refused the push.",
  unauthorized: "The push service refused the credentials.",
  unavailable: "The push service gave no usable answer.",
};

const noDevice = (transport: Transport["transport"]): string =>
  `No approved test device is reached by ${transportTexts[transport]}. Approve one under Devices.`;

const TestDialog = ({
  onClose,
  transport,
}: {
  readonly transport: Transport["transport"];
  readonly onClose: () => void;
}) => {
  const [result, setResult] = useState<TransportTest | null>(null);
  const { data } = useData(platform.devices.list({ approved: true, limit: 100 }));
  const devices = data?.data.filter((device) => device.transport === transport);
  const form = useForm({
    draft: null,
    initial: { device_id: "" },
    send: async (values) => {
      setResult(null);
      setResult((await send(operator.transports.test(...here(), transport, values))).data);
    },
  });
  return (
    <Dialog
      title={`Test of ${transportTexts[transport]}`}
      onClose={onClose}
      actions={<Button onPress={onClose}>Close</Button>}
    >
      <p>One push is sent to a device now. It counts nowhere.</p>
      <Form model={form} label="Test">
        <SelectField
          {...form.field("device_id")}
          label="Device"
          hint={devices?.length === 0 ? noDevice(transport) : "The approved test devices that it reaches."}
          choices={[
            { value: "", text: "Choose a test device" },
            ...(devices ?? []).map(({ id, installation_id: name, platform: kind, user_id: person }) => ({
              value: id,
              text: [name, platformTexts[kind], ...(person === null ? [] : [person])].join(", "),
            })),
          ]}
        />
        <Button type="submit" variant="primary" isBusy={form.isSending.value}>
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

type Action = "test" | "set" | "delete";

const columnsWith = (
  onAction: (action: Action, transport: Transport["transport"]) => void,
): ReadonlyArray<Column<Transport>> => [
  textColumn("name", "Service", ({ transport }) => transportTexts[transport]),
  {
    key: "status",
    heading: "Status",
    cell: ({ configured }) =>
      configured ? <Badge text="Set up" tone="good" /> : <Badge text="Not set up" tone="quiet" />,
  },
  textColumn("address", "Default web address", (transport) => transport.default_url),
  timeColumn("updated", "Credentials set", (transport) => transport.updated_at, "never"),
  {
    key: "actions",
    heading: "Actions",
    cell: ({ configured, transport }) => {
      const name = transportTexts[transport];
      const button = (action: Action, text: string, label: string) => (
        <Button label={label} onPress={() => onAction(action, transport)}>
          {text}
        </Button>
      );
      return (
        <div class="actions">
          {configured && button("test", "Send a test", `Send a test by ${name}`)}
          {button("set", "Set credentials", `Set credentials of ${name}`)}
          {configured && button("delete", "Remove", `Remove the credentials of ${name}`)}
        </div>
      );
    },
  },
];

/** The transports of the environment. */
export const TransportSettings = () => {
  const list = useData(operator.transports.list(...here()));
  const [open, setOpen] = useState<{
    readonly action: Action;
    readonly transport: Transport["transport"];
  } | null>(null);
  const close = () => setOpen(null);
  return (
    <CardSection title="Transports" id="transports">
      <p class="quiet">The push services of this environment.</p>
      <LoadedTable
        list={list}
        label="Transports"
        columns={columnsWith((action, transport) => setOpen({ action, transport }))}
        rowKey={({ transport }) => transport}
      />
      {open?.action === "test" && <TestDialog transport={open.transport} onClose={close} />}
      {open?.action === "set" && <TransportCredentials transport={open.transport} onClose={close} />}
      {open?.action === "delete" && (
        <ConfirmDialog
          title={`Remove the credentials of ${transportTexts[open.transport]}?`}
          action="Remove"
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await send(operator.transports.delete(...here(), open.transport));
            await refresh();
          }}
        >
          <p>
            Deliveries by it fail until credentials are set again.
            {open.transport === "webpush" && " Its keys are deleted too, so browsers must subscribe again."}
          </p>
        </ConfirmDialog>
      )}
    </CardSection>
  );
};

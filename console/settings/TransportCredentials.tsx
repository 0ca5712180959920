/** The credentials of a push service: they are set, and never shown. */
import { here, operator } from "../data/Api.ts";
import { type ApiRequest, send } from "../data/ApiCall.ts";
import { jsonOr } from "../data/Json.ts";
import { refresh } from "../data/Query.ts";
import { transportTexts } from "../devices/DeviceWords.ts";
import { TextField } from "../parts/form/Fields.tsx";
import { useForm } from "../parts/form/Form.tsx";
import { FormDialog } from "../parts/form/FormDialog.tsx";
import { showToast } from "../parts/Toasts.tsx";
import type { ApnsCredentials, ServiceAccount, Transport } from "../data/Resources.ts";

type Provider = Transport["transport"];

interface CredentialField {
  /** The API's field name. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** The lines of a longer text. */
  readonly rows?: number;
}

const fields: Readonly<Record<Provider, ReadonlyArray<CredentialField>>> = {
  fcm: [
    {
      name: "service_account",
      label: "Service account",
      hint: "The JSON key file of a service account from Google, as text.",
      rows: 8,
    },
  ],
  apns: [
    { name: "team_id", label: "Team id" },
    { name: "key_id", label: "Key id" },
    { name: "private_key", label: "Signing key", hint: "The .p8 file from Apple, as text.", rows: 6 },
    { name: "topic", label: "Topic", hint: "The bundle id of the app." },
  ],
  webpush: [
    {
      name: "subject",
      label: "Subject",
      hint: "A mailto: or https: address at which push services can reach you.",
    },
    {
      name: "default_url",
      label: "Default web address",
      hint: "What messages without a web address of their own open. Empty: none.",
    },
  ],
};

/** The request that sets the credentials of each push service. */
const putRequests: Readonly<Record<Provider, (values: Record<string, string>) => ApiRequest<unknown>>> = {
  fcm: ({ service_account: text = "" }) =>
    operator.transports.putFcm(...here(), { service_account: jsonOr(text) as ServiceAccount }),
  apns: (values) => operator.transports.putApns(...here(), values as unknown as ApnsCredentials),
  webpush: ({ default_url: address = "", subject = "" }) =>
    operator.transports.putWebPush(...here(), { subject, default_url: address.trim() || null }),
};

/** "Set credentials" of a push service. Nothing of them is kept in the browser. */
export const TransportCredentials = ({
  onClose,
  transport,
}: {
  readonly transport: Provider;
  readonly onClose: () => void;
}) => {
  const form = useForm<Record<string, string>>({
    draft: null,
    initial: Object.fromEntries(fields[transport].map(({ name }) => [name, ""])),
    send: async (values) => {
      await send(putRequests[transport](values));
      await refresh();
      showToast(`${transportTexts[transport]} is set up.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Credentials of ${transportTexts[transport]}`}
      action="Save credentials"
      form={form}
      onClose={onClose}
    >
      <p class="hint">They are encrypted, never shown again, and replace those that were set before.</p>
      {fields[transport].map(({ name, ...field }) => (
        <TextField {...form.field(name)} key={name} {...field} />
      ))}
    </FormDialog>
  );
};

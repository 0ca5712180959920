/** SDK keys, with which apps register devices: the list, "Issue SDK key" and "Revoke". */
import { here, operator } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { SdkKey } from "../data/Resources.ts";
import type { Column } from "../parts/DataTable.tsx";
import { TextField } from "../parts/form/Fields.tsx";
import { useForm } from "../parts/form/Form.tsx";
import { FormDialog } from "../parts/form/FormDialog.tsx";
import { IssuedKeys, type IssueProps } from "./IssuedKeys.tsx";

const action = "Issue SDK key";

const IssueSdkKey = ({ onClose, onIssued }: IssueProps) => {
  const form = useForm({
    draft: "sdk-key",
    initial: { name: "", allowed_origins: "" },
    send: async ({ allowed_origins: text, name }) => {
      const origins = text.split(/[\s,]+/).filter((origin) => origin !== "");
      const draft = { name, ...(origins.length === 0 ? {} : { allowed_origins: origins }) };
      const { data } = await send(operator.sdkKeys.issue(...here(), draft));
      onIssued({ name: data.name, secret: data.sdk_key });
      await refresh();
    },
  });
  return (
    <FormDialog title={action} form={form} onClose={onClose}>
      <TextField {...form.field("name")} label="Name" hint="The app that uses it." />
      <TextField
        {...form.field("allowed_origins")}
        label="Allowed origins"
        hint="Of web pages, such as https://shop.example, with spaces between. Empty: any."
      />
    </FormDialog>
  );
};

const columns: ReadonlyArray<Column<SdkKey>> = [
  {
    key: "origins",
    heading: "Allowed origins",
    cell: ({ allowed_origins: origins }) => <p class="wide-cell">{origins?.join(", ") ?? "any"}</p>,
  },
];

/** The SDK keys of the environment. */
export const SdkKeySettings = () => (
  <IssuedKeys<SdkKey>
    title="SDK keys"
    noun="SDK key"
    action={action}
    about="An app has one of them. With it, its devices register in this environment."
    empty="No SDK key yet. Issue one for each app."
    list={operator.sdkKeys.list(...here())}
    revoke={(id) => operator.sdkKeys.revoke(...here(), id)}
    columns={columns}
    effect="Apps with this key register no more devices. Devices that are registered still work."
    issue={(props) => <IssueSdkKey {...props} />}
  />
);

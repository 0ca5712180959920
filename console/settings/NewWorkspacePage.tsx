import { operator } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { Button } from "../parts/Button.tsx";
import { TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { PageFrame } from "../parts/PageFrame.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { ZoneField } from "../parts/form/ZoneField.tsx";
import { navigate } from "../routing/Router.ts";
import { loadWorkspaces } from "../session/SignIn.ts";

const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** "New workspace": what an empty installation begins with. */
export const NewWorkspacePage = () => {
  const form = useForm({
    draft: null,
    initial: { name: "", timezone: ownZone() },
    send: async (values) => {
      const { data } = await send(operator.workspaces.create(values));
      navigate(`/console?workspace=${data.id}&environment=sandbox`);
      await loadWorkspaces();
      showToast(`The workspace "${data.name}" is ready.`);
    },
  });
  return (
    <PageFrame
      title="New workspace"
      lead="A customer or a brand with its own campaigns, locations and devices."
    >
      <Form model={form}>
        <TextField {...form.field("name")} label="Name" />
        <ZoneField
          {...form.field("timezone")}
          label="Time zone"
          hint="Reports count days in it, and new campaigns start with it."
        />
        <Button type="submit" variant="primary" isBusy={form.isSending.value}>
          Create workspace
        </Button>
      </Form>
    </PageFrame>
  );
};

/** Asks before an erasure, which cannot be taken back: the name is typed once more. */
import { ApiProblem, type ApiRequest, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Erasure, One } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { formatCount } from "../parts/DisplayFormats.ts";
import { TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, navigate } from "../routing/Router.ts";

interface ErasureProps {
  readonly noun: "device" | "person";
  /** The id that is typed to confirm. */
  readonly name: string;
  readonly erase: ApiRequest<One<Erasure>>;
  readonly onClose: () => void;
}

const idTexts = { device: "installation id", person: "user id" } as const;

/** Erases a device or a person, and goes to the list of devices. */
export const ErasureDialog = ({ erase, name, noun, onClose }: ErasureProps) => {
  const form = useForm({
    draft: null,
    initial: { confirmation: "" },
    send: async ({ confirmation }) => {
      if (confirmation.trim() !== name)
        throw new ApiProblem(null, "validation_failed", "This is another id.", {
          confirmation: [`Type the ${idTexts[noun]} exactly as it is shown.`],
        });
      const { data } = await send(erase);
      navigate(addressOf("/devices"));
      void refresh();
      showToast(`The ${noun} is erased: ${formatCount(data.devices, "device")}.`);
    },
  });
  return (
    <Dialog
      title={`Erase this ${noun}?`}
      onClose={onClose}
      actions={
        <>
          <Button variant="danger" isBusy={form.isSending.value} onPress={() => void form.submit()}>
            Erase
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </>
      }
    >
      <p>
        {noun === "device"
          ? "The device is erased with its push address, attributes, token and last position"
          : "All devices of the person are erased with push addresses, attributes, tokens and positions"}
        , and so are texts of open answers and messages that wait. Reports keep their figures. This cannot be
        undone.
      </p>
      <p>Backups made before, and what receivers of webhooks and push services have got, are out of reach.</p>
      <Form model={form} label={`Erase this ${noun}`}>
        <TextField
          {...form.field("confirmation")}
          label={`Type the ${idTexts[noun]} to confirm`}
          hint={<code>{name}</code>}
        />
      </Form>
    </Dialog>
  );
};

/** Actions on several locations at once. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import type { Location } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { ConfirmButton } from "../parts/ConfirmButton.tsx";
import { formatCount } from "../parts/DisplayFormats.ts";
import { TextField } from "../parts/form/Fields.tsx";
import { useForm } from "../parts/form/Form.tsx";
import { FormDialog } from "../parts/form/FormDialog.tsx";
import { forEach, type Selection } from "../parts/list/Selection.tsx";
import { showToast } from "../parts/Toasts.tsx";

interface BatchProps {
  readonly selection: Selection<Location>;
}

const GroupDialog = ({
  onClose,
  selection: { clear, items },
}: BatchProps & { readonly onClose: () => void }) => {
  const count = formatCount(items.length, "location");
  const form = useForm({
    draft: null,
    initial: { groups: "" },
    send: async ({ groups }) => {
      const name = groups.trim();
      const joining = items.filter((each) => !each.groups.includes(name));
      await forEach(joining, (each) =>
        send(platform.locations.setGroups(each.id, { groups: [...each.groups, name] })),
      );
      onClose();
      clear();
      showToast(`${count} are in the group “${name}”.`, () =>
        forEach(joining, ({ groups: before, id }) =>
          send(platform.locations.setGroups(id, { groups: before })),
        ),
      );
    },
  });
  return (
    <FormDialog title={`Add ${count} to a group`} action="Add to group" form={form} onClose={onClose}>
      <TextField {...form.field("groups")} label="Group" hint="A new name makes a new group." />
    </FormDialog>
  );
};

/** The buttons. */
export const LocationBatch = ({ selection }: BatchProps) => {
  const { clear, items } = selection;
  const count = formatCount(items.length, "location");
  const [isGrouping, setGrouping] = useState(false);
  const remove = async (): Promise<void> => {
    await forEach(items, ({ id }) => send(platform.locations.delete(id)));
    clear();
  };
  return (
    <>
      <Button onPress={() => setGrouping(true)}>Add to group</Button>
      <ConfirmButton title={`Delete ${count}?`} action="Delete" send={remove} done={`${count} deleted.`}>
        <p>
          They are removed from their groups and from the campaigns that target them. Reports keep totals.
        </p>
      </ConfirmButton>
      {isGrouping && <GroupDialog selection={selection} onClose={() => setGrouping(false)} />}
    </>
  );
};

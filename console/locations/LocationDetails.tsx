/** The chosen location: what it is, and its changes. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Location } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { ConfirmDialog } from "../parts/Dialog.tsx";
import { FactList } from "../parts/FactList.tsx";
import { TextField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { centreOf, formatPosition } from "../parts/map/Shapes.ts";
import { showToast } from "../parts/Toasts.tsx";
import { setParameters } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { shapeText } from "./LocationList.tsx";
import { refreshLocations } from "./LocationReader.ts";

interface Props {
  readonly location: Location;
}

const reread = async (): Promise<void> => {
  refreshLocations();
  await refresh();
};

const EditForm = ({ location, onDone }: Props & { readonly onDone: () => void }) => {
  const form = useForm({
    draft: `location-${location.id}`,
    initial: {
      name: location.name,
      address: location.address ?? "",
      external_id: location.external_id ?? "",
    },
    send: async (changes, idempotencyKey) => {
      await send(platform.locations.update(location.id, changes, { idempotencyKey }));
      await reread();
      showToast("Saved.");
      onDone();
    },
  });
  return (
    <Form model={form} label={`Edit ${location.name}`}>
      <TextField {...form.field("name")} label="Name" />
      <TextField {...form.field("address")} label="Address" />
      <TextField
        {...form.field("external_id")}
        label="External id"
        hint="Your own id. An import with the same id updates this location."
      />
      <div class="actions">
        <Button type="submit" variant="primary" isBusy={form.isSending.value}>
          Save
        </Button>
        <Button
          onPress={() => {
            form.reset(form.values.value);
            onDone();
          }}
        >
          Cancel
        </Button>
      </div>
    </Form>
  );
};

const DeleteDialog = ({ location, onClose }: Props & { readonly onClose: () => void }) => {
  const remove = async (): Promise<void> => {
    await send(platform.locations.delete(location.id));
    setParameters({ location: undefined });
    showToast(`“${location.name}” was deleted.`);
    await reread();
  };
  return (
    <ConfirmDialog
      title={`Delete “${location.name}”?`}
      action="Delete"
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        It is removed from its groups and from the campaigns that target it. What happened there is still in
        the totals of reports.
      </p>
    </ConfirmDialog>
  );
};

/** The chosen location. */
export const LocationDetails = ({ location }: Props) => {
  const [mode, setMode] = useState<"shown" | "edited" | "deleted">("shown");
  const actions = (
    <div class="actions">
      {may("locations:write") && mode !== "edited" && (
        <>
          <Button onPress={() => setMode("edited")}>Edit</Button>
          <Button onPress={() => setMode("deleted")}>Delete</Button>
        </>
      )}
      <Button variant="plain" onPress={() => setParameters({ location: undefined })}>
        Close
      </Button>
    </div>
  );
  return (
    <CardSection title={location.name} actions={actions}>
      {mode === "edited" ? (
        <EditForm location={location} onDone={() => setMode("shown")} />
      ) : (
        <FactList
          facts={[
            ["Shape", shapeText(location)],
            ["Latitude and longitude", formatPosition(centreOf(location))],
            ["Groups", location.groups.join(", ") || "none"],
            ["Address", location.address ?? "none"],
            ["External id", location.external_id ?? "none"],
            ["Last change", <InstantText key="at" at={location.updated_at} />],
          ]}
        />
      )}
      {mode === "deleted" && <DeleteDialog location={location} onClose={() => setMode("shown")} />}
    </CardSection>
  );
};

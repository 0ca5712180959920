/** "Go to": pages, campaigns, locations and devices by a part of their name. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { usePaused } from "../data/Paused.ts";
import { useData } from "../data/Query.ts";
import { Button } from "../parts/Button.tsx";
import { Combobox, type Option } from "../parts/Combobox.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { addressOf, navigate } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { pageTable } from "../shell/PageTable.ts";

interface Target extends Option {
  readonly address: string;
}

/** The most targets of each kind. */
const limit = 6;

const pagesNamed = (text: string): ReadonlyArray<Target> =>
  pageTable.flatMap(({ isAllowed, navigation, path, title = navigation ?? "" }) =>
    title !== "" && title.toLowerCase().includes(text.toLowerCase()) && isAllowed()
      ? [{ key: path, text: title, note: "page", address: addressOf(path) }]
      : [],
  );

/** The targets that have a text in their name. */
const useTargets = (text: string): ReadonlyArray<Target> => {
  const q = usePaused(text).trim();
  const query = { q, limit };
  const campaigns = useData(q !== "" && may("campaigns:read") ? platform.campaigns.list(query) : null);
  const locations = useData(q !== "" && may("locations:read") ? platform.locations.list(query) : null);
  const devices = useData(q !== "" && may("devices:read") ? platform.devices.list(query) : null);
  return [
    ...pagesNamed(text.trim()),
    ...(campaigns.data?.data ?? []).map(({ id, name }) => ({
      key: id,
      text: name,
      note: "campaign",
      address: addressOf(`/campaigns/${id}`),
    })),
    ...(locations.data?.data ?? []).map(({ id, name }) => ({
      key: id,
      text: name,
      note: "location",
      address: addressOf("/locations", { location: id }),
    })),
    ...(devices.data?.data ?? []).map(({ id, installation_id: name, user_id: person }) => ({
      key: id,
      text: name,
      note: person === null ? "device" : `device of ${person}`,
      address: addressOf(`/devices/${id}`),
    })),
  ];
};

/** The dialog, which Ctrl+K opens. */
export const GoToDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const [text, setText] = useState("");
  const targets = useTargets(text);
  return (
    <Dialog title="Go to" onClose={onClose} actions={<Button onPress={onClose}>Close</Button>}>
      <Combobox
        label="Search pages, campaigns, locations and devices"
        placeholder="A page, a campaign, a location or a device"
        text={text}
        onText={setText}
        options={targets}
        onChoose={({ address }) => {
          onClose();
          navigate(address);
        }}
        none="Nothing has this name."
        isKeptOpen
      />
      <p class="hint">The arrow keys choose, Enter opens. “/” goes to the search of a page.</p>
    </Dialog>
  );
};

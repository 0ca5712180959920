/** "Events": what devices and servers have reported under names of their own, the newest received first. */
import { platform } from "../data/Api.ts";
import type { CustomEvent } from "../data/Resources.ts";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { InstantText } from "../parts/InstantText.tsx";
import { ListPage } from "../parts/list/ListPage.tsx";
import { addressOf, changedAddress } from "../routing/Router.ts";
import { EventNames } from "./EventNames.tsx";

const propertiesText = (properties: CustomEvent["properties"]): string =>
  Object.entries(properties)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");

/** The person or the device that an event is of. */
const Subject = ({ event: { device_id: device, user_id: user } }: { readonly event: CustomEvent }) => {
  if (user !== null) return <a href={changedAddress({ user_id: user, cursor: undefined })}>{user}</a>;
  return device === null ? (
    <span class="quiet">erased</span>
  ) : (
    <a href={addressOf(`/devices/${device}`)}>{device}</a>
  );
};

const columns: ReadonlyArray<Column<CustomEvent>> = [
  {
    key: "name",
    heading: "Event",
    cell: ({ name }) => <a href={changedAddress({ name, cursor: undefined })}>{name}</a>,
  },
  { key: "of", heading: "Of", cell: (event) => <Subject event={event} /> },
  { key: "properties", heading: "Properties", cell: ({ properties }) => propertiesText(properties) },
  { key: "occurred", heading: "Occurred", cell: ({ occurred_at: at }) => <InstantText at={at} /> },
  { key: "received", heading: "Received", cell: ({ received_at: at }) => <InstantText at={at} /> },
];

/** The custom events of the environment. */
export const EventListPage = () => (
  <ListPage
    title="Events"
    lead="Custom events of devices and servers: how many there are a day, and the newest received first."
    above={<EventNames />}
    list={platform.customEvents.list}
    filters={[
      { name: "name", label: "Name", placeholder: "order.placed" },
      { name: "user_id", label: "Person", placeholder: "The app's id" },
    ]}
    parameters={["device_id"]}
    empty={[
      "No events yet",
      "An app reports what happens under names of its own, such as order.placed. Campaigns of type event " +
        "send on them.",
    ]}
  >
    {(events) => (
      <DataTable
        label="Events"
        columns={columns}
        rows={events}
        rowKey={({ device_id, id, user_id }) => `${id}/${device_id}/${user_id}`}
        empty="No event matches."
      />
    )}
  </ListPage>
);

/** Enters and exits of a device: a map of the locations, and a list of the events. */
import { useEffect, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { useData } from "../data/Query.ts";
import type { DeviceEvent } from "../data/Resources.ts";
import { CardSection } from "../parts/CardSection.tsx";
import { textColumn, timeColumn } from "../parts/Columns.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import type { MapPoint } from "../parts/map/PointLayers.ts";
import { PointMap } from "../parts/map/PointMap.tsx";
import { centreOf } from "../parts/map/Shapes.ts";
import { MorePages } from "../parts/MorePages.tsx";
import { may } from "../session/SessionState.ts";

const columns: ReadonlyArray<Column<DeviceEvent>> = [
  textColumn("location", "Location", (event) => event.location_name, "deleted"),
  textColumn("type", "Event", ({ type }) => (type === "enter" ? "Entered" : "Left")),
  timeColumn("occurred", "When", (event) => event.occurred_at),
  timeColumn("received", "Reported", (event) => event.received_at),
];

const maxLocations = 50;

/** The locations of the newest events as points; null while they are read. */
const usePoints = (events: ReadonlyArray<DeviceEvent>): ReadonlyArray<MapPoint> | null => {
  const [points, setPoints] = useState<ReadonlyArray<MapPoint> | null>(null);
  const key = [...new Set(events.map(({ location_id: id }) => id))].slice(0, maxLocations).join(" ");
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const read = async (): Promise<void> => {
      const reads = key
        .split(" ")
        .filter(Boolean)
        .map((id) => send(platform.locations.get(id, { signal })));
      // A deleted location is not on the map; the list has its events.
      const found = (await Promise.allSettled(reads)).flatMap((result) =>
        result.status === "fulfilled" ? [result.value.data] : [],
      );
      if (!signal.aborted) setPoints(found.map((location) => ({ id: location.id, at: centreOf(location) })));
    };
    void read();
    return () => abort.abort();
  }, [key]);
  return points;
};

const MapOfEvents = ({ deviceId }: { readonly deviceId: string }) => {
  const { data } = useData(platform.deviceEvents.list(deviceId, { limit: 50 }));
  const events = data?.data ?? [];
  const points = usePoints(events);
  const nameOf = (id: string) => events.find((event) => event.location_id === id)?.location_name ?? undefined;
  return points === null || points.length === 0 ? null : (
    <PointMap points={points} subject={deviceId} labelOf={nameOf} />
  );
};

/** Enters and exits of a device. */
export const DeviceEvents = ({ deviceId }: { readonly deviceId: string }) => (
  <CardSection title="Entered and left">
    {may("locations:read") && <MapOfEvents deviceId={deviceId} />}
    <MorePages
      list={platform.deviceEvents.list(deviceId, { limit: 50 })}
      more="Show older events"
      empty="The device has entered and left no location."
    >
      {(events) => (
        <DataTable label="Entered and left" columns={columns} rows={events} rowKey={({ id }) => id} />
      )}
    </MorePages>
  </CardSection>
);

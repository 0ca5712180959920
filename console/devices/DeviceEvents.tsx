/** Enters and exits of a device: a map of the locations, and a list of the events. */
import type { GeoJSONSource, Map as MapLibreMap } from "maplibre-gl";
import { useEffect, useRef, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { type ApiRequest, send } from "../data/ApiCall.ts";
import { useData } from "../data/Query.ts";
import type { DeviceEvent, Page } from "../data/Resources.ts";
import { CardSection } from "../parts/CardSection.tsx";
import { textColumn, timeColumn } from "../parts/Columns.tsx";
import { DataTable, type Column } from "../parts/DataTable.tsx";
import { boundsOf, MapView } from "../parts/map/MapView.tsx";
import { MorePages } from "../parts/MorePages.tsx";
import { may } from "../session/SessionState.ts";
import { locationPoint, type Position } from "./LocationPoint.ts";

const columns: ReadonlyArray<Column<DeviceEvent>> = [
  textColumn("location", "Location", (event) => event.location_name, "deleted"),
  textColumn("type", "Event", ({ type }) => (type === "enter" ? "Entered" : "Left")),
  timeColumn("occurred", "When", (event) => event.occurred_at),
  timeColumn("received", "Reported", (event) => event.received_at),
];

const maxLocations = 50;

/** A location on the map. */
interface MapLocation {
  readonly id: string;
  readonly point: Position;
}

/** The locations of the newest events; null while they are read. */
const useLocations = (events: ReadonlyArray<DeviceEvent>): ReadonlyArray<MapLocation> | null => {
  const [locations, setLocations] = useState<ReadonlyArray<MapLocation> | null>(null);
  const key = [...new Set(events.map(({ location_id: id }) => id))].slice(0, maxLocations).join(" ");
  useEffect(() => {
    const abort = new AbortController();
    const readOne = async (id: string): Promise<ReadonlyArray<MapLocation>> => {
      try {
        const { data } = await send(platform.locations.get(id, { signal: abort.signal }));
        return [{ id, point: locationPoint(data.geometry) }];
      } catch {
        // A deleted location is not on the map; the list has its events.
        return [];
      }
    };
    const read = async (): Promise<void> => {
      const found = await Promise.all(key === "" ? [] : key.split(" ").map(readOne));
      if (!abort.signal.aborted) setLocations(found.flat());
    };
    void read();
    return () => abort.abort();
  }, [key]);
  return locations;
};

const sourceId = "locations";

const featuresOf = (locations: ReadonlyArray<MapLocation>) => ({
  type: "FeatureCollection" as const,
  features: locations.map(({ point }) => ({
    type: "Feature" as const,
    properties: {},
    geometry: { type: "Point" as const, coordinates: [...point] },
  })),
});

const draw = (map: MapLibreMap, locations: ReadonlyArray<MapLocation>): void => {
  const source = map.getSource<GeoJSONSource>(sourceId);
  if (source !== undefined) return void source.setData(featuresOf(locations));
  const { color } = getComputedStyle(map.getContainer());
  map.addSource(sourceId, { type: "geojson", data: featuresOf(locations) });
  map.addLayer({
    id: sourceId,
    type: "circle",
    source: sourceId,
    paint: {
      "circle-radius": 7,
      "circle-color": color,
      "circle-stroke-width": 2,
      "circle-stroke-color": "#fff",
    },
  });
};

const LocationMap = ({ locations }: { readonly locations: ReadonlyArray<MapLocation> }) => {
  const map = useRef<MapLibreMap | null>(null);
  useEffect(() => {
    if (map.current?.isStyleLoaded() === true) draw(map.current, locations);
  }, [locations]);
  return (
    <div class="device-map">
      <MapView
        bounds={boundsOf(locations.map(({ point }) => point))}
        onReady={(ready) => {
          map.current = ready;
          draw(ready, locations);
        }}
      />
    </div>
  );
};

const MapOfEvents = ({ list }: { readonly list: ApiRequest<Page<DeviceEvent>> }) => {
  const { data } = useData(list);
  const locations = useLocations(data?.data ?? []);
  return locations === null || locations.length === 0 ? null : <LocationMap locations={locations} />;
};

/** Enters and exits of a device. */
export const DeviceEvents = ({ deviceId }: { readonly deviceId: string }) => (
  <CardSection title="Entered and left">
    {may("locations:read") && <MapOfEvents list={platform.deviceEvents.list(deviceId, { limit: 50 })} />}
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

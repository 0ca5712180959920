/** Locations on a map: to pick them, and to show those of a campaign. */
import type { GeoJSONSource, Map as MapLibreMap } from "maplibre-gl";
import { useEffect, useRef, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import type { Location } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { boundsOf, MapView } from "../parts/map/MapView.tsx";

type Point = readonly [longitude: number, latitude: number];

/** A point that stands for a location: the centre of a circle, or the middle of a polygon's corners. */
const pointOf = ({ geometry }: Location): Point => {
  if (geometry.type === "Point") return geometry.coordinates;
  const corners = geometry.coordinates[0] ?? [];
  const sum = corners.reduce<Point>((total, [lng, lat]) => [total[0] + lng, total[1] + lat], [0, 0]);
  return [sum[0] / corners.length, sum[1] / corners.length];
};

const featuresOf = (locations: Iterable<Location>, chosen: ReadonlySet<string>) => ({
  type: "FeatureCollection" as const,
  features: [...locations].map((location) => ({
    type: "Feature" as const,
    properties: { id: location.id, isChosen: chosen.has(location.id) },
    geometry: { type: "Point" as const, coordinates: [...pointOf(location)] },
  })),
});

/** A colour of the page's theme. */
const colour = (name: string): string => {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
};

const maxMeters = 100_000;

/** The locations around the middle of the map, as far as its corner. */
const locationsInView = async (map: MapLibreMap): Promise<ReadonlyArray<Location>> => {
  const centre = map.getCenter();
  const meters = Math.round(centre.distanceTo(map.getBounds().getNorthEast()));
  const near =
    meters > maxMeters
      ? {}
      : {
          near: `${centre.lat.toFixed(6)},${centre.wrap().lng.toFixed(6)}`,
          radius_meters: `${Math.max(meters, 1)}`,
        };
  const { data } = await send(platform.locations.list({ limit: 100, ...near }));
  return data;
};

interface MarksProps {
  readonly locations: Iterable<Location>;
  readonly chosen: ReadonlyArray<string>;
  /** Called with the id of a location that was clicked. */
  readonly onLocation?: ((id: string) => void) | undefined;
  readonly onMove?: ((map: MapLibreMap) => void) | undefined;
}

/** A map with a mark for each location; the chosen ones are filled. */
export const LocationMarks = ({ chosen, onMove, onLocation, locations }: MarksProps) => {
  const map = useRef<MapLibreMap | undefined>(undefined);
  const shown = [...locations];
  const data = featuresOf(shown, new Set(chosen));
  const latest = useRef({ data, onLocation, onMove });
  latest.current = { data, onLocation, onMove };
  const listensTo = useRef<MapLibreMap | undefined>(undefined);

  const draw = (ready: MapLibreMap): void => {
    map.current = ready;
    ready.addSource("locations", { type: "geojson", data: latest.current.data });
    ready.addLayer({
      id: "locations",
      type: "circle",
      source: "locations",
      paint: {
        "circle-radius": 7,
        "circle-color": ["case", ["get", "isChosen"], colour("--accent"), colour("--surface")],
        "circle-stroke-color": colour("--accent"),
        "circle-stroke-width": 2,
      },
    });
    if (listensTo.current === ready) return;
    listensTo.current = ready;
    ready.on("click", "locations", ({ features }) => {
      const id: unknown = features?.[0]?.properties["id"];
      if (typeof id === "string") latest.current.onLocation?.(id);
    });
    ready.on("moveend", () => latest.current.onMove?.(ready));
    if (onLocation !== undefined) {
      ready.on("mouseenter", "locations", () => (ready.getCanvas().style.cursor = "pointer"));
      ready.on("mouseleave", "locations", () => (ready.getCanvas().style.cursor = ""));
    }
  };

  const key = JSON.stringify(data);
  useEffect(() => {
    const source = map.current?.getSource<GeoJSONSource>("locations");
    void source?.setData(latest.current.data);
  }, [key]);

  return <MapView bounds={boundsOf(shown.map(pointOf))} onReady={draw} />;
};

/** A map on which locations are picked by a click. It is loaded when somebody asks for it. */
export const PickMap = ({
  chosen,
  onChosen,
  locations,
}: {
  readonly locations: ReadonlyMap<string, Location>;
  readonly chosen: ReadonlyArray<string>;
  readonly onChosen: (ids: ReadonlyArray<string>) => void;
}) => {
  const [isOpen, setOpen] = useState(false);
  const [seen, setSeen] = useState<ReadonlyMap<string, Location>>(new Map());
  const readView = (map: MapLibreMap): void => {
    locationsInView(map).then(
      (found) =>
        setSeen(
          (before) => new Map([...before, ...found.map((location) => [location.id, location] as const)]),
        ),
      // The marks that are there stay, and the next move reads again.
      () => undefined,
    );
  };
  const all = new Map([...seen, ...locations]);
  const toggle = (id: string) =>
    onChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  return (
    <div class="pick-map">
      <Button isPressed={isOpen} onPress={() => setOpen(!isOpen)}>
        Pick on the map
      </Button>
      {isOpen && (
        <>
          <p class="hint">Press a mark to choose or drop its location. Filled marks are chosen.</p>
          <LocationMarks locations={all.values()} chosen={chosen} onLocation={toggle} onMove={readView} />
        </>
      )}
    </div>
  );
};

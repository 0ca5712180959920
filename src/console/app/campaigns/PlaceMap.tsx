/** Places on a map: to pick them, and to show those of a campaign. */
import type { GeoJSONSource, Map as MapLibreMap } from "maplibre-gl";
import { useEffect, useRef, useState } from "preact/hooks";
import { platform } from "../data/ApiCall.ts";
import type { Page } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { boundsOf, MapView } from "../parts/map/MapView.tsx";
import type { Place } from "./CampaignResources.ts";

type Point = readonly [longitude: number, latitude: number];

/** A point that stands for a place: the centre of a circle, or the middle of a polygon's corners. */
const pointOf = ({ geometry }: Place): Point => {
  if (geometry.type === "Point") return geometry.coordinates;
  const corners = geometry.coordinates[0] ?? [];
  const sum = corners.reduce<Point>((total, [lng, lat]) => [total[0] + lng, total[1] + lat], [0, 0]);
  return [sum[0] / corners.length, sum[1] / corners.length];
};

const featuresOf = (places: Iterable<Place>, chosen: ReadonlySet<string>) => ({
  type: "FeatureCollection" as const,
  features: [...places].map((place) => ({
    type: "Feature" as const,
    properties: { id: place.id, isChosen: chosen.has(place.id) },
    geometry: { type: "Point" as const, coordinates: [...pointOf(place)] },
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

/** The places around the middle of the map, as far as its corner. */
const placesInView = async (map: MapLibreMap): Promise<ReadonlyArray<Place>> => {
  const centre = map.getCenter();
  const meters = Math.round(centre.distanceTo(map.getBounds().getNorthEast()));
  const near =
    meters > maxMeters
      ? {}
      : {
          near: `${centre.lat.toFixed(6)},${centre.wrap().lng.toFixed(6)}`,
          radius_meters: `${Math.max(meters, 1)}`,
        };
  const query = new URLSearchParams({ limit: "100", ...near });
  const { body } = await platform<Page<Place>>(`/locations?${query.toString()}`);
  return body.data;
};

interface MarksProps {
  readonly places: Iterable<Place>;
  readonly chosen: ReadonlyArray<string>;
  /** Called with the id of a place that was clicked. */
  readonly onPlace?: ((id: string) => void) | undefined;
  readonly onMove?: ((map: MapLibreMap) => void) | undefined;
}

/** A map with a mark for each place; the chosen ones are filled. */
export const PlaceMarks = ({ chosen, onMove, onPlace, places }: MarksProps) => {
  const map = useRef<MapLibreMap | undefined>(undefined);
  const shown = [...places];
  const data = featuresOf(shown, new Set(chosen));
  const latest = useRef({ data, onPlace, onMove });
  latest.current = { data, onPlace, onMove };
  const listensTo = useRef<MapLibreMap | undefined>(undefined);

  const draw = (ready: MapLibreMap): void => {
    map.current = ready;
    ready.addSource("places", { type: "geojson", data: latest.current.data });
    ready.addLayer({
      id: "places",
      type: "circle",
      source: "places",
      paint: {
        "circle-radius": 7,
        "circle-color": ["case", ["get", "isChosen"], colour("--accent"), colour("--surface")],
        "circle-stroke-color": colour("--accent"),
        "circle-stroke-width": 2,
      },
    });
    if (listensTo.current === ready) return;
    listensTo.current = ready;
    ready.on("click", "places", ({ features }) => {
      const id: unknown = features?.[0]?.properties["id"];
      if (typeof id === "string") latest.current.onPlace?.(id);
    });
    ready.on("moveend", () => latest.current.onMove?.(ready));
    if (onPlace !== undefined) {
      ready.on("mouseenter", "places", () => (ready.getCanvas().style.cursor = "pointer"));
      ready.on("mouseleave", "places", () => (ready.getCanvas().style.cursor = ""));
    }
  };

  const key = JSON.stringify(data);
  useEffect(() => {
    const source = map.current?.getSource<GeoJSONSource>("places");
    void source?.setData(latest.current.data);
  }, [key]);

  return <MapView bounds={boundsOf(shown.map(pointOf))} onReady={draw} />;
};

/** A map on which places are picked by a click. It is loaded when somebody asks for it. */
export const PlaceMap = ({
  chosen,
  onChosen,
  places,
}: {
  readonly places: ReadonlyMap<string, Place>;
  readonly chosen: ReadonlyArray<string>;
  readonly onChosen: (ids: ReadonlyArray<string>) => void;
}) => {
  const [isOpen, setOpen] = useState(false);
  const [seen, setSeen] = useState<ReadonlyMap<string, Place>>(new Map());
  const look = (map: MapLibreMap): void => {
    placesInView(map).then(
      (found) =>
        setSeen((before) => new Map([...before, ...found.map((place) => [place.id, place] as const)])),
      // The marks that are there stay, and the next move reads again.
      () => undefined,
    );
  };
  const all = new Map([...seen, ...places]);
  const toggle = (id: string) =>
    onChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  return (
    <div class="pick-map">
      <Button isPressed={isOpen} onPress={() => setOpen(!isOpen)}>
        Pick on the map
      </Button>
      {isOpen && (
        <>
          <p class="hint">Press a mark to choose or drop its place. Filled marks are chosen.</p>
          <PlaceMarks places={all.values()} chosen={chosen} onPlace={toggle} onMove={look} />
        </>
      )}
    </div>
  );
};

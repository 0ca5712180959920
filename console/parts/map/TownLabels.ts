/**
 * Names of towns on a ground that has none. MapLibre draws them by the fonts of the machine, as the style
 * names no glyphs.
 */
import type { GeoJSONSource, Map as MapLibreMap } from "maplibre-gl";
import { colour } from "./MapGround.ts";
import { collectionOf } from "./Shapes.ts";
import { loadTowns } from "./TownLoader.ts";
import type { Town } from "./Towns.ts";

const source = "towns";
/** The width and height on the screen within which one town is named, in pixels. */
const cellPixels = 90;

/** The largest town of each cell in view. Cells are fixed to the ground: names stay while it moves. */
const largestTowns = (map: MapLibreMap, towns: ReadonlyArray<Town>): ReadonlyArray<Town> => {
  const view = map.getBounds();
  const [west, width] = [view.getWest(), view.getEast() - view.getWest()];
  const [south, north] = [view.getSouth(), view.getNorth()];
  const cell = (cellPixels * 360) / (512 * 2 ** Math.floor(map.getZoom()));
  const largest = new Map<string, Town>();
  for (const town of towns) {
    const [lng, lat] = town.at;
    if (lat < south || lat > north || (((lng - west) % 360) + 360) % 360 > width) continue;
    // A degree of latitude is longer on the map the farther north it is.
    const row = Math.floor(lat / (cell * Math.cos((lat * Math.PI) / 180)));
    const key = `${Math.floor(lng / cell)} ${row}`;
    if (town.size > (largest.get(key)?.size ?? -1)) largest.set(key, town);
  }
  return [...largest.values()];
};

const show = (map: MapLibreMap, towns: ReadonlyArray<Town>): void => {
  const features = largestTowns(map, towns).map(({ at, name, size }): GeoJSON.Feature => ({
    type: "Feature",
    properties: { name, size },
    geometry: { type: "Point", coordinates: [...at] },
  }));
  void map.getSource<GeoJSONSource>(source)?.setData(collectionOf(features));
};

const followed = new WeakSet<MapLibreMap>();

/** Adds the names to a map, again after a change of theme. A ground with glyphs has its own. */
export const addTownLabels = (map: MapLibreMap): void => {
  if (map.getStyle().glyphs !== undefined) return;
  map.addSource(source, { type: "geojson", data: collectionOf([]) });
  map.addLayer({
    id: source,
    type: "symbol",
    source,
    layout: {
      "text-field": ["get", "name"],
      "text-font": ["system-ui"],
      "text-size": ["interpolate", ["linear"], ["get", "size"], 5, 11, 26, 15],
      "text-padding": 6,
      "symbol-sort-key": ["-", 0, ["get", "size"]],
    },
    paint: {
      "text-color": colour("--quiet"),
      "text-halo-color": colour("--map-land"),
      "text-halo-width": 1.5,
    },
  });
  const update = async (): Promise<void> => show(map, await loadTowns());
  // Without the towns the map has no names, and everything else.
  const refresh = () => void update().catch(() => undefined);
  refresh();
  if (followed.has(map)) return;
  followed.add(map);
  map.on("moveend", refresh);
};

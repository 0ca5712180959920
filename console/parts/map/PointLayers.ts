/** Many points on a map: near ones are drawn as one cluster with their number. */
import type { GeoJSONSource, Map as MapLibreMap, MapMouseEvent } from "maplibre-gl";
import { formatNumber } from "../DisplayFormats.ts";
import { colour } from "./MapGround.ts";
import { collectionOf, type Point } from "./Shapes.ts";

/** A point of a map. */
export interface MapPoint {
  readonly id: string;
  readonly at: Point;
  /** Refused features are shown in another colour, and as rings. */
  readonly isBad?: boolean;
  /** Points that are not chosen are rings. */
  readonly isOpen?: boolean;
}

/** Callbacks of a page with points. */
export interface PointActions {
  readonly onPoint?: ((id: string) => void) | undefined;
  /** The text that a pointer shows over a point. */
  readonly labelOf?: ((id: string) => string | undefined | Promise<string | undefined>) | undefined;
}

const source = "points";
const prefix = "count-";
const pixelRatio = 2;

/**
 * Gives the pictures of numbers: glyphs of a font would have to be loaded. Their canvas is in memory:
 * reading a picture back from the graphics card takes 50 ms without one.
 */
const numberPictures = (paint: string): ((text: string) => ImageData | null) => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (context === null) return () => null;
  const font = `600 ${12 * pixelRatio}px system-ui, sans-serif`;
  return (text) => {
    context.font = font;
    const width = Math.ceil(context.measureText(text).width) + 2;
    const height = 16 * pixelRatio;
    // A canvas that gets a size is empty, and forgets its font.
    context.canvas.width = width;
    context.canvas.height = height;
    context.font = font;
    context.fillStyle = paint;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, width / 2, height / 2);
    return context.getImageData(0, 0, width, height);
  };
};

/** Draws the numbers of clusters when the map first needs them, in the colour of the theme. */
const drawNumbers = (map: MapLibreMap): void => {
  const pictureOf = numberPictures(colour("--on-accent"));
  map.setMissingStyleImageResolver((id) => {
    if (!id.startsWith(prefix) || map.hasImage(id)) return;
    const image = pictureOf(formatNumber(Number(id.slice(prefix.length))));
    if (image !== null) map.addImage(id, image, { pixelRatio });
  });
};

const addLayers = (map: MapLibreMap): void => {
  const [accent, bad, ring] = [colour("--accent"), colour("--bad"), colour("--surface")];
  map.addLayer({
    id: "clusters",
    type: "circle",
    source,
    filter: ["has", "point_count"],
    paint: {
      "circle-color": accent,
      "circle-opacity": 0.92,
      "circle-radius": ["step", ["get", "point_count"], 14, 10, 17, 100, 21, 1000, 26],
      "circle-stroke-color": ring,
      "circle-stroke-width": 2,
    },
  });
  map.addLayer({
    id: "cluster-counts",
    type: "symbol",
    source,
    filter: ["has", "point_count"],
    layout: {
      "icon-image": ["concat", prefix, ["to-string", ["get", "point_count"]]],
      "icon-allow-overlap": true,
    },
  });
  map.addLayer({
    id: "points",
    type: "circle",
    source,
    filter: ["!", ["has", "point_count"]],
    paint: {
      "circle-radius": 6,
      "circle-color": ["case", ["get", "isRing"], ring, accent],
      "circle-stroke-color": ["case", ["get", "isBad"], bad, ["get", "isRing"], accent, ring],
      "circle-stroke-width": ["case", ["get", "isRing"], 3, 2],
    },
  });
};

const dataOf = (points: ReadonlyArray<MapPoint>): GeoJSON.FeatureCollection =>
  collectionOf(
    points.map(({ at, id, isBad = false, isOpen = false }) => ({
      type: "Feature",
      properties: { id, isBad, isRing: isBad || isOpen },
      geometry: { type: "Point", coordinates: [...at] },
    })),
  );

const openCluster = async (map: MapLibreMap, event: MapMouseEvent): Promise<void> => {
  const [cluster] = map.queryRenderedFeatures(event.point, { layers: ["clusters"] });
  if (cluster === undefined || cluster.geometry.type !== "Point") return;
  const points = map.getSource<GeoJSONSource>(source);
  const zoom = await points?.getClusterExpansionZoom(Number(cluster.properties["cluster_id"]));
  const [lng = 0, lat = 0] = cluster.geometry.coordinates;
  if (zoom !== undefined) map.easeTo({ center: [lng, lat], zoom });
};

/** Reacts to the pointer. The actions may change later. */
const follow = async (map: MapLibreMap, actions: () => PointActions): Promise<void> => {
  const { Popup } = await import("maplibre-gl");
  const popup = new Popup({ closeButton: false, closeOnClick: false, offset: 10 });
  const cursor = (name: string) => () => void (map.getCanvas().style.cursor = name);
  map.on("click", "clusters", (event) => void openCluster(map, event));
  map.on("mouseenter", "clusters", cursor("pointer"));
  map.on("mouseleave", "clusters", cursor(""));
  map.on("click", "points", ({ features }) => {
    const id: unknown = features?.[0]?.properties["id"];
    if (typeof id === "string") actions().onPoint?.(id);
  });
  let over = "";
  const showLabel = async (id: string, [lng = 0, lat = 0]: ReadonlyArray<number>): Promise<void> => {
    const label = await actions().labelOf?.(id);
    if (label !== undefined && over === id) popup.setLngLat([lng, lat]).setText(label).addTo(map);
  };
  map.on("mousemove", "points", ({ features }) => {
    const [feature] = features ?? [];
    const id = String(feature?.properties["id"]);
    if (feature?.geometry.type !== "Point" || over === id) return;
    over = id;
    cursor(actions().onPoint === undefined ? "" : "pointer")();
    // Without a name the point is still there.
    void showLabel(id, feature.geometry.coordinates).catch(() => undefined);
  });
  map.on("mouseleave", "points", () => {
    over = "";
    cursor("")();
    popup.remove();
  });
};

const followed = new WeakSet<MapLibreMap>();

/** Adds the layers to a map whose ground is there, again after a change of theme. */
export const addPoints = (map: MapLibreMap, actions: () => PointActions): void => {
  drawNumbers(map);
  map.addSource(source, {
    type: "geojson",
    data: collectionOf([]),
    cluster: true,
    clusterRadius: 48,
    clusterMaxZoom: 13,
  });
  addLayers(map);
  if (followed.has(map)) return;
  followed.add(map);
  void follow(map, actions);
};

/** Shows other points. */
export const setPoints = (map: MapLibreMap, points: ReadonlyArray<MapPoint>): void => {
  void map.getSource<GeoJSONSource>(source)?.setData(dataOf(points));
};

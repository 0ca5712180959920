/** The map on which a location is drawn: a click sets a centre; terra-draw draws a polygon. */
import type { GeoJSONSource, Map as MapLibreMap } from "maplibre-gl";
import { useEffect, useRef, useState } from "preact/hooks";
import { colour } from "../parts/map/MapGround.ts";
import { boundsOf, MapView } from "../parts/map/MapView.tsx";
import { PointerPosition } from "../parts/map/PointerPosition.tsx";
import { collectionOf, extentOf, outlineOf, type Point, type Shape } from "../parts/map/Shapes.ts";
import { type DrawnLocation, numberOf } from "./DrawnLocation.ts";

interface DrawMapProps {
  readonly drawing: DrawnLocation;
  /** The ring of the coordinates; null if there is none, or if a circle is drawn. */
  readonly ring: ReadonlyArray<Point> | null;
  readonly onCentre: (longitude: number, latitude: number) => void;
  readonly onPolygon: (ring: ReadonlyArray<Point>) => void;
}

/** The shape of the fields; undefined until they are numbers in range. */
const shapeOf = ({ drawing, ring }: DrawMapProps): Shape | undefined => {
  if (ring !== null) return { geometry: { type: "Polygon", coordinates: [ring] }, radius_meters: null };
  const [lng, lat, radius] = [drawing.longitude, drawing.latitude, drawing.radius].map(numberOf);
  const isCircle = drawing.shape === "circle" && typeof lng === "number" && typeof lat === "number";
  if (!isCircle || typeof radius !== "number" || Math.abs(lng) > 180 || Math.abs(lat) > 90) return undefined;
  return { geometry: { type: "Point", coordinates: [lng, lat] }, radius_meters: radius };
};

/** Lets a person draw polygons. Each that is finished is given away, and not kept. */
const drawPolygons = async (
  map: MapLibreMap,
  onPolygon: (ring: ReadonlyArray<Point>) => void,
): Promise<void> => {
  const [{ TerraDraw, TerraDrawPolygonMode }, { TerraDrawMapLibreGLAdapter }] = await Promise.all([
    import("terra-draw"),
    import("terra-draw-maplibre-gl-adapter"),
  ]);
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map }),
    modes: [new TerraDrawPolygonMode()],
  });
  draw.start();
  draw.setMode("polygon");
  draw.on("finish", (id) => {
    const geometry = draw.getSnapshotFeature(id)?.geometry;
    if (geometry?.type === "Polygon") onPolygon((geometry.coordinates[0] ?? []) as unknown as Array<Point>);
    draw.clear();
  });
};

const source = "drawn";

const addLayers = (map: MapLibreMap): void => {
  const paint = colour("--accent");
  map.addSource(source, { type: "geojson", data: collectionOf([]) });
  map.addLayer({
    id: "drawn-area",
    type: "fill",
    source,
    paint: { "fill-color": paint, "fill-opacity": 0.2 },
  });
  map.addLayer({
    id: "drawn-line",
    type: "line",
    source,
    paint: { "line-color": paint, "line-width": 2 },
  });
};

const show = (map: MapLibreMap, shape: Shape | undefined): void => {
  const features = shape && [{ type: "Feature" as const, properties: {}, geometry: outlineOf(shape) }];
  void map.getSource<GeoJSONSource>(source)?.setData(collectionOf(features ?? []));
};

/** Moves to a shape that is not in view, or so small that it cannot be seen. */
const moveTo = (map: MapLibreMap, shape: Shape): void => {
  const extent = extentOf(shape);
  const bounds = boundsOf(extent);
  const isSeen = map.getZoom() > 11 && extent.some(([lng, lat]) => map.getBounds().contains([lng, lat]));
  if (bounds !== undefined && !isSeen) map.fitBounds([...bounds], { padding: 60, maxZoom: 15 });
};

/** The map. It is made again for another kind of shape. */
export const DrawMap = (props: DrawMapProps) => {
  const [map, setMap] = useState<MapLibreMap | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const shape = shapeOf(props);
  const text = JSON.stringify(shape);
  const begun = useRef<MapLibreMap | undefined>(undefined);

  const begin = (ready: MapLibreMap): void => {
    addLayers(ready);
    show(ready, shapeOf(latest.current));
    if (begun.current === ready) return;
    begun.current = ready;
    setMap(ready);
    if (latest.current.drawing.shape === "polygon")
      void drawPolygons(ready, (ring) => latest.current.onPolygon(ring));
    else
      ready.on("click", ({ lngLat }) => {
        const { lat, lng } = lngLat.wrap();
        latest.current.onCentre(lng, lat);
      });
  };

  useEffect(() => {
    if (map === undefined) return;
    show(map, shape);
    if (shape !== undefined) moveTo(map, shape);
  }, [map, text]);

  return (
    <MapView onReady={begin}>
      <PointerPosition map={map} />
    </MapView>
  );
};

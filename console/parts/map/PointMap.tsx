/** A map of many points, which moves to them, and to the one that is chosen. */
import type { GeoJSONSource, Map as MapLibreMap } from "maplibre-gl";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { colour } from "./MapGround.ts";
import { boundsOf, MapView } from "./MapView.tsx";
import { addPoints, type MapPoint, type PointActions, setPoints } from "./PointLayers.ts";
import { PointerPosition } from "./PointerPosition.tsx";
import { collectionOf, extentOf, outlineOf, type Shape } from "./Shapes.ts";

interface PointMapProps extends PointActions {
  readonly points: ReadonlyArray<MapPoint>;
  /** The shapes in a part of the map; asked for when the map shows a small part. */
  readonly shapesIn?: (isInView: (shape: Shape) => boolean) => ReadonlyArray<Shape>;
  readonly chosen?: (Shape & { readonly id: string }) | undefined;
  /** The owner of the points, such as a filter: with another value the map moves to the points. */
  readonly subject: string;
  readonly children?: ComponentChildren;
}

/** Outlines are drawn from this zoom on. */
const outlineZoom = 10;

const featuresOf = (shapes: ReadonlyArray<Shape>): GeoJSON.FeatureCollection =>
  collectionOf(shapes.map((shape) => ({ type: "Feature", properties: {}, geometry: outlineOf(shape) })));

const addOutlines = (map: MapLibreMap, id: string, paint: string, width: number): void => {
  map.addSource(id, { type: "geojson", data: collectionOf([]) });
  map.addLayer({
    id: `${id}-area`,
    type: "fill",
    source: id,
    paint: { "fill-color": paint, "fill-opacity": 0.16 },
  });
  map.addLayer({
    id: `${id}-line`,
    type: "line",
    source: id,
    paint: { "line-color": paint, "line-width": width },
  });
};

const setShapes = (map: MapLibreMap, id: string, shapes: ReadonlyArray<Shape>): void => {
  void map.getSource<GeoJSONSource>(id)?.setData(featuresOf(shapes));
};

/** The outlines of the shapes in view, once the map shows a small part of the world. */
const drawOutlines = (map: MapLibreMap, { shapesIn }: PointMapProps): void => {
  if (shapesIn === undefined || map.getZoom() < outlineZoom) return setShapes(map, "outlines", []);
  const view = map.getBounds();
  const isInView = (shape: Shape): boolean => {
    const [lng, lat] = shape.geometry.type === "Point" ? shape.geometry.coordinates : [0, 0];
    return shape.geometry.type === "Point"
      ? view.contains([lng, lat])
      : extentOf(shape).some(([east, north]) => view.contains([east, north]));
  };
  setShapes(map, "outlines", shapesIn(isInView));
};

/** The map of points. */
export const PointMap = (props: PointMapProps) => {
  const { children, chosen, points, subject } = props;
  const map = useRef<MapLibreMap | undefined>(undefined);
  const [made, setMade] = useState<MapLibreMap | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  /** The subject whose points the map has shown, and whether a person has moved the map since. */
  const shown = useRef({ subject: "", count: 0, isMoved: false });

  const showAll = (): void => {
    const bounds = boundsOf(latest.current.points.map(({ at }) => at));
    if (bounds !== undefined)
      map.current?.fitBounds([...bounds], { padding: 40, maxZoom: 15, animate: false });
  };
  const showChosen = (): void => {
    const shape = latest.current.chosen;
    if (map.current === undefined) return;
    setShapes(map.current, "chosen", shape === undefined ? [] : [shape]);
    const bounds = shape && boundsOf(extentOf(shape));
    if (bounds !== undefined) map.current.fitBounds([...bounds], { padding: 80, maxZoom: 16 });
  };

  const begin = (ready: MapLibreMap): void => {
    addOutlines(ready, "outlines", colour("--accent"), 1);
    addOutlines(ready, "chosen", colour("--accent-strong"), 3);
    addPoints(ready, latest.current.points, () => latest.current);
    if (map.current === ready) {
      setShapes(ready, "chosen", latest.current.chosen === undefined ? [] : [latest.current.chosen]);
      return drawOutlines(ready, latest.current);
    }
    map.current = ready;
    setMade(ready);
    ready.on("movestart", ({ originalEvent }) => {
      if (originalEvent !== undefined) shown.current.isMoved = true;
    });
    ready.on("moveend", () => drawOutlines(ready, latest.current));
    if (latest.current.chosen === undefined) showAll();
    else showChosen();
  };

  useEffect(() => {
    if (map.current !== undefined) {
      setPoints(map.current, points);
      drawOutlines(map.current, latest.current);
    }
    const before = shown.current;
    const isOther = before.subject !== subject;
    const isMoved = isOther ? false : before.isMoved;
    // While the rest of a list is still read, the map shows more and more of it, until a person moves it.
    const isMore = points.length > before.count && !isMoved;
    if (points.length > 0 && (isOther || isMore) && latest.current.chosen === undefined) showAll();
    if (points.length > 0) shown.current = { subject, count: points.length, isMoved };
  }, [points, subject]);
  useEffect(showChosen, [chosen?.id]);

  return (
    <MapView onReady={begin}>
      <PointerPosition map={made} />
      {children}
    </MapView>
  );
};

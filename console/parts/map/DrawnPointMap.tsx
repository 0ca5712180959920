/** A map of many points, which moves to them, and to the one that is chosen. */
import type { GeoJSONSource, Map as MapLibreMap } from "maplibre-gl";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { colour } from "./MapGround.ts";
import { boundsOf, MapView } from "./MapView.tsx";
import { addPoints, type MapPoint, type PointActions, setPoints } from "./PointLayers.ts";
import { PointerPosition } from "./PointerPosition.tsx";
import type { ShapeHandles } from "./ShapeHandles.ts";
import { collectionOf, extentOf, outlineOf, type Shape } from "./Shapes.ts";

/** A shape that a person changes on the map. */
export interface EditedShape {
  /** Undefined until it is one. */
  readonly shape: Shape | undefined;
  readonly onShape: (shape: Shape) => void;
}

interface PointMapProps extends PointActions {
  readonly points: ReadonlyArray<MapPoint>;
  /** The shapes in a part of the map; asked for when the map shows a small part. */
  readonly shapesIn?: (isInView: (shape: Shape) => boolean) => ReadonlyArray<Shape>;
  /** Changes when `shapesIn` knows more shapes. */
  readonly shapesVersion?: unknown;
  readonly chosen?: (Shape & { readonly id: string }) | undefined;
  /** Stands on the map instead of the chosen one. */
  readonly edited?: EditedShape | undefined;
  /** Called with the map once it is there. */
  readonly onMap?: ((map: MapLibreMap) => void) | undefined;
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

/** Moves to a shape that is not in view, or so small that it cannot be seen. */
const moveTo = (map: MapLibreMap, shape: Shape): void => {
  const extent = extentOf(shape);
  const bounds = boundsOf(extent);
  const isSeen = map.getZoom() > 11 && extent.some(([lng, lat]) => map.getBounds().contains([lng, lat]));
  if (bounds !== undefined && !isSeen) map.fitBounds([...bounds], { padding: 60, maxZoom: 15 });
};

/** The map of points. */
export const DrawnPointMap = (props: PointMapProps) => {
  const { children, chosen, edited, points, shapesVersion, subject } = props;
  const map = useRef<MapLibreMap | undefined>(undefined);
  const [made, setMade] = useState<MapLibreMap | undefined>(undefined);
  const handles = useRef<ShapeHandles | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  /** The subject whose points the map has shown, and whether a person has moved the map since. */
  const shown = useRef({ subject: "", count: 0, isMoved: false });

  const showAll = (): void => {
    const bounds = boundsOf(latest.current.points.map(({ at }) => at));
    if (bounds !== undefined)
      map.current?.fitBounds([...bounds], { padding: 40, maxZoom: 15, animate: false });
  };
  const drawChosen = (ready: MapLibreMap): void => {
    const shape = latest.current.edited === undefined ? latest.current.chosen : latest.current.edited.shape;
    setShapes(ready, "chosen", shape === undefined ? [] : [shape]);
    handles.current?.show(latest.current.edited?.shape);
  };
  const showChosen = (): void => {
    const shape = latest.current.chosen;
    if (map.current === undefined) return;
    drawChosen(map.current);
    const bounds = shape && boundsOf(extentOf(shape));
    if (bounds !== undefined) map.current.fitBounds([...bounds], { padding: 80, maxZoom: 16 });
  };

  const begin = (ready: MapLibreMap): void => {
    addOutlines(ready, "outlines", colour("--accent"), 1);
    addOutlines(ready, "chosen", colour("--accent-strong"), 3);
    addPoints(ready, () => latest.current);
    // In a task of its own: the first one of a map is long enough.
    setTimeout(() => ready.getCanvas().isConnected && setPoints(ready, latest.current.points));
    if (map.current === ready) {
      drawChosen(ready);
      return drawOutlines(ready, latest.current);
    }
    map.current = ready;
    setMade(ready);
    latest.current.onMap?.(ready);
    ready.on("movestart", ({ originalEvent }) => {
      if (originalEvent !== undefined) shown.current.isMoved = true;
    });
    ready.on("moveend", () => drawOutlines(ready, latest.current));
    if (latest.current.chosen === undefined) showAll();
    else showChosen();
  };

  const text = JSON.stringify(edited?.shape);
  useEffect(() => {
    if (made === undefined) return;
    const show = async (): Promise<void> => {
      if (latest.current.edited !== undefined && handles.current === undefined) {
        const { ShapeHandles } = await import("./ShapeHandles.ts");
        handles.current ??= new ShapeHandles(made, (shape) => latest.current.edited?.onShape(shape));
      }
      drawChosen(made);
      if (latest.current.edited?.shape !== undefined) moveTo(made, latest.current.edited.shape);
    };
    void show();
  }, [made, edited === undefined, text]);

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
  }, [points, subject, shapesVersion]);
  useEffect(showChosen, [chosen?.id]);

  return (
    <MapView onReady={begin}>
      <PointerPosition map={made} />
      {children}
    </MapView>
  );
};

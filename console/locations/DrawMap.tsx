/** The map on which a location is drawn: a click sets a centre; terra-draw draws a new polygon. */
import type { Map as MapLibreMap } from "maplibre-gl";
import { useEffect, useRef, useState } from "preact/hooks";
import { PointMap } from "../parts/map/PointMap.tsx";
import type { Point, Shape } from "../parts/map/Shapes.ts";
import { useLocationPoints } from "./LocationPoints.ts";

interface DrawMapProps {
  readonly kind: "circle" | "polygon";
  readonly shape: Shape | undefined;
  readonly onCentre: (at: Point) => void;
  readonly onShape: (shape: Shape) => void;
}

/** Lets a person draw polygons. Each that is finished is given away, and not kept. Returns how to stop. */
const drawPolygons = async (map: MapLibreMap, onShape: (shape: Shape) => void): Promise<() => void> => {
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
    const rings =
      geometry?.type === "Polygon" ? (geometry.coordinates as unknown as Array<Array<Point>>) : [];
    draw.clear();
    onShape({ geometry: { type: "Polygon", coordinates: rings }, radius_meters: null });
  });
  return () => draw.stop();
};

/** The map, with the other locations of the environment. */
export const DrawMap = ({ kind, onCentre, onShape, shape }: DrawMapProps) => {
  const [map, setMap] = useState<MapLibreMap | undefined>(undefined);
  const latest = useRef({ onCentre, onShape });
  latest.current = { onCentre, onShape };
  const { points = [], labelOf, shapesIn, shapesVersion } = useLocationPoints({});
  const isOpen = kind === "polygon" && shape === undefined;

  useEffect(() => {
    if (map === undefined || kind !== "circle") return;
    const { unsubscribe } = map.on("click", ({ lngLat }) => {
      const { lat, lng } = lngLat.wrap();
      latest.current.onCentre([lng, lat]);
    });
    return unsubscribe;
  }, [map, kind]);

  useEffect(() => {
    if (map === undefined || !isOpen) return;
    let isOver = false;
    let stop = () => {};
    drawPolygons(map, (drawn) => latest.current.onShape(drawn)).then(
      (started) => (isOver ? started() : (stop = started)),
      // Without it, the fields still take coordinates.
      () => undefined,
    );
    return () => {
      isOver = true;
      stop();
    };
  }, [map, isOpen]);

  return (
    <PointMap
      points={points}
      subject="all"
      labelOf={labelOf}
      shapesIn={shapesIn}
      shapesVersion={shapesVersion}
      edited={{ shape, onShape }}
      onMap={setMap}
    />
  );
};

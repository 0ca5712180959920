import type { Map as MapLibreMap, MapMouseEvent } from "maplibre-gl";
import { useEffect, useState } from "preact/hooks";
import { formatPosition } from "./Shapes.ts";

/** The coordinates under the pointer, or those of the middle of the map. */
export const PointerPosition = ({ map }: { readonly map: MapLibreMap | undefined }) => {
  const [position, setPosition] = useState("");
  useEffect(() => {
    if (map === undefined) return;
    const middle = (): void => {
      const { lat, lng } = map.getCenter().wrap();
      setPosition(`Centre ${formatPosition([lng, lat])}`);
    };
    const point = ({ lngLat }: MapMouseEvent): void => {
      const { lat, lng } = lngLat.wrap();
      setPosition(`Pointer ${formatPosition([lng, lat])}`);
    };
    middle();
    map.on("moveend", middle);
    map.on("mousemove", point);
    map.on("mouseout", middle);
    return () => {
      map.off("moveend", middle);
      map.off("mousemove", point);
      map.off("mouseout", middle);
    };
  }, [map]);
  return position === "" ? null : <p class="map-position">{position}</p>;
};

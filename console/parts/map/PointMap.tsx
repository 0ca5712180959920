import { loadedLater } from "../LoadedLater.tsx";

export type { EditedShape } from "./DrawnPointMap.tsx";

/** A map of many points. */
export const PointMap = loadedLater(
  () => import("./DrawnPointMap.tsx"),
  ({ DrawnPointMap }) => DrawnPointMap,
  <section class="map" aria-label="Map" data-state="loading" />,
);

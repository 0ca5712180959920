/**
 * Maps. MapLibre is loaded with the first one. A page adds its own sources and layers in `onReady`, and has
 * a list of what the map shows beside it, which alone serves without WebGL.
 */
import type { Map as MapLibreMap } from "maplibre-gl";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../Button.tsx";
import type { TownSearch } from "./TownSearch.tsx";

/** West, south, east, north, in degrees. */
export type Bounds = readonly [west: number, south: number, east: number, north: number];

interface MapViewProps {
  /** The area that the map shows at first; the whole world if left out. */
  readonly bounds?: Bounds | undefined;
  /** Called with the map once its ground is there, and again after a change of theme. */
  readonly onReady: (map: MapLibreMap) => void;
  readonly children?: ComponentChildren;
}

const hasWebGl = (): boolean => document.createElement("canvas").getContext("webgl2") !== null;

/** Loads the library and the ground. Returns what makes a map in an element. */
const loadMap = async () => {
  const [{ Map, NavigationControl, ScaleControl, setWorkerUrl }, { mapGround }] = await Promise.all([
    import("maplibre-gl"),
    import("./MapGround.ts"),
    loadStyles(),
  ]);
  setWorkerUrl(MAP_WORKER_URL);
  const style = await mapGround();
  return (container: HTMLElement, bounds: Bounds | undefined): MapLibreMap => {
    const map = new Map({
      container,
      style,
      bounds: bounds === undefined ? [-170, -55, 180, 72] : [...bounds],
      fitBoundsOptions: { padding: 40, maxZoom: 15 },
      minZoom: 0,
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      // The page scrolls over the map: the wheel zooms only with Ctrl, two fingers move on a touch screen.
      cooperativeGestures: true,
    });
    // The section is the region "Map"; what takes the keys within it is not a second one.
    map.getCanvas().setAttribute("role", "application");
    map.getCanvas().setAttribute("aria-label", "Map, arrow keys move it");
    map.touchZoomRotate.disableRotation();
    map.addControl(new NavigationControl({ showCompass: false }), "top-right");
    map.addControl(new ScaleControl(), "bottom-left");
    return map;
  };
};

let styles: Promise<void> | undefined;

/** The style sheet of MapLibre, a file of its own. */
const loadStyles = (): Promise<void> =>
  (styles ??= new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = MAP_STYLES_URL;
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => resolve());
    document.head.append(link);
  }));

/** A region "Map". It keeps its centre and zoom while data changes. */
export const MapView = ({ bounds, children, onReady }: MapViewProps) => {
  const ref = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"loading" | "ready" | "failed" | "impossible">("loading");
  const [attempt, setAttempt] = useState(0);
  const [shown, setShown] = useState<
    { readonly map: MapLibreMap; readonly Search: typeof TownSearch } | undefined
  >(undefined);
  // The zoom at which everything in view is drawn, for those who take pictures.
  const [drawnZoom, setDrawnZoom] = useState<number | undefined>(undefined);
  const ready = useRef(onReady);
  ready.current = onReady;

  useEffect(() => {
    const container = ref.current;
    if (container === null) return;
    if (!hasWebGl()) return setState("impossible");
    let map: MapLibreMap | undefined;
    let isGone = false;
    const theme = matchMedia("(prefers-color-scheme: dark)");
    const redraw = async (): Promise<void> => {
      const { mapGround } = await import("./MapGround.ts");
      map?.setStyle(await mapGround());
    };
    // Without the ground in the other theme, that of this one stays.
    const onTheme = () => void redraw().catch(() => undefined);
    const begin = async (): Promise<void> => {
      const [makeMap, { addTownLabels }, { TownSearch }] = await Promise.all([
        loadMap(),
        import("./TownLabels.ts"),
        import("./TownSearch.tsx"),
      ]);
      if (isGone) return;
      // The first style loads within a frame: nothing is awaited before its listener is there.
      const made = makeMap(container, bounds);
      map = made;
      theme.addEventListener("change", onTheme);
      made.on("style.load", () => {
        addTownLabels(made);
        ready.current(made);
        setState("ready");
        setShown({ map: made, Search: TownSearch });
      });
      made.on("movestart", () => setDrawnZoom(undefined));
      made.on("idle", () => setDrawnZoom(made.getZoom()));
    };
    setState("loading");
    begin().catch(() => !isGone && setState("failed"));
    return () => {
      isGone = true;
      theme.removeEventListener("change", onTheme);
      map?.remove();
    };
  }, [attempt]);

  return (
    <section
      class="map"
      aria-label="Map"
      data-state={state}
      data-drawn={drawnZoom !== undefined}
      data-zoom={drawnZoom}
    >
      {state === "impossible" ? (
        <p class="notice">This browser draws no maps (it has no WebGL). The list has everything.</p>
      ) : (
        <div ref={ref} class="map-canvas" />
      )}
      {state === "failed" && (
        <div class="notice notice-problem map-failed" role="alert">
          <p>The map could not be loaded. The list has everything.</p>
          <Button onPress={() => setAttempt(attempt + 1)}>Try again</Button>
        </div>
      )}
      {state === "ready" && shown !== undefined && <shown.Search map={shown.map} />}
      {children}
    </section>
  );
};

/** The bounds of points, with a margin for a single one; undefined for none. */
export const boundsOf = (points: ReadonlyArray<readonly [lng: number, lat: number]>): Bounds | undefined => {
  if (points.length === 0) return undefined;
  const [first] = points;
  let [west, south, east, north] = [first?.[0] ?? 0, first?.[1] ?? 0, first?.[0] ?? 0, first?.[1] ?? 0];
  for (const [lng, lat] of points) {
    west = Math.min(west, lng);
    east = Math.max(east, lng);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  }
  const margin = 0.002;
  return [west - margin, south - margin, east + margin, north + margin];
};

/**
 * Handles of a shape on a map: the centre and the edge of a circle, the corners of a polygon and the middles
 * of its sides, each of which becomes a corner. They are dragged, or moved by the arrow keys.
 */
import { type Map as MapLibreMap, Marker } from "maplibre-gl";
import { eastOf, metersBetween, type Point, type Shape } from "./Shapes.ts";

interface Handle {
  readonly name: string;
  readonly at: Point;
  readonly isMiddle?: boolean;
  /** The shape with the handle at another point. */
  readonly moved: (to: Point) => Shape;
  /** The shape without the corner; undefined if it is none, or one of the last three. */
  readonly removed?: () => Shape;
}

const [minRadius, maxRadius] = [50, 1000];
/** Of a polygon with more corners, those in view have handles once they are so few. */
const maxHandles = 120;
/** The way of a handle by an arrow key, in pixels. */
const step = 8;
const arrows: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-step, 0],
  ArrowRight: [step, 0],
  ArrowUp: [0, -step],
  ArrowDown: [0, step],
};

const circleHandles = (centre: Point, radius: number): ReadonlyArray<Handle> => {
  const circle = (at: Point, meters: number): Shape => ({
    geometry: { type: "Point", coordinates: at },
    radius_meters: Math.round(Math.min(maxRadius, Math.max(minRadius, meters))),
  });
  return [
    { name: "Centre", at: centre, moved: (to) => circle(to, radius) },
    { name: "Edge", at: eastOf(centre, radius), moved: (to) => circle(centre, metersBetween(centre, to)) },
  ];
};

const polygonHandles = (rings: ReadonlyArray<ReadonlyArray<Point>>): ReadonlyArray<Handle> =>
  rings.flatMap((ring, number) => {
    const corners = ring.slice(0, -1);
    const withCorners = (changed: ReadonlyArray<Point>): Shape => ({
      geometry: {
        type: "Polygon",
        coordinates: rings.with(number, [...changed, ...changed.slice(0, 1)]),
      },
      radius_meters: null,
    });
    return corners.flatMap((at, index): ReadonlyArray<Handle> => {
      const next = corners[(index + 1) % corners.length] ?? at;
      return [
        {
          name: `Corner ${index + 1}`,
          at,
          moved: (to) => withCorners(corners.with(index, to)),
          ...(corners.length > 3 && { removed: () => withCorners(corners.toSpliced(index, 1)) }),
        },
        {
          name: `New corner after ${index + 1}`,
          at: [(at[0] + next[0]) / 2, (at[1] + next[1]) / 2],
          isMiddle: true,
          moved: (to) => withCorners(corners.toSpliced(index + 1, 0, to)),
        },
      ];
    });
  });

const handlesOf = ({ geometry, radius_meters: radius }: Shape): ReadonlyArray<Handle> =>
  geometry.type === "Point"
    ? circleHandles(geometry.coordinates, radius ?? minRadius)
    : polygonHandles(geometry.coordinates);

/** The map takes none of the events on a handle: it would move, or set a centre. */
const ownEvents = ["mousedown", "touchstart", "pointerdown", "pointermove", "pointerup", "click", "dblclick"];

/** The handles of one map. */
export class ShapeHandles {
  readonly #map: MapLibreMap;
  readonly #onShape: (shape: Shape) => void;
  #markers: ReadonlyArray<Marker> = [];
  #handles: ReadonlyArray<Handle> = [];
  #shape: Shape | undefined;
  #isDragged = false;

  constructor(map: MapLibreMap, onShape: (shape: Shape) => void) {
    this.#map = map;
    this.#onShape = onShape;
    map.on("moveend", () => this.show(this.#shape));
  }

  /** Shows the handles of a shape; none without one. */
  show(shape: Shape | undefined): void {
    this.#shape = shape;
    const handles = shape === undefined ? [] : this.#inView(handlesOf(shape));
    const isSame = handles.length === this.#markers.length;
    // The handle that is dragged keeps the pointer: the others are made again after it.
    if (this.#isDragged && !isSame) return;
    this.#handles = handles;
    if (!isSame) {
      for (const marker of this.#markers) marker.remove();
      this.#markers = handles.map((_, index) => this.#makeMarker(index));
    }
    handles.forEach(({ at: [lng, lat], isMiddle = false, name }, index) => {
      const marker = this.#markers[index];
      const element = marker?.getElement();
      if (element?.classList.contains("map-handle") === true) {
        element.setAttribute("aria-label", name);
        element.classList.toggle("is-middle", isMiddle);
        // The fields have all corners: the keyboard does not stop at what is none yet.
        element.tabIndex = isMiddle ? -1 : 0;
      }
      marker?.setLngLat([lng, lat]).addTo(this.#map);
    });
  }

  #inView(handles: ReadonlyArray<Handle>): ReadonlyArray<Handle> {
    if (handles.length <= maxHandles) return handles;
    const view = this.#map.getBounds();
    const seen = handles.filter(({ at: [lng, lat] }) => view.contains([lng, lat]));
    return seen.length <= maxHandles ? seen : [];
  }

  #makeMarker(index: number): Marker {
    const element = document.createElement("button");
    element.type = "button";
    element.className = "map-handle";
    for (const name of ownEvents) element.addEventListener(name, (event) => event.stopPropagation());
    element.addEventListener("pointerdown", (event) => this.#drag(index, element, event));
    element.addEventListener("keydown", (event) => this.#press(index, event));
    return new Marker({ element }).setLngLat([0, 0]);
  }

  #drag(index: number, element: HTMLElement, { pointerId }: PointerEvent): void {
    const handle = this.#handles[index];
    if (handle === undefined) return;
    const move = ({ clientX, clientY }: PointerEvent): void => {
      const { left, top } = this.#map.getCanvas().getBoundingClientRect();
      const { lat, lng } = this.#map.unproject([clientX - left, clientY - top]).wrap();
      this.#isDragged = true;
      this.#markers[index]?.setLngLat([lng, lat]);
      this.#onShape(handle.moved([lng, lat]));
    };
    const end = (): void => {
      element.removeEventListener("pointermove", move);
      this.#isDragged = false;
      this.show(this.#shape);
    };
    element.setPointerCapture(pointerId);
    element.addEventListener("pointermove", move);
    element.addEventListener("lostpointercapture", end, { once: true });
  }

  #press(index: number, event: KeyboardEvent): void {
    const handle = this.#handles[index];
    const arrow = arrows[event.key];
    if (handle === undefined) return;
    if (arrow !== undefined) {
      const { x, y } = this.#map.project([...handle.at]);
      const { lat, lng } = this.#map.unproject([x + arrow[0], y + arrow[1]]).wrap();
      this.#onShape(handle.moved([lng, lat]));
    } else if ((event.key === "Delete" || event.key === "Backspace") && handle.removed !== undefined) {
      this.#onShape(handle.removed());
      requestAnimationFrame(() => this.#markers[index]?.getElement().focus());
    } else return;
    // The map would move with the arrow keys.
    event.preventDefault();
    event.stopPropagation();
  }
}

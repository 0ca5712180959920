/** The fields of a shape: those of a circle, or the corners of a polygon. */
import { formatNumber } from "../parts/DisplayFormats.ts";
import { TextField } from "../parts/form/Fields.tsx";
import type { BoundField } from "../parts/form/BoundField.ts";
import { areaOf } from "../parts/map/Shapes.ts";
import { type DrawnShape, drawnShape, positionFields } from "./DrawnLocation.ts";

/** Larger areas are hardly meant: devices would be greeted in a whole region. In square kilometres. */
const largeArea = 500;

const hints = {
  circle: "Drag the centre or the edge on the map, or move them by the arrow keys.",
  polygon: "Drag the corners on the map, or move them by the arrow keys. Delete removes a corner.",
};

/** How the shape is changed on the map. */
export const ShapeHint = ({
  isDrawn,
  isExisting = false,
  shape,
}: {
  readonly shape: "circle" | "polygon";
  readonly isDrawn: boolean;
  readonly isExisting?: boolean;
}) => (
  <p class="hint">
    {shape === "circle" && !isExisting && "A click on the map sets the centre. "}
    {isDrawn
      ? hints[shape]
      : shape === "polygon" &&
        "Click the corners on the map. A click on the first corner, or Enter, closes the polygon."}
  </p>
);

/** The fields. The latitude takes a whole position, too. */
export const ShapeFields = ({
  field,
  set,
  values,
}: {
  readonly field: (key: keyof DrawnShape) => BoundField;
  readonly set: (changes: Partial<DrawnShape>) => void;
  readonly values: DrawnShape;
}) => {
  const shape = drawnShape(values);
  const area = shape === undefined ? 0 : areaOf(shape);
  return (
    <>
      {values.shape === "circle" ? (
        <div class="field-row">
          <TextField
            {...field("latitude")}
            label="Latitude"
            hint="Or both: 52.36, 4.88"
            onValue={(text) => set(positionFields(text, values.latitude))}
          />
          <TextField {...field("longitude")} label="Longitude" hint="In degrees" inputMode="decimal" />
          <TextField {...field("radius")} label="Radius" hint="50 to 1,000 metres" inputMode="decimal" />
        </div>
      ) : (
        <TextField
          {...field("coordinates")}
          label="Coordinates"
          hint="A corner on each line, latitude first, as in 52.3731, 4.8936. A GeoJSON geometry works too."
          rows={8}
        />
      )}
      {area > largeArea && (
        <p class="notice" role="status">
          This area has {formatNumber(Math.round(area))} km², as much as a large city or a region. Check the
          corners if that is not meant.
        </p>
      )}
    </>
  );
};

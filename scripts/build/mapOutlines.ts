/** The outlines of countries for maps, from world-atlas. */

/** An arc as TopoJSON has it: its first point, then the difference of each point from the one before. */
type Arc = ReadonlyArray<readonly [x: number, y: number]>;

interface Country {
  readonly type: "Polygon" | "MultiPolygon";
  readonly id?: string;
  readonly arcs: ReadonlyArray<unknown>;
}

/** A topology of countries in quantized degrees. */
export interface CountryTopology {
  readonly transform: { readonly scale: readonly [number, number] };
  readonly arcs: ReadonlyArray<Arc>;
  readonly objects: { readonly countries: { readonly geometries: ReadonlyArray<Country> } };
}

const antarctica = "010";

/**
 * The arc with ∓360° added to its rest after each jump over 180°: a ring continues beyond 180° instead of
 * across the whole map.
 * @throws Error if the arc does not end on the side where it starts, as the arcs beside it would have to move
 */
const continuous = (arc: Arc, turn: number): Arc => {
  let turns = 0;
  const unwrapped = arc.map(([x, y], index): readonly [number, number] => {
    if (index === 0 || Math.abs(x) <= turn / 2) return [x, y];
    turns -= Math.sign(x);
    return [x - Math.sign(x) * turn, y];
  });
  if (turns !== 0) throw new Error("an arc of a country ends on the other side of 180°");
  return unwrapped;
};

const arcIndexes = (arcs: ReadonlyArray<unknown>): ReadonlyArray<number> =>
  arcs.flat(3).map((index) => (Number(index) < 0 ? ~Number(index) : Number(index)));

/** The countries as a map can draw them, without Antarctica, which Web Mercator cuts off. */
export const mapOutlines = (topology: CountryTopology): object => {
  const geometries = topology.objects.countries.geometries.filter(({ id }) => id !== antarctica);
  const used = new Set(geometries.flatMap(({ arcs }) => arcIndexes(arcs)));
  const turn = Math.round(360 / topology.transform.scale[0]);
  return {
    type: "Topology",
    transform: topology.transform,
    // Indexes stay: an arc that is left out is empty.
    arcs: topology.arcs.map((arc, index) => (used.has(index) ? continuous(arc, turn) : [])),
    objects: {
      countries: {
        type: "GeometryCollection",
        geometries: geometries.map(({ arcs, type }) => ({ type, arcs })),
      },
    },
  };
};

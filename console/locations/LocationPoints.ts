/** All locations as points, and what is known of single ones. */
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { type ApiProblem, send } from "../data/ApiCall.ts";
import { useData } from "../data/Query.ts";
import type { Location } from "../data/Resources.ts";
import type { MapPoint } from "../parts/map/PointLayers.ts";
import type { Point, Shape } from "../parts/map/Shapes.ts";

/** Which locations are shown, by the API's parameters. */
export interface LocationFilter {
  readonly q?: string | undefined;
  readonly group?: string | undefined;
}

/** The locations of a filter. */
export interface LocationPoints {
  /** Undefined before the first answer. */
  readonly points: ReadonlyArray<MapPoint> | undefined;
  readonly problem: ApiProblem | undefined;
  /** The name of one. */
  readonly labelOf: (id: string) => Promise<string | undefined>;
  /** The shapes in a part of the map; of polygons, those that are known. */
  readonly shapesIn: (isInView: (shape: Shape) => boolean) => ReadonlyArray<Shape>;
  /** Changes with the polygons that are known. */
  readonly shapesVersion: unknown;
}

/** Outlines of more locations would only cover each other, and of more polygons take many requests. */
const [maxOutlines, maxPolygons] = [1000, 60];

/** Locations that were read one by one, and those that are being read. */
const details = signal<ReadonlyMap<string, Location>>(new Map());
const reads = new Map<string, Promise<Location>>();

/** Keeps locations that a list has read. */
export const cacheLocations = (locations: ReadonlyArray<Location>): void => {
  const news = locations.filter((each) => details.value.get(each.id)?.updated_at !== each.updated_at);
  if (news.length > 0)
    details.value = new Map([...details.value, ...news.map((each) => [each.id, each] as const)]);
};

const forgetLocations = (): void => {
  reads.clear();
  details.value = new Map();
};

const readLocation = async (id: string): Promise<Location> => {
  const known = details.value.get(id);
  if (known !== undefined) return known;
  const reading = reads.get(id) ?? send(platform.locations.get(id)).then(({ data }) => data);
  reads.set(id, reading);
  try {
    const location = await reading;
    cacheLocations([location]);
    return location;
  } finally {
    reads.delete(id);
  }
};

/** A location that is known already. */
export const knownLocation = (id: string): Location | undefined => details.value.get(id);

/** The locations of a filter, all in one answer, which is sent again only after a change. */
export const useLocationPoints = ({ group, q }: LocationFilter): LocationPoints => {
  const { data, problem } = useData({
    ...platform.locations.points({ q: q || undefined, group: group || undefined }),
    isConditional: true,
  });
  const shapesVersion = details.value;
  const points = useMemo(
    () => data?.data.map(([id, lng, lat, radius]) => ({ id, at: [lng, lat] as Point, radius })),
    [data],
  );
  // A location that was read before a change may have another shape now.
  useEffect(forgetLocations, [data]);
  return useMemo((): LocationPoints => {
    const shapesIn: LocationPoints["shapesIn"] = (isInView) => {
      const circle = (at: Point, radius: number): Shape => ({
        geometry: { type: "Point", coordinates: at },
        radius_meters: radius,
      });
      const seen = (points ?? []).filter(({ at, id }) => {
        const polygon = details.value.get(id)?.geometry;
        return polygon?.type === "Polygon"
          ? isInView({ geometry: polygon, radius_meters: null })
          : isInView(circle(at, 0));
      });
      if (seen.length > maxOutlines) return [];
      const polygons = seen.filter(({ radius }) => radius === null).slice(0, maxPolygons);
      for (const { id } of polygons) if (!reads.has(id)) readLocation(id).catch(() => undefined);
      return seen.flatMap(({ at, id, radius }) =>
        radius === null ? (details.value.get(id) ?? []) : circle(at, radius),
      );
    };
    return {
      points,
      problem,
      shapesIn,
      shapesVersion,
      labelOf: async (id) => (await readLocation(id)).name,
    };
  }, [points, problem, shapesVersion]);
};

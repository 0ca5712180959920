/** The list beside the map, by pages of the API. */
import { useEffect, useRef, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useLast } from "../data/LastData.ts";
import { useData } from "../data/Query.ts";
import type { Location } from "../data/Resources.ts";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { Loading, LoadProblem } from "../parts/PageFrame.tsx";
import { SelectBox, type Selection } from "../parts/list/Selection.tsx";
import { PartPager } from "../parts/PartPager.tsx";
import { changedAddress } from "../routing/Router.ts";
import { type LocationFilter, cacheLocations } from "./LocationPoints.ts";

const listSize = 50;

/** The shape of a location in words. */
export const shapeText = ({ radius_meters: radius }: Location): string =>
  radius === null ? "Polygon" : `Circle, ${formatNumber(radius)} m`;

interface RowProps {
  readonly location: Location;
  readonly isLeft: boolean;
  /** Left out where a person may change no location. */
  readonly selection: Selection<Location> | undefined;
}

const Row = ({ isLeft, location, selection }: RowProps) => {
  const ref = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isLeft) ref.current?.focus();
  }, []);
  return (
    <li>
      {selection && <SelectBox item={location} selection={selection} />}
      <a ref={ref} href={changedAddress({ location: location.id })}>
        <span class="location-name" dir="auto">
          {location.name}
        </span>
        <span class="location-facts">{[shapeText(location), ...location.groups].join(" · ")}</span>
      </a>
    </li>
  );
};

/** The page of the list that a person has gone to, and the cursors of those before it. */
export interface ListPosition {
  readonly part: number;
  readonly cursors: ReadonlyArray<string | undefined>;
}

/** The first page. */
export const firstPart: ListPosition = { part: 0, cursors: [undefined] };

/** Locations in parts of 50. */
export const LocationList = ({
  filter,
  left,
  onPosition,
  position: { cursors, part },
  selection,
  total,
}: Pick<RowProps, "selection"> & {
  readonly filter: LocationFilter;
  readonly position: ListPosition;
  readonly onPosition: (position: ListPosition) => void;
  /** The location whose details were closed, which gets the focus back. */
  readonly left: string;
  readonly total: number;
}) => {
  const [isRead, setRead] = useState(false);
  const page = { limit: listSize, cursor: cursors[part] };
  const { data, problem } = useData(
    platform.locations.list({ q: filter.q || undefined, group: filter.group || undefined, ...page }),
  );
  const shown = useLast(data);
  useEffect(() => {
    if (data === undefined) return;
    cacheLocations(data.data);
    setRead(true);
  }, [data]);
  const next = data?.meta.next_cursor ?? undefined;
  const go = (to: number): void => {
    if (to < part) onPosition({ part: to, cursors });
    else if (next !== undefined) onPosition({ part: to, cursors: [...cursors.slice(0, to), next] });
  };
  if (shown === undefined) return problem === undefined ? <Loading /> : <LoadProblem problem={problem} />;
  return (
    <div class="location-list">
      <ul aria-label="Locations" tabIndex={0}>
        {shown.data.map((each) => (
          <Row key={each.id} location={each} isLeft={!isRead && each.id === left} selection={selection} />
        ))}
      </ul>
      <PartPager part={part} size={listSize} total={total} onPart={go} />
    </div>
  );
};

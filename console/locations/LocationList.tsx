/** The list beside the map, by pages of the API. */
import { useEffect, useRef, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useLast } from "../data/LastData.ts";
import { useData } from "../data/Query.ts";
import type { Location } from "../data/Resources.ts";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { Loading, LoadProblem } from "../parts/PageFrame.tsx";
import { SelectBox, type Selection } from "../parts/list/Selection.tsx";
import { Pager } from "../parts/Pager.tsx";
import { changedAddress, parameter } from "../routing/Router.ts";
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

/** Locations in parts of 50. The address has the cursor. */
export const LocationList = ({
  filter,
  left,
  selection,
  total,
}: Pick<RowProps, "selection"> & {
  readonly filter: LocationFilter;
  /** The location whose details were closed, which gets the focus back. */
  readonly left: string;
  readonly total: number;
}) => {
  const [isRead, setRead] = useState(false);
  const page = { limit: listSize, cursor: parameter("cursor") || undefined };
  const { data, problem } = useData(
    platform.locations.list({ q: filter.q || undefined, group: filter.group || undefined, ...page }),
  );
  const shown = useLast(data);
  useEffect(() => {
    if (data === undefined) return;
    cacheLocations(data.data);
    setRead(true);
  }, [data]);
  if (shown === undefined) return problem === undefined ? <Loading /> : <LoadProblem problem={problem} />;
  return (
    <div class="location-list">
      <ul aria-label="Locations" tabIndex={0}>
        {shown.data.map((each) => (
          <Row key={each.id} location={each} isLeft={!isRead && each.id === left} selection={selection} />
        ))}
      </ul>
      <Pager nextCursor={shown.meta.next_cursor} shown={shown.data.length} total={total} />
    </div>
  );
};

/** The list beside the map. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Location } from "../data/Resources.ts";
import { formatNumber } from "../parts/DisplayFormats.ts";
import { PartPager } from "../parts/PartPager.tsx";
import { changedAddress } from "../routing/Router.ts";

const listSize = 50;

/** The shape of a location in words. */
export const shapeText = ({ radius_meters: radius }: Location): string =>
  radius === null ? "Polygon" : `Circle, ${formatNumber(radius)} m`;

const Row = ({ isChosen, location }: { readonly location: Location; readonly isChosen: boolean }) => {
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) ref.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <li ref={ref}>
      <a
        href={changedAddress({ location: isChosen ? undefined : location.id })}
        aria-current={isChosen || undefined}
      >
        <span class="location-name">{location.name}</span>
        <span class="location-facts">{[shapeText(location), ...location.groups].join(" · ")}</span>
      </a>
    </li>
  );
};

/** Locations in parts of 50. The part with the chosen one is shown. */
export const LocationList = ({
  chosen,
  locations,
}: {
  readonly locations: ReadonlyArray<Location>;
  readonly chosen: string;
}) => {
  const [part, setPart] = useState(0);
  const index = locations.findIndex(({ id }) => id === chosen);
  useEffect(() => {
    if (index !== -1) setPart(Math.floor(index / listSize));
  }, [chosen, index === -1]);
  const last = Math.max(0, Math.ceil(locations.length / listSize) - 1);
  const shown = Math.min(part, last);
  return (
    <div class="location-list">
      <ul aria-label="Locations" tabIndex={0}>
        {locations.slice(shown * listSize, (shown + 1) * listSize).map((each) => (
          <Row key={each.id} location={each} isChosen={each.id === chosen} />
        ))}
      </ul>
      <PartPager part={shown} size={listSize} total={locations.length} onPart={setPart} />
    </div>
  );
};

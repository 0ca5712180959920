/** "Locations": a map and a list side by side. */
import { useMemo } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Location } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { formatCount, formatNumber } from "../parts/DisplayFormats.ts";
import { PointMap } from "../parts/map/PointMap.tsx";
import { centreOf } from "../parts/map/Shapes.ts";
import { isNarrowed, ListFrame } from "../parts/list/ListPage.tsx";
import { Loading } from "../parts/PageFrame.tsx";
import { addressOf, navigate, parameter, setParameters } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { LocationDetails } from "./LocationDetails.tsx";
import { LocationList } from "./LocationList.tsx";
import { type LocationSet, useLocations } from "./LocationReader.ts";

const Actions = () => (
  <div class="actions">
    <Button variant="primary" onPress={() => navigate(addressOf("/locations/import"))}>
      Import
    </Button>
    <Button onPress={() => navigate(addressOf("/locations/draw"))}>Draw</Button>
  </div>
);

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** The groups that a person can choose; the one of the address is among them. */
const useGroupChoices = (): ReadonlyArray<{ readonly value: string; readonly text: string }> => {
  const { data } = useData(platform.locationGroups.list(), { isWhole: true });
  const chosen = parameter("group");
  const groups = (data?.data ?? []).toSorted((a, b) => collator.compare(a.name, b.name));
  const choices = groups.map(({ location_count: count, name }) => ({
    value: name,
    text: `${name} (${formatNumber(count)})`,
  }));
  const isMissing = chosen !== "" && groups.every(({ name }) => name !== chosen);
  return [
    { value: "", text: "All groups" },
    ...(isMissing ? [{ value: chosen, text: chosen }] : []),
    ...choices,
  ];
};

const summaryOf = ({ isCut, isWhole, locations }: LocationSet): string => {
  const count = formatCount(locations.length, "location");
  if (isCut) return `The newest ${count}. Search or choose a group to see others.`;
  return isWhole ? count : `${count} so far…`;
};

/** The location of the address: one of those that are shown, or read by its id. */
const useChosen = (locations: ReadonlyArray<Location>): Location | undefined => {
  const id = parameter("location");
  const known = useMemo(() => locations.find((each) => each.id === id), [locations, id]);
  const { data } = useData(id === "" || known !== undefined ? null : platform.locations.get(id));
  return known ?? data?.data;
};

/** Outlines of more locations would only cover each other. */
const fewOf = (shown: ReadonlyArray<Location>) => (shown.length > 1000 ? [] : shown);

/** The locations of the environment. */
export const LocationListPage = () => {
  const filter = { q: parameter("q"), group: parameter("group") };
  const subject = JSON.stringify(filter);
  const set = useLocations(filter);
  const { isKnown, isWhole, locations, problem } = set;
  const chosen = useChosen(locations);
  const points = useMemo(
    () => locations.map((location) => ({ id: location.id, at: centreOf(location) })),
    [locations],
  );
  return (
    <ListFrame
      title="Locations"
      action={may("locations:write") && <Actions />}
      filters={[
        { name: "q", label: "Search locations" },
        { name: "group", label: "Group", choices: useGroupChoices() },
      ]}
      problem={problem}
      isEmpty={isWhole && locations.length === 0 && !isNarrowed(["q", "group"])}
      isLoading={false}
      empty={[
        "No locations yet",
        "Geo campaigns greet devices that enter or leave your locations. Import a file of them, or draw " +
          "the first one.",
      ]}
    >
      <div class="map-and-list">
        <PointMap
          points={points}
          subject={subject}
          shapesIn={(isInView) => fewOf(locations.filter(isInView))}
          chosen={chosen}
          onPoint={(id) => setParameters({ location: id })}
          labelOf={(id) => locations.find((each) => each.id === id)?.name}
        />
        <div class="list-side">
          <p class="quiet" role="status">
            {isKnown ? summaryOf(set) : ""}
          </p>
          {!isKnown && problem === undefined && <Loading />}
          {isWhole && locations.length === 0 && <p>No location matches these filters.</p>}
          <LocationList key={subject} locations={locations} chosen={parameter("location")} />
        </div>
      </div>
      {chosen !== undefined && <LocationDetails key={chosen.id} location={chosen} />}
    </ListFrame>
  );
};

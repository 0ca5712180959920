/** "Locations": a map, and beside it a list or the chosen location. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useLast } from "../data/LastData.ts";
import { useData } from "../data/Query.ts";
import type { Location } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { formatCount, formatNumber } from "../parts/DisplayFormats.ts";
import { type EditedShape, PointMap } from "../parts/map/PointMap.tsx";
import { isNarrowed, ListFrame } from "../parts/list/ListPage.tsx";
import { addressOf, navigate, parameter, setParameters } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";
import { SelectionBar, useSelection } from "../parts/list/Selection.tsx";
import { LocationBatch } from "./LocationBatch.tsx";
import { LocationDetails } from "./LocationDetails.tsx";
import { LocationList } from "./LocationList.tsx";
import { knownLocation, useLocationPoints } from "./LocationPoints.ts";

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

/** The location of the address. */
const useChosen = (): Location | undefined => {
  const id = parameter("location");
  const { data, problem } = useData(id === "" ? null : platform.locations.get(id));
  return problem?.status === 404 || id === "" ? undefined : (data?.data ?? knownLocation(id));
};

/** The locations of the environment. */
export const LocationListPage = () => {
  const filter = { q: parameter("q"), group: parameter("group") };
  const subject = JSON.stringify(filter);
  const { labelOf, points: read, problem, shapesIn, shapesVersion } = useLocationPoints(filter);
  const points = useLast(read);
  const chosen = useChosen();
  const edited = useSignal<EditedShape | undefined>(undefined);
  const left = useRef("");
  useEffect(() => {
    if (chosen !== undefined) left.current = chosen.id;
  }, [chosen?.id]);
  const none = useMemo(() => [], []);
  const selection = useSelection<Location>();
  return (
    <ListFrame
      title="Locations"
      action={may("locations:write") && <Actions />}
      filters={[
        { name: "q", label: "Search locations" },
        { name: "group", label: "Group", choices: useGroupChoices() },
      ]}
      problem={problem}
      isEmpty={read?.length === 0 && !isNarrowed(["q", "group"])}
      isLoading={false}
      empty={[
        "No locations yet",
        "Geo campaigns greet devices that enter or leave your locations. Import a file of them, or draw " +
          "the first one.",
      ]}
    >
      <div class="map-and-list">
        <PointMap
          points={points ?? none}
          subject={subject}
          shapesIn={shapesIn}
          shapesVersion={shapesVersion}
          chosen={chosen}
          edited={edited.value}
          onPoint={(id) => edited.value === undefined && setParameters({ location: id })}
          labelOf={labelOf}
        />
        <div class="list-side">
          {chosen === undefined ? (
            <>
              <p class="quiet" role="status">
                {points === undefined ? "" : formatCount(points.length, "location")}
              </p>
              {read?.length === 0 && <p>No location matches these filters.</p>}
              <SelectionBar selection={selection}>
                <LocationBatch selection={selection} />
              </SelectionBar>
              <LocationList
                selection={may("locations:write") ? selection : undefined}
                key={subject}
                filter={filter}
                left={left.current}
                total={points?.length ?? 0}
              />
            </>
          ) : (
            <LocationDetails key={chosen.id} location={chosen} onEdited={(next) => (edited.value = next)} />
          )}
        </div>
      </div>
    </ListFrame>
  );
};

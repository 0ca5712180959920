/** Locations, groups and segments that a campaign may have, and the names of those that it has. */
import { useEffect, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { type ApiRequest, send } from "../data/ApiCall.ts";
import { useLast } from "../data/LastData.ts";
import { usePaused } from "../data/Paused.ts";
import { useData } from "../data/Query.ts";
import type { Location, LocationGroup, Page, Segment } from "../data/Resources.ts";
import { formatCount, formatNumber } from "../parts/DisplayFormats.ts";
import type { PickItem } from "../parts/form/PickList.tsx";
import { may } from "../session/SessionState.ts";

/** The most choices that are shown at once. */
const maxShown = 100;
/** Names of chosen items are looked up one by one, up to this number. */
const maxLookups = 60;

/** A list of choices. */
export interface TargetList<Item> {
  readonly search: string;
  readonly onSearch: (text: string) => void;
  /** Undefined before the first data. */
  readonly items: ReadonlyArray<Item> | undefined;
  readonly found: ReadonlyArray<PickItem>;
  /** Whether the search found more. */
  readonly hasMore: boolean;
  readonly known: ReadonlyMap<string, PickItem>;
}

const locationItem = ({ groups, id, name }: Location): PickItem => ({
  id,
  name,
  note: groups.length === 0 ? undefined : groups.join(", "),
});

/** Names that were seen, by id. Chosen locations that are not among the found are looked up. */
const useKnownLocations = (
  found: ReadonlyArray<Location>,
  chosen: ReadonlyArray<string>,
): ReadonlyMap<string, Location> => {
  const [known, setKnown] = useState<ReadonlyMap<string, Location>>(new Map());
  useEffect(() => {
    if (found.some(({ id }) => !known.has(id)))
      setKnown((before) => new Map([...before, ...found.map((each) => [each.id, each] as const)]));
  }, [found]);
  const missing = chosen.filter((id) => !known.has(id)).slice(0, maxLookups);
  useEffect(() => {
    if (missing.length === 0 || !may("locations:read")) return;
    let isGone = false;
    const lookUp = async (): Promise<void> => {
      const read = missing.map((id) => send(platform.locations.get(id)));
      const locations = (await Promise.allSettled(read)).flatMap((result) =>
        result.status === "fulfilled" ? [result.value.data] : [],
      );
      if (!isGone)
        setKnown((before) => new Map([...before, ...locations.map((each) => [each.id, each] as const)]));
    };
    void lookUp();
    return () => void (isGone = true);
  }, [missing.join(" ")]);
  return known;
};

/** Locations by search, and the chosen ones. */
export const useLocations = (chosen: ReadonlyArray<string>): TargetList<Location> => {
  const [search, setSearch] = useState("");
  const wanted = usePaused(search).trim();
  const { data } = useData(
    may("locations:read") ? platform.locations.list({ limit: 50, q: wanted || undefined }) : null,
    {
      millis: Infinity,
    },
  );
  const items = useLast(data?.data);
  const locations = useKnownLocations(items ?? noLocations, chosen);
  const known = new Map([...locations].map(([id, location]) => [id, locationItem(location)]));
  return {
    search,
    onSearch: setSearch,
    items,
    found: (items ?? []).map(locationItem),
    hasMore: typeof data?.meta.next_cursor === "string",
    known,
  };
};
const noLocations: ReadonlyArray<Location> = [];

/** Items of a list that is read whole and searched in the browser. */
const useSmallList = <Item extends { readonly id: string; readonly name: string }>(
  list: ApiRequest<Page<Item>> | null,
  note: (item: Item) => string,
): TargetList<Item> => {
  const [search, setSearch] = useState("");
  const { data } = useData(list, { isWhole: true, millis: Infinity });
  const items = data?.data;
  const all = (items ?? []).map((item): PickItem => ({ id: item.id, name: item.name, note: note(item) }));
  const wanted = search.trim().toLowerCase();
  const found = all.filter(({ name }) => name.toLowerCase().includes(wanted));
  return {
    search,
    onSearch: setSearch,
    items,
    found: found.slice(0, maxShown),
    hasMore: found.length > maxShown,
    known: new Map(all.map((item) => [item.id, item])),
  };
};

/** Location groups. */
export const useLocationGroups = (): TargetList<LocationGroup> =>
  useSmallList(may("locations:read") ? platform.locationGroups.list() : null, ({ location_count: count }) =>
    formatCount(count, "location"),
  );

/** Segments. */
export const useSegments = (): TargetList<Segment> =>
  useSmallList(may("segments:read") ? platform.segments.list() : null, ({ device_count: count }) =>
    count === 1 ? "1 device" : `${formatNumber(count)} devices`,
  );

/** The locations of a geo campaign, on a map and as a list. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { send, sendWhole } from "../data/ApiCall.ts";
import { useData } from "../data/Query.ts";
import type { Campaign, Location, LocationGroup } from "../data/Resources.ts";
import { formatCount } from "../parts/DisplayFormats.ts";
import { Loading } from "../parts/PageFrame.tsx";
import { PointMap } from "../parts/map/PointMap.tsx";
import { centreOf } from "../parts/map/Shapes.ts";
import { may } from "../session/SessionState.ts";

/** The most locations that are read one by one, and of each group. */
const maxSingle = 100;
const maxOfGroup = 500;

const locationsOfGroup = async (group: string): Promise<ReadonlyArray<Location>> =>
  (await sendWhole(platform.locations.list({ group }), maxOfGroup)).data;

const settled = async <Value,>(work: ReadonlyArray<Promise<Value>>): Promise<ReadonlyArray<Value>> =>
  (await Promise.allSettled(work)).flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));

const readLocations = async (
  { targeting }: Campaign,
  groups: ReadonlyArray<LocationGroup>,
): Promise<ReadonlyArray<Location>> => {
  const single = targeting.location_ids
    .slice(0, maxSingle)
    .map(async (id) => (await send(platform.locations.get(id))).data);
  const inGroups = groups.map(({ name }) => locationsOfGroup(name));
  const locations = [...(await settled(single)), ...(await settled(inGroups)).flat()];
  return [...new Map(locations.map((location) => [location.id, location])).values()];
};

/** The groups of a campaign, with their names. */
const useGroups = ({ targeting }: Campaign): ReadonlyArray<LocationGroup> | undefined => {
  const isNeeded = targeting.location_group_ids.length > 0 && may("locations:read");
  const { data } = useData(isNeeded ? platform.locationGroups.list() : null, {
    isWhole: true,
    millis: Infinity,
  });
  const [others, setOthers] = useState<ReadonlyArray<LocationGroup>>([]);
  const listed = data?.data;
  const missing = targeting.location_group_ids.filter((id) => listed?.every((group) => group.id !== id));
  useEffect(() => {
    if (listed === undefined || missing.length === 0) return;
    const reads = missing
      .slice(0, maxSingle)
      .map(async (id) => (await send(platform.locationGroups.get(id))).data);
    void settled(reads).then(setOthers);
  }, [listed === undefined, missing.join(" ")]);
  if (isNeeded && listed === undefined) return undefined;
  const all = [...(listed ?? []), ...others];
  return all.filter(({ id }) => targeting.location_group_ids.includes(id));
};

/** "Locations": the map and its list. */
export const CampaignLocations = ({ campaign }: { readonly campaign: Campaign }) => {
  const groups = useGroups(campaign);
  const [locations, setLocations] = useState<ReadonlyArray<Location> | null>(null);
  const key = JSON.stringify([campaign.targeting, groups?.map(({ id }) => id)]);
  useEffect(() => {
    if (groups === undefined || !may("locations:read")) return;
    let isGone = false;
    const read = async (): Promise<void> => {
      const found = await readLocations(campaign, groups);
      if (!isGone) setLocations(found);
    };
    void read();
    return () => void (isGone = true);
  }, [key]);
  const points = useMemo(
    () => (locations ?? []).map((location) => ({ id: location.id, at: centreOf(location) })),
    [locations],
  );
  const nameOf = (id: string): string | undefined => locations?.find((each) => each.id === id)?.name;
  return (
    <section class="page-section" aria-labelledby="locations">
      <h2 id="locations">Locations</h2>
      {!may("locations:read") && <p class="quiet">Your access key may not see locations.</p>}
      {may("locations:read") && locations === null && <Loading />}
      {locations !== null && (
        <div class="map-beside">
          <PointMap points={points} subject={key} labelOf={nameOf} />
          <div class="campaign-locations" tabIndex={0} role="group" aria-label="List of locations">
            <p class="quiet">
              {formatCount(locations.length, "location")}
              {groups !== undefined &&
                groups.length > 0 &&
                `, of groups ${groups.map(({ name }) => name).join(", ")}`}
            </p>
            {groups?.some(({ location_count: count }) => count > maxOfGroup) === true && (
              <p class="quiet">Of each group the first {maxOfGroup} are shown.</p>
            )}
            <ul class="lines">
              {locations.map(({ address, id, name }) => (
                <li key={id}>
                  {name} {address !== null && <span class="quiet">{address}</span>}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
    </section>
  );
};

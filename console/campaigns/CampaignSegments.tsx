/** Whom a push campaign is for. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Campaign } from "../data/Resources.ts";
import { formatCount } from "../parts/DisplayFormats.ts";
import { may } from "../session/SessionState.ts";

/** "Audience": the segments, or everyone. */
export const CampaignSegments = ({ campaign }: { readonly campaign: Campaign }) => {
  const { segment_match: match, segmentation_ids: ids } = campaign.targeting;
  const { data } = useData(ids.length > 0 && may("segments:read") ? platform.segments.list() : null, {
    isWhole: true,
  });
  const known = new Map(data?.data.map((segment) => [segment.id, segment]));
  return (
    <section class="card" aria-labelledby="audience">
      <h2 id="audience">Audience</h2>
      {ids.length === 0 && <p>Every device.</p>}
      {ids.length > 1 && <p>Devices in {match === "all" ? "all" : "any"} of these segments:</p>}
      <ul class="lines">
        {ids.map((id) => {
          const segment = known.get(id);
          return (
            <li key={id}>
              {segment?.name ?? id}{" "}
              {segment !== undefined && (
                <span class="quiet">{formatCount(segment.device_count, "device")}</span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
};

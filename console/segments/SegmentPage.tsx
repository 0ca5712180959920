/** One segment: its rule can be changed, and it can be deleted. */
import { platform } from "../data/Api.ts";
import { refresh, useData } from "../data/Query.ts";
import type { Segment } from "../data/Resources.ts";
import { ConfirmButton } from "../parts/ConfirmButton.tsx";
import { formatCount } from "../parts/DisplayFormats.ts";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { may } from "../session/SessionState.ts";
import type { PageProps } from "../shell/PageProps.ts";
import { ruleText } from "./RuleModel.ts";
import { SegmentForm } from "./SegmentForm.tsx";

const Delete = ({ segment: { id, name } }: { readonly segment: Segment }) => (
  <ConfirmButton
    title={`Delete “${name}”?`}
    action="Delete"
    request={platform.segments.delete(id)}
    done={`The segment “${name}” is deleted.`}
    leadsTo="/segments"
  >
    <p>Campaigns that name it keep their other segments. Its devices are not changed.</p>
  </ConfirmButton>
);

/** One segment. */
export const SegmentPage = ({ ids }: PageProps) => {
  const id = ids["segment"] ?? "";
  const { data, problem } = useData(platform.segments.get(id));
  const segment = data?.data;
  const isWritable = may("segments:write");
  return (
    <PageFrame
      title={segment?.name ?? "Segment"}
      lead={segment && formatCount(segment.device_count, "registered device")}
      actions={isWritable && segment !== undefined && <Delete segment={segment} />}
    >
      <LoadProblem problem={problem} />
      {segment === undefined && problem === undefined && <Loading />}
      {segment !== undefined && !isWritable && <p class="card">{ruleText(segment.rule)}</p>}
      {segment !== undefined && isWritable && (
        <SegmentForm
          stored={segment}
          onSaved={async () => {
            await refresh();
            showToast("The segment is saved.");
          }}
        />
      )}
    </PageFrame>
  );
};

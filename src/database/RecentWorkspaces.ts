/** How long a workspace counts as one that uses this process after its last request, in milliseconds. */
const recentMillis = 1_000;

interface LastRequest {
  readonly workspaceId: number;
  readonly at: number;
}

const none: LastRequest = { workspaceId: -1, at: -Infinity };
/** The last request of all, and the last one of any other workspace. */
let [last, before] = [none, none];

/** Notes that a workspace has sent a request to this process. */
export const noteRequest = (workspaceId: number): void => {
  if (workspaceId !== last.workspaceId) before = last;
  last = { workspaceId, at: performance.now() };
};

/** Whether another workspace than this one has sent a request within the last second. */
export const hasNeighbours = (workspaceId: number): boolean => {
  const other = last.workspaceId === workspaceId ? before : last;
  return performance.now() - other.at < recentMillis;
};

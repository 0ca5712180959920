import type { Send } from "../data/Resources.ts";
import { Badge, type Tone } from "../parts/Badge.tsx";

const shown: Readonly<Record<Send["status"], readonly [text: string, tone: Tone]>> = {
  scheduled: ["Scheduled", "waiting"],
  running: ["Running", "good"],
  done: ["Done", "good"],
  skipped: ["Skipped", "quiet"],
  missed: ["Missed", "bad"],
  cancelled: ["Cancelled", "quiet"],
};

/** The status of a send. */
export const SendBadge = ({ status }: { readonly status: Send["status"] }) => {
  const [text, tone] = shown[status];
  return <Badge text={text} tone={tone} />;
};

/** The content of a send: the notification, or that it was deleted. */
export const sendName = ({ notification_name: name }: Send): string => name ?? "Deleted notification";

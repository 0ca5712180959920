/** The approval of a test device. */
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Device } from "../data/Resources.ts";
import { ActionButton } from "../parts/ActionButton.tsx";
import { Badge } from "../parts/Badge.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { environment } from "../session/Scope.ts";
import { may } from "../session/SessionState.ts";

/** Whether a device is an approved test device, in words. In Production few are, and others need it not. */
export const ApprovalBadge = ({ approved }: Pick<Device, "approved">) => {
  if (approved) return <Badge text="Test device" tone="good" />;
  return environment.value === "sandbox" ? (
    <Badge text="No test device" tone="waiting" />
  ) : (
    <span class="quiet">no</span>
  );
};

/** "Approve as test device", or the way back. */
export const ApprovalButton = ({
  canWithdraw = false,
  device: { approved, id },
}: {
  readonly device: Device;
  readonly canWithdraw?: boolean;
}) => {
  if (!may("devices:write") || (approved && !canWithdraw)) return null;
  const change = async (): Promise<void> => {
    await send(platform.devices.approve(id, { approved: !approved }));
    await refresh();
    showToast(approved ? "The approval is withdrawn." : "The device is an approved test device.");
  };
  return (
    <ActionButton onPress={change}>{approved ? "Withdraw approval" : "Approve as test device"}</ActionButton>
  );
};

/** Production of a workspace whose full platform API is off: its meaning, and the switch. */
import { useState } from "preact/hooks";
import { operator } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { ConfirmDialog } from "../parts/Dialog.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { environment, workspace } from "../session/Scope.ts";
import { loadWorkspaces } from "../session/SignIn.ts";
import { isOperator } from "../session/SessionState.ts";

/** The notice, for the operator, who can turn the API on. */
export const ProductionAccess = () => {
  const [isAsking, setAsking] = useState(false);
  const shown = workspace.value;
  if (!isOperator() || environment.value !== "production" || shown?.platform_api_enabled !== false)
    return null;
  return (
    <CardSection
      title="Only you can work in Production yet"
      actions={
        <Button variant="primary" onPress={() => setAsking(true)}>
          Turn on the full platform API
        </Button>
      }
    >
      <p>
        As the operator you can do everything here, and what you publish is sent. Programs and people with a
        token of Production can only read reports until the full platform API is on.
      </p>
      {isAsking && (
        <ConfirmDialog
          title={`Turn on the full platform API of “${shown.name}”?`}
          action="Turn on"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await send(operator.workspaces.update(shown.id, { platform_api_enabled: true }));
            showToast("The full platform API is on.");
            await Promise.all([loadWorkspaces(), refresh()]);
          }}
        >
          <p>
            Tokens of Production can then do what their abilities allow, such as publish campaigns that reach
            everyone. It can be turned off in Settings at any time.
          </p>
        </ConfirmDialog>
      )}
    </CardSection>
  );
};

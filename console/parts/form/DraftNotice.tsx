/** Says that a form begins with what was typed earlier. */
import { useState } from "preact/hooks";
import { Button } from "../Button.tsx";

/** Shown while a form holds a kept draft, with the way back to the values before it. */
export const DraftNotice = ({
  isChanged,
  onDiscard,
}: {
  readonly isChanged: boolean;
  readonly onDiscard: () => void;
}) => {
  const [wasKept] = useState(isChanged);
  if (!wasKept || !isChanged) return null;
  return (
    <div class="notice draft-notice" role="status">
      <p>What you typed earlier is here again. It is not saved yet.</p>
      <Button onPress={onDiscard}>Discard it</Button>
    </div>
  );
};

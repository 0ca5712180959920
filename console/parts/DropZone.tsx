/** Files by drop or choice: the area takes dropped files, its button opens the choice. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "./Button.tsx";

interface DropZoneProps {
  /** The text of the button. */
  readonly action: string;
  readonly children: ComponentChildren;
  /** The types and endings that the choice offers. */
  readonly accept: string;
  readonly isMultiple?: boolean;
  /** Whether it is the main action of its page. */
  readonly isMain?: boolean;
  readonly onFiles: (files: ReadonlyArray<File>) => void;
}

/** An area for files. What it says is beside the button. */
export const DropZone = ({
  accept,
  action,
  children,
  isMain = true,
  isMultiple = false,
  onFiles,
}: DropZoneProps) => {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined): void => {
    const chosen = [...(files ?? [])];
    if (chosen.length > 0) onFiles(isMultiple ? chosen : chosen.slice(0, 1));
  };
  return (
    <div
      class={isOver ? "drop-zone is-over" : "drop-zone"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <Button variant={isMain ? "primary" : "secondary"} onPress={() => input.current?.click()}>
        {action}
      </Button>
      {/* The button has the name and the focus. */}
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        multiple={isMultiple}
        onChange={(event) => {
          take(event.currentTarget.files);
          event.currentTarget.value = "";
        }}
      />
      <div>{children}</div>
    </div>
  );
};

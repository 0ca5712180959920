/** A map on which locations are picked by a click. It is loaded when somebody asks for it. */
import { useMemo, useState } from "preact/hooks";
import { useLocationPoints } from "../locations/LocationPoints.ts";
import { Button } from "../parts/Button.tsx";
import { PointMap } from "../parts/map/PointMap.tsx";

interface PickProps {
  readonly chosen: ReadonlyArray<string>;
  readonly onChosen: (ids: ReadonlyArray<string>) => void;
}

const OpenMap = ({ chosen, onChosen }: PickProps) => {
  const { points = [], problem: _, ...known } = useLocationPoints({});
  const marks = useMemo(() => {
    const picked = new Set(chosen);
    return points.map(({ at, id }) => ({ id, at, isOpen: !picked.has(id) }));
  }, [points, chosen]);
  const toggle = (id: string): void =>
    onChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  return <PointMap {...known} points={marks} subject="all" onPoint={toggle} />;
};

/** The button, and the map of all locations below it. */
export const PickMap = (picks: PickProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="pick-map">
      <Button isPressed={isOpen} onPress={() => setOpen(!isOpen)}>
        Pick on the map
      </Button>
      {isOpen && (
        <>
          <p class="hint">Press a mark to choose or drop its location. Filled marks are chosen.</p>
          <OpenMap {...picks} />
        </>
      )}
    </div>
  );
};

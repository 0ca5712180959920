/** The search of a map: a town by its name, or a position such as "52.36, 4.88". */
import type { Map as MapLibreMap, Marker } from "maplibre-gl";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { formatPosition, type Point, readPosition } from "./Shapes.ts";
import { loadTowns } from "./TownLoader.ts";
import { findTowns, type Town, townText } from "./Towns.ts";

interface Found {
  readonly text: string;
  readonly at: Point;
  readonly zoom: number;
}

const maxFound = 6;

const search = (towns: ReadonlyArray<Town>, text: string): ReadonlyArray<Found> => {
  const at = readPosition(text);
  if (at !== undefined) return [{ text: formatPosition(at), at, zoom: 15 }];
  return findTowns(towns, text, maxFound).map((town) => ({ text: townText(town), at: town.at, zoom: 12 }));
};

/** The search. What is chosen is marked, and the map moves there. */
export const TownSearch = ({ map }: { readonly map: MapLibreMap }) => {
  const id = useId();
  const [towns, setTowns] = useState<ReadonlyArray<Town>>([]);
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const marker = useRef<Marker | undefined>(undefined);
  useEffect(() => {
    loadTowns().then(setTowns, () => undefined);
  }, []);

  const found = isOpen ? search(towns, text) : [];
  const nothing = isOpen && text.trim() !== "" && found.length === 0;

  const choose = async ({ at: [lng, lat], text: name, zoom }: Found): Promise<void> => {
    setText(name);
    setOpen(false);
    map.jumpTo({ center: [lng, lat], zoom });
    const maps = await import("maplibre-gl");
    const element = document.createElement("div");
    element.className = "map-found";
    marker.current?.remove();
    marker.current = new maps.Marker({ element }).setLngLat([lng, lat]).addTo(map);
  };
  const press = (event: KeyboardEvent): void => {
    const chosen = found[active];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") setOpen(false);
    // Enter does not submit a form around the map either.
    else if (event.key === "Enter") void (chosen !== undefined && choose(chosen));
    else if (step !== undefined && found.length > 0) setActive((active + step + found.length) % found.length);
    else return;
    event.preventDefault();
  };

  return (
    <div class="map-search">
      <input
        type="text"
        role="combobox"
        aria-label="Find a town or a position"
        placeholder="Find a town, or 52.36, 4.88"
        autoComplete="off"
        spellcheck={false}
        aria-expanded={found.length > 0}
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
          setOpen(true);
        }}
        onKeyDown={press}
        onBlur={() => setOpen(false)}
      />
      <ul id={`${id}-list`} role="listbox" aria-label="Towns" hidden={found.length === 0}>
        {found.map((each, index) => (
          <li
            key={`${each.text} ${each.at.join(" ")}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => void choose(each)}
          >
            {each.text}
          </li>
        ))}
      </ul>
      <p role="status" class={nothing ? "map-search-none" : "unseen"}>
        {nothing ? "No town of this name has 5,000 people or more." : ""}
      </p>
    </div>
  );
};

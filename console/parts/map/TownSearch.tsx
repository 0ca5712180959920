/** The search of a map: a town by its name, or a position such as "52.36, 4.88". */
import type { Map as MapLibreMap, Marker } from "maplibre-gl";
import { useEffect, useRef, useState } from "preact/hooks";
import { Combobox, type Option } from "../Combobox.tsx";
import { formatPosition, type Point, readPosition } from "./Shapes.ts";
import { loadTowns } from "./TownLoader.ts";
import { findTowns, type Town, townText } from "./Towns.ts";

interface Found extends Option {
  readonly at: Point;
  readonly zoom: number;
}

const maxFound = 6;

const foundOf = (text: string, at: Point, zoom: number): Found => ({
  key: `${text} ${at.join()}`,
  text,
  at,
  zoom,
});

const search = (towns: ReadonlyArray<Town>, text: string): ReadonlyArray<Found> => {
  const at = readPosition(text);
  if (at !== undefined) return [foundOf(formatPosition(at), at, 15)];
  return findTowns(towns, text, maxFound).map((town) => foundOf(townText(town), town.at, 12));
};

/** The search. The chosen location is marked, and the map moves there. */
export const TownSearch = ({ map }: { readonly map: MapLibreMap }) => {
  const [towns, setTowns] = useState<ReadonlyArray<Town>>([]);
  const [text, setText] = useState("");
  const marker = useRef<Marker | undefined>(undefined);
  useEffect(() => {
    loadTowns().then(setTowns, () => undefined);
  }, []);
  const choose = async ({ at: [lng, lat], text: name, zoom }: Found): Promise<void> => {
    setText(name);
    map.jumpTo({ center: [lng, lat], zoom });
    const maps = await import("maplibre-gl");
    const element = document.createElement("div");
    element.className = "map-found";
    marker.current?.remove();
    marker.current = new maps.Marker({ element }).setLngLat([lng, lat]).addTo(map);
  };
  return (
    <div class="map-search">
      <Combobox
        label="Find a town or a position"
        placeholder="Find a town, or 52.36, 4.88"
        text={text}
        onText={setText}
        options={search(towns, text)}
        onChoose={(found) => void choose(found)}
        none="No town of this name has 5,000 people or more."
      />
    </div>
  );
};

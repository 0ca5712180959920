/** The ground of maps: country outlines that come along, or the style of WAYPOST_MAP_STYLE_URL. */
import type { StyleSpecification } from "maplibre-gl";
import { feature, mesh } from "topojson-client";

type Layer = StyleSpecification["layers"][number];

/** The configured style; an empty text for country outlines. */
const styleUrl = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="waypost-map-style"]')?.content ?? "";

/** A colour of the page's theme, as the map needs it. */
export const colour = (name: string): string => {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
};

const outlines = async (): Promise<StyleSpecification> => {
  const response = await fetch(COUNTRIES_URL);
  if (!response.ok) throw new Error("The outlines of countries could not be loaded.");
  const topology = (await response.json()) as Parameters<typeof feature>[0];
  const { countries } = topology.objects;
  if (countries?.type !== "GeometryCollection") throw new Error("The outlines of countries are damaged.");
  // Lines between countries alone: coasts are where the colour of the land ends.
  const borders = mesh(topology, countries as Parameters<typeof mesh>[1], (a, b) => a !== b);
  return {
    version: 8,
    sources: {
      countries: { type: "geojson", data: feature(topology, countries) },
      borders: { type: "geojson", data: borders },
    },
    layers: [
      { id: "water", type: "background", paint: { "background-color": colour("--map-water") } },
      { id: "land", type: "fill", source: "countries", paint: { "fill-color": colour("--map-land") } },
      { id: "borders", type: "line", source: "borders", paint: { "line-color": colour("--map-border") } },
    ],
  };
};

/** Layers of vector tiles by the names that Protomaps and OpenMapTiles give them. */
const streetLayers = (source: string): StyleSpecification["layers"] => {
  const [water, border, line] = [colour("--map-water"), colour("--map-border"), colour("--map-road")];
  const fill = (id: string, paint: string): Layer => ({
    id,
    type: "fill",
    source,
    "source-layer": id,
    paint: { "fill-color": paint },
  });
  const road = (id: string): Layer => ({
    id,
    type: "line",
    source,
    "source-layer": id,
    paint: { "line-color": line, "line-width": ["interpolate", ["linear"], ["zoom"], 6, 0.5, 16, 4] },
  });
  return [
    { id: "ground", type: "background", paint: { "background-color": colour("--map-land") } },
    fill("water", water),
    fill("buildings", border),
    fill("building", border),
    road("roads"),
    road("transportation"),
    { id: "boundaries", type: "line", source, "source-layer": "boundaries", paint: { "line-color": border } },
  ];
};

/** An archive of tiles: pictures are shown as they are, vectors in the colours of the page. */
const archive = async (url: string): Promise<StyleSpecification> => {
  const [{ addProtocol }, { PMTiles, Protocol, TileType }] = await Promise.all([
    import("maplibre-gl"),
    import("pmtiles"),
  ]);
  const protocol = new Protocol();
  const tiles = new PMTiles(url.replace(/^pmtiles:\/\//, ""));
  protocol.add(tiles);
  addProtocol("pmtiles", protocol.tile);
  const { tileType } = await tiles.getHeader();
  const isVector = tileType === TileType.Mvt;
  return {
    version: 8,
    sources: { tiles: isVector ? { type: "vector", url } : { type: "raster", url, tileSize: 256 } },
    layers: isVector ? streetLayers("tiles") : [{ id: "tiles", type: "raster", source: "tiles" }],
  };
};

/** The style of the ground, in the theme of the page. */
export const mapGround = async (): Promise<StyleSpecification | string> => {
  const url = styleUrl();
  if (url === "") return outlines();
  return url.startsWith("pmtiles://") ? archive(url) : url;
};

/** The towns that maps name and search. */
import type { Point } from "./Shapes.ts";

/** A town of at least 5,000 people. */
export interface Town {
  readonly name: string;
  /** The code of a country, as in ISO 3166. */
  readonly country: string;
  /** The code of a state, such as "MO"; empty if people there have none. */
  readonly region: string;
  readonly at: Point;
  /** Grows with the number of people: by two where that is twice as large. */
  readonly size: number;
}

/** The columns of the file, as `scripts/build/mapTowns.ts` writes them. */
export interface TownFile {
  readonly names: string;
  readonly countries: string;
  readonly regions: string;
  readonly latitudes: ReadonlyArray<number>;
  readonly longitudes: ReadonlyArray<number>;
  readonly sizes: ReadonlyArray<number>;
}

/** The towns of a file. */
export const townsOf = (file: TownFile): ReadonlyArray<Town> => {
  const regions = file.regions.split(",");
  const countries = file.countries
    .split(",")
    .flatMap((run) => Array.from({ length: Number(run.slice(2)) }, () => run.slice(0, 2)));
  let [longitude, latitude] = [0, 0];
  return file.names.split("\n").map((name, index) => {
    longitude += file.longitudes[index] ?? 0;
    latitude += file.latitudes[index] ?? 0;
    return {
      name,
      country: countries[index] ?? "",
      region: regions[index] ?? "",
      at: [longitude / 100, latitude / 100],
      size: file.sizes[index] ?? 0,
    };
  });
};

const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  ø: "o",
  ł: "l",
  đ: "d",
  æ: "ae",
  œ: "oe",
  ı: "i",
};

/** A text as people type it: small letters without accents. */
const folded = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[ßøłđæœı]/g, (letter) => letters[letter] ?? letter)
    .replaceAll(/['’`-]/g, " ");

const foldedNames = new WeakMap<ReadonlyArray<Town>, ReadonlyArray<string>>();

const namesOf = (towns: ReadonlyArray<Town>): ReadonlyArray<string> => {
  const names = foldedNames.get(towns) ?? towns.map(({ name }) => folded(name));
  foldedNames.set(towns, names);
  return names;
};

const countryNames = new Intl.DisplayNames("en", { type: "region" });

/** A town with its state and country: "Springfield, MO, United States". */
export const townText = ({ country, name, region }: Town): string =>
  [name, region, countryNames.of(country) ?? country].filter((part) => part !== "").join(", ");

/** Whether all words are the beginnings of the state or the country of a town. */
const isWithin = ({ country, region }: Town, words: ReadonlyArray<string>): boolean => {
  const parts = [region, country, ...(countryNames.of(country) ?? "").split(" ")].map(folded);
  return words.every((word) => parts.some((part) => part.startsWith(word)));
};

/** The towns whose name begins with a text, the same name first, then the largest. "Paris, US" works too. */
export const findTowns = (towns: ReadonlyArray<Town>, text: string, limit: number): ReadonlyArray<Town> => {
  const [name = "", ...rest] = folded(text).split(",");
  const [wanted, words] = [name.trim(), rest.join(" ").split(/\s+/).filter(Boolean)];
  if (wanted === "") return [];
  const found: Array<readonly [town: Town, rank: number]> = [];
  namesOf(towns).forEach((each, index) => {
    const town = towns[index];
    const isFound = each.startsWith(wanted) || each.includes(` ${wanted}`);
    if (town === undefined || !isFound || !isWithin(town, words)) return;
    const bonus = each === wanted ? 14 : each.startsWith(wanted) ? 6 : 0;
    found.push([town, town.size + bonus]);
  });
  return found
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, limit)
    .map(([town]) => town);
};

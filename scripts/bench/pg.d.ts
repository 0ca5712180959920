declare module "pg" {
  interface Pool<Row> {
    query(query: {
      readonly name: string;
      readonly text: string;
      readonly values: ReadonlyArray<unknown>;
    }): Promise<{ readonly rows: ReadonlyArray<Row> }>;
  }
  const pg: {
    readonly Pool: new <Row>(options: {
      readonly host: string | undefined;
      readonly user: string | undefined;
      readonly database: string | undefined;
      readonly max: number;
    }) => Pool<Row>;
  };
  export default pg;
}

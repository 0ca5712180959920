/** The little of DuckDB that the bench uses, so that types hold where it is not installed. */
declare module "@duckdb/node-api" {
  interface DuckDBConnection {
    run(text: string): Promise<unknown>;
    runAndReadAll(text: string): Promise<{ getRowObjectsJson(): ReadonlyArray<Record<string, unknown>> }>;
    closeSync(): void;
  }
  interface DuckDBInstance {
    connect(): Promise<DuckDBConnection>;
    closeSync(): void;
  }
  export const DuckDBInstance: {
    create(path: string, options: Readonly<Record<string, string>>): Promise<DuckDBInstance>;
  };
}

import type { Loaded } from "../../data/Query.ts";
import type { Page } from "../../data/Resources.ts";
import { DataTable, type DataTableProps } from "../DataTable.tsx";
import { LoadProblem, Loading } from "../PageFrame.tsx";

/** The table of a list within a page, with what is wrong with its data. */
export const LoadedTable = <Item,>({
  list: { data, problem },
  ...table
}: Omit<DataTableProps<Item>, "rows"> & { readonly list: Loaded<Page<Item>> }) => (
  <>
    <LoadProblem problem={problem} />
    {data === undefined && problem === undefined && <Loading />}
    {data !== undefined && <DataTable {...table} rows={data.data} />}
  </>
);

/** Reports as files: CSV as the API gives it, and the charts as a picture. */
import { type ApiRequest, fetchResponse, withParameters } from "../data/ApiCall.ts";
import { chartsPng } from "../parts/chart/ChartImage.ts";
import { saveFile } from "../parts/Download.ts";

const nameOf = (disposition: string | null): string =>
  /filename="([^"]+)"/.exec(disposition ?? "")?.[1] ?? "report.csv";

/** Keeps the heading and the rows that begin with an id. A cell may have line breaks of its own. */
const onlyRow = (text: string, id: string): string => {
  const [heading = "", ...rows] = text.split(/\r\n(?=[0-9a-f]{8}-[0-9a-f]{4}-)/);
  return [heading, ...rows.filter((row) => row.startsWith(id)), ""].join("\r\n");
};

/** Saves a report as CSV under the API's name; with an id only the row that begins with it. */
export const saveCsv = async (report: ApiRequest<unknown>, id: string | null): Promise<void> => {
  const response = await fetchResponse(withParameters(report, { format: "csv" }));
  const blob = await response.blob();
  const name = nameOf(response.headers.get("content-disposition"));
  saveFile(id === null ? blob : new Blob([onlyRow(await blob.text(), id)], { type: blob.type }), name);
};

/** Saves the charts of an element as one picture, below a heading. */
export const savePng = async (element: HTMLElement, name: string, heading: string): Promise<void> => {
  const charts = [...element.querySelectorAll<SVGSVGElement>(".chart svg")].map((svg) => {
    const question = svg.closest("section")?.querySelector("h2")?.textContent;
    const caption = svg.closest(".chart")?.querySelector("figcaption strong")?.textContent;
    return { svg, title: question ?? caption ?? "" };
  });
  if (charts.length > 0) saveFile(await chartsPng(heading, charts), name);
};

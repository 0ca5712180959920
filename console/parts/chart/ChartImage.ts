/** Charts as a PNG file. */

const shownProperties = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "font-family",
  "font-size",
  "font-weight",
  "opacity",
];

/** A drawing and the text above it. */
export interface TitledDrawing {
  readonly title: string;
  readonly svg: SVGSVGElement;
}

const scale = 2;
const padding = 24;
const titleHeight = 32;
const gap = 32;

/** Copies the computed styles of the page into a copy of the drawing, which has no style sheet. */
const withStyles = (svg: SVGSVGElement): SVGSVGElement => {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = svg.querySelectorAll("*");
  for (const [index, element] of copy.querySelectorAll("*").entries()) {
    const original = originals[index];
    if (original === undefined) continue;
    const style = getComputedStyle(original);
    for (const property of shownProperties) element.setAttribute(property, style.getPropertyValue(property));
  }
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return copy;
};

const imageOf = async (svg: SVGSVGElement): Promise<HTMLImageElement> => {
  const text = new XMLSerializer().serializeToString(withStyles(svg));
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(address);
  }
};

/** Draws charts below a line of text into a PNG with twice their size, in the colours of the page. */
export const chartsPng = async (heading: string, charts: ReadonlyArray<TitledDrawing>): Promise<Blob> => {
  const sized = await Promise.all(
    charts.map(async ({ svg, title }) => {
      const { height, width } = svg.getBoundingClientRect();
      return { title, height, width, image: await imageOf(svg) };
    }),
  );
  const canvas = document.createElement("canvas");
  const height = sized.reduce(
    (sum, chart) => sum + titleHeight + chart.height + gap,
    2 * padding + titleHeight - gap,
  );
  canvas.width = scale * (Math.max(...sized.map(({ width }) => width)) + 2 * padding);
  canvas.height = scale * height;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser draws no pictures.");
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.documentElement);
  context.scale(scale, scale);
  context.fillStyle = backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = color;
  context.font = `600 15px ${fontFamily}`;
  context.fillText(heading, padding, padding + 15);
  let y = padding + titleHeight;
  for (const chart of sized) {
    context.fillText(chart.title, padding, y + 15);
    context.drawImage(chart.image, padding, y + titleHeight, chart.width, chart.height);
    y += titleHeight + chart.height + gap;
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error("The picture is too large.")) : resolve(blob)));
  });
};

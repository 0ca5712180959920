/** A chart as a PNG file. */

const shownProperties = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font", "opacity"];

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

/** Draws a chart into a PNG with twice its size, on the ground of the page. */
export const chartPng = async (svg: SVGSVGElement): Promise<Blob> => {
  const { height, width } = svg.getBoundingClientRect();
  const address = URL.createObjectURL(
    new Blob([new XMLSerializer().serializeToString(withStyles(svg))], { type: "image/svg+xml" }),
  );
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * 2;
    canvas.height = height * 2;
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("This browser draws no pictures.");
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) =>
        blob === null ? reject(new Error("The picture is too large.")) : resolve(blob),
      );
    });
  } finally {
    URL.revokeObjectURL(address);
  }
};

// The part of curl that the documents use, for machines without curl.
import { readFileSync } from "node:fs";

const [headers, form] = [new Headers(), new FormData()];
let [method, body, url, hasForm] = [undefined, undefined, undefined, false];
const parameters = process.argv.slice(2);
while (parameters.length > 0) {
  const flag = parameters.shift();
  if (flag === "-s") continue;
  else if (flag === "-X") method = parameters.shift();
  else if (flag === "-H") headers.append(...parameters.shift().split(/: (.*)/s, 2));
  else if (flag === "-d") body = parameters.shift();
  else if (flag === "--data-binary") body = readFileSync(parameters.shift().slice(1));
  else if (flag === "-F") {
    hasForm = true;
    const [name, value] = parameters.shift().split(/=(.*)/s, 2);
    form.append(name, value.startsWith("@") ? new Blob([readFileSync(value.slice(1))]) : value);
  } else if (flag.startsWith("-")) throw new Error(`This curl has no ${flag}`);
  else url = flag;
}
const sent = hasForm ? form : body;
const response = await fetch(url, {
  method: method ?? (sent === undefined ? "GET" : "POST"),
  headers,
  body: sent,
});
process.stdout.write(await response.text());
process.stderr.write(`${response.status} ${url}\n`);

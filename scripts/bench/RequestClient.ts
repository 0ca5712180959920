/**
 * Sends GET requests from a process of its own: `node RequestClient.ts <url> <token> <connections> <count>`.
 * Prints the rate and the p99 as JSON.
 */
import process from "node:process";
import { getRequest, requestLoad } from "./RequestLoad.ts";

const [url = "", token = "", connections = "1", count = "1"] = process.argv.slice(2);
const request = getRequest(url, { authorization: `Bearer ${token}` });
const loaded = await requestLoad(url, Number(connections), Number(count), () => request, '{"data":');
console.log(JSON.stringify(loaded));

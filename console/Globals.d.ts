/** Addresses of built files, which `scripts/build/consoleFiles.ts` defines. */
declare const MAP_WORKER_URL: string;
declare const MAP_STYLES_URL: string;
declare const COUNTRIES_URL: string;
declare const TOWNS_URL: string;
declare const WORKBOOK_WORKER_URL: string;

declare module "*.css";

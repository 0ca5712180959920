/** Starts the console in the browser. */
import { render } from "preact";
import "./parts/styles/Styles.css";
import { App } from "./shell/App.tsx";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);

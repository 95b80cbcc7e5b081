// The page of one timeline: kbsim run --trace FILE.html.
import {byId} from "./dom.js";
import {makeTimeline} from "./timeline/timeline.js";

const data = JSON.parse(byId("data").textContent);
const timeline = makeTimeline(byId("view"), data, {details: byId("details"), range: byId("range"), found: byId("found"), legend: byId("legend"), status: byId("focused"), filter: byId("lines")});
byId("search").addEventListener("input", event => timeline.search(event.target.value));
byId("search").addEventListener("keydown", event => { if (event.key === "Enter") timeline.next(); });
byId("lines").addEventListener("input", event => timeline.filter(event.target.value));
byId("title").textContent = document.title = data.title;
timeline.draw();
/** For tests and for a reader's console. */
/** @type {any} */ (globalThis).kbsim = {timeline, data};

// The picture of the figures: JSON on stdin, SVG on stdout. Started by `npm run bench`.
import { readFileSync } from "node:fs";
import { parse, View } from "vega";
import { compile } from "vega-lite";
import { difference, median, ratio } from "./figures.mjs";

/** The colours follow the reader's: each name is one in light and one in dark. */
const COLOURS = {
  paper: ["#fffdf9", "#1a1613"],
  ink: ["#28221c", "#ece3d7"],
  soft: ["#695f54", "#ac9f91"],
  line: ["#e4dacb", "#3d352e"],
  ours: ["#a3262f", "#f0a09a"],
  theirs: ["#8f8577", "#8a7f72"],
};
const names = Object.entries(COLOURS);
const themed = (which) => names.map(([name, colours]) => `--${name}:${colours[which]}`).join(";");
const STYLE = `<style>svg{${themed(0)}}@media (prefers-color-scheme:dark){svg{${themed(1)}}}</style>`;
const colour = (name) => `var(--${name})`;

const TITLE = "<title>Ce que coûte une réponse : nos portes, notre cœur et d'autres bibliothèques</title>";

const GROWN = {
  "tools (tools/list)": "Lister N outils",
  "tools (tools/call)": "Appeler un outil parmi N",
  "addresses read": "Relire une adresse, après N lues",
  "passages searched": "Chercher dans N passages",
};

/** @param {string} name of a lane, as it is said in French */
const inFrench = (name) => name.replace("our core", "notre cœur").replace("tools/list", "la liste");

const { groups, growth } = JSON.parse(readFileSync(0, "utf8"));
const echo = groups.find(({ name }) => name === "echo");
const doors = groups.filter((group) => group !== echo);
const [floor, ...lanes] = echo.lanes;

const shares = doors.map(({ lanes: [base, lane], targets }) => ({
  name: inFrench(lane.name),
  value: ratio(lane.samples.rps, base.samples.rps),
  target: targets.rps,
  ours: true,
}));
const compared = (shown, value) =>
  shown.map((lane) => ({ name: inFrench(lane.name), value: value(lane), ours: !lane.rival }));
/** One lane for each Worker: another question changes neither its start nor its size. */
const workers = lanes.filter(({ name }) => !name.includes(","));

/** The names of the lanes, in pixels: the same everywhere, so that the bars stand under one another. */
const NAMES_WIDTH = 235;

/** Bars, one for each name, in the order given. */
function bars(title, values, digits) {
  const axis = { minExtent: NAMES_WIDTH, maxExtent: NAMES_WIDTH };
  const y = { field: "name", type: "nominal", sort: null, title: null, axis };
  const x = { field: "value", type: "quantitative", title: null, axis: { tickCount: 4 } };
  const fill = { condition: { test: "datum.ours", value: colour("ours") }, value: colour("theirs") };
  const said = { field: "value", type: "quantitative", format: `.${digits}f` };
  const layers = [
    { mark: { type: "bar", cornerRadiusEnd: 2 }, encoding: { x, color: fill } },
    { mark: { type: "text", align: "left", dx: 4, color: colour("ink") }, encoding: { x, text: said } },
  ];
  if (values.some(({ target }) => target !== undefined)) {
    const mark = { type: "tick", thickness: 2, color: colour("ink") };
    layers.push({ mark, encoding: { x: { ...x, field: "target" } } });
  }
  return { title, width: 240, height: { step: 20 }, data: { values }, encoding: { y }, layer: layers };
}

const points = growth.map(({ of, size, cost }) => ({ what: GROWN[of], size, cost }));
const grown = {
  title: "Une réponse, en µs, quand N grandit",
  width: 400,
  height: 220,
  data: { values: points },
  mark: { type: "line", point: true },
  encoding: {
    x: {
      field: "size",
      type: "quantitative",
      scale: { type: "log" },
      title: "N",
      axis: { tickCount: 4, format: "~r" },
    },
    y: {
      field: "cost",
      type: "quantitative",
      scale: { type: "log" },
      title: null,
      axis: { tickCount: 5, format: "~r", minExtent: NAMES_WIDTH },
    },
    color: {
      field: "what",
      type: "nominal",
      sort: null,
      scale: { range: [colour("ours"), colour("theirs"), colour("ink"), colour("soft")] },
    },
    strokeDash: { field: "what", type: "nominal", sort: null },
    shape: { field: "what", type: "nominal", sort: null },
  },
};

const spec = {
  $schema: "https://vega.github.io/schema/vega-lite/v6.json",
  background: colour("paper"),
  padding: 16,
  align: "none",
  vconcat: [
    {
      hconcat: [
        bars("Nos portes : débit, part du plancher (trait : la cible)", shares, 2),
        bars(
          "Un même outil : débit, part du plancher",
          compared(lanes, (lane) => ratio(lane.samples.rps, floor.samples.rps)),
          2,
        ),
      ],
    },
    {
      hconcat: [
        bars(
          "Démarrage : ms de plus que le plancher",
          compared(workers, (lane) => difference(lane.samples.start, floor.samples.start)),
          0,
        ),
        bars(
          "Taille compressée, en ko",
          compared(workers, (lane) => median(lane.samples.size)),
          0,
        ),
      ],
    },
    {
      hconcat: [grown],
      resolve: { legend: { color: "independent", strokeDash: "independent", shape: "independent" } },
    },
  ],
  config: {
    font: "system-ui, sans-serif",
    view: { stroke: null },
    title: { anchor: "start", fontSize: 13, color: colour("ink"), offset: 10 },
    axis: {
      labelColor: colour("ink"),
      titleColor: colour("soft"),
      gridColor: colour("line"),
      domainColor: colour("line"),
      tickColor: colour("line"),
      labelLimit: 0,
      labelFontSize: 11,
    },
    legend: { labelColor: colour("ink"), title: null, labelLimit: 0, orient: "right", offset: 24, symbolSize: 120 },
    locale: { number: { decimal: ",", thousands: " ", grouping: [3], currency: ["", " $"] } },
  },
};

const view = new View(parse(compile(spec).spec), { renderer: "none" });
const svg = await view.toSVG();
process.stdout.write(`${svg.replace(/^(<svg[^>]*>)/, (start) => `${start}${TITLE}${STYLE}`)}\n`);

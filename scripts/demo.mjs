// npm run demo: every door on made-up sources, without internet: an evening of hockey faster than life, a day of weather, a
// blog, and the private door with its lock and the 29 tools of a lab.
import { startLab } from "../test/upstream/lab.mjs";
import { FAULTS, startLabSources } from "../test/upstream/labsources.mjs";
import { NIGHT, phasesOf } from "../test/upstream/nhl.mjs";
import { startSources } from "../test/upstream/sources.mjs";
import { USUAL } from "../test/upstream/world.mjs";
import { command, UsageError } from "./command.mjs";
import { startTrial } from "./trial.mjs";
import { checkPort, curl, FLEET, LABO, serve } from "./workerd.mjs";

/**
 * The evening lasts some ten minutes: the door remembers a score for 15 s, which is six minutes of evening. Faster, one
 * would miss a power play; slower, one would not wait for the end.
 */
const SPEED = 25;

const HELP = `npm run demo

Starts every door in workerd, on the ports of \`npm start\`, with made-up sources. Hockey: an evening that lasts some ten
minutes, with a game won in overtime, another in a shootout, one postponed and a team that doesn't play; and the calendar,
the standings, the players and the playoffs around it. Ask again as it goes on; when it is over, the last results stay.
Weather: a Saturday of January, with a snowstorm and its warning, a great cold, rain, a source that is down and places
abroad. Articles: a blog of 36 articles, in French and in English, searched by words. And the private door, on port
${LABO.port}, behind a stand-in for Cloudflare Access that signs real tokens: the page that it prints is a client, to be opened
in a browser. Once signed in, it has a form for each tool, images of cameras included, and a button for each thing that fails:
a host that is down, a task that never starts, a camera whose file lies, a web page that gives orders. What one writes there
stays until Ctrl-C. Needs no internet. Ctrl-C ends it. Exit code 2 when a port is taken.`;

/** One for each tool besides the first, in the words of a person and in those of a model. */
const QUESTIONS = {
  "qui joue ce soir ?": ["soiree_lnh", {}],
  "c'est quand les prochains matchs du Canadien ?": ["calendrier_lnh", { nombre: 3 }],
  "le Canadien est rendu combientième ?": ["classement_lnh", {}],
  "combien de buts a Caufield ?": ["joueur_lnh", { nom: "Caufield" }],
  "qui mène les pointeurs ?": ["meneurs_lnh", {}],
  "où en sont les séries ?": ["series_lnh", {}],
};

/** Worth asking about tonight, besides « c'est quoi le score ? ». */
const TEAMS = {
  Ottawa: "goes to a shootout",
  Toronto: "ends in regulation",
  "les Oilers": "receive Vancouver, an hour later",
  Winnipeg: "is postponed",
  "les Flames": "don't play tonight",
};

/** One for each tool of the weather door. */
const WEATHER = {
  "il fait combien dehors ?": ["meteo_actuelle", {}],
  "quel temps va-t-il faire demain ?": ["meteo_previsions", { quand: "demain" }],
  "va-t-il neiger cet après-midi ?": ["meteo_precipitations", { quand: "cet après-midi" }],
  "y a-tu des alertes ?": ["meteo_alertes", {}],
  "comment est la qualité de l'air ?": ["meteo_air", {}],
  "le soleil se couche à quelle heure ?": ["meteo_soleil", {}],
  "c'est-tu normal pour la saison ?": ["meteo_normales", {}],
};

/** Worth asking about today, in the weather. */
const TOWNS = {
  Saguenay: "is very cold",
  Gaspé: "has rain and a special statement",
  "les Îles-de-la-Madeleine": "have an orange wind warning, at their own hour",
  "Trois-Rivières": "has a page that is down: the model speaks",
  Paris: "is abroad: the model speaks",
};

/** One for each tool of the articles door. */
const BLOG = {
  "dans quel article elle parle de ses onduleurs ?": [
    "articles_chercher",
    { question: "dans quel article elle parle de ses onduleurs ?" },
  ],
  "lis-moi l'article sur le café connecté": ["articles_lire", { article: "le café connecté" }],
  "quoi de neuf sur le blogue ?": ["articles_lister", {}],
};

/** Worth asking the blog too. */
const ARTICLES = {
  "comment la porte du poulailler ouvre le matin ?": "the latest article answers",
  "why did the fans of the rack make so much noise?": "an English article answers",
  "a-t-elle écrit sur l'apiculture ?": "no French article does",
};

const PERIODS = ["", "first period", "second period", "third period", "overtime", "shootout"];

await command(HELP, {}, async (_, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const { nhl, vars } = await startSources({ speed: SPEED });
  const doors = Object.entries(FLEET).map(([name, { port }]) => {
    return { name, port, vars: vars[/** @type {keyof typeof FLEET} */ (name)], brake: true };
  });
  await checkPort(LABO.port);
  const [lab, labSources] = await Promise.all([startLab(), startLabSources()]);
  const labVars = { ...lab.vars, ...labSources.vars };
  const urls = await serve([...doors, { name: LABO.name, port: 0, vars: labVars, brake: true }]);
  const front = await lab.access.startFront(LABO.port, new URL(urls[doors.length]).origin);
  const trial = await startTrial(`${front.url}/mcp`, LABO.question, { examples: USUAL, faults: FAULTS });

  const print = (/** @type {number} */ port, /** @type {string} */ asked, /** @type {object} */ params) =>
    console.log(`  # ${asked}\n  ${curl(port, params)}`);
  const { port, question } = FLEET.hockey;
  console.log(`hockey  ${urls[0]}\n`);
  console.log(`A made-up Saturday evening, ${SPEED} times faster than life. One question for each tool:\n`);
  print(port, "c'est quoi le score ?", question);
  for (const [asked, [name, args]] of Object.entries(QUESTIONS)) print(port, asked, { name, arguments: args });
  console.log("\nOther teams of the evening:\n");
  for (const [equipe, what] of Object.entries(TEAMS))
    print(port, `${equipe} ${what}`, { ...question, arguments: { equipe } });

  const { port: weather, question: now } = FLEET.meteo;
  console.log(`\nmeteo  ${urls[1]}\n`);
  console.log("A made-up Saturday of January, from one in the afternoon. One question for each tool:\n");
  for (const [asked, [name, args]] of Object.entries(WEATHER)) print(weather, asked, { name, arguments: args });
  console.log("\nOther places of the day:\n");
  for (const [lieu, what] of Object.entries(TOWNS)) print(weather, `${lieu} ${what}`, { ...now, arguments: { lieu } });

  const { port: articles } = FLEET.articles;
  console.log(`\narticles  ${urls[2]}\n`);
  console.log("A made-up blog. One question for each tool:\n");
  for (const [asked, [name, args]] of Object.entries(BLOG)) print(articles, asked, { name, arguments: args });
  console.log("\nOther questions to the blog:\n");
  for (const [question, what] of Object.entries(ARTICLES))
    print(articles, `${question} ${what}`, { name: "articles_chercher", arguments: { question } });

  console.log(`\nlabo  ${front.url}/mcp\n`);
  const count = Object.keys(USUAL).length;
  console.log(
    `The private door, with its ${count} tools on a made-up lab: 401 without a token. The whole dance in a browser, from a`,
  );
  console.log("client of its own, then a form for each tool and a button for each thing that fails:\n");
  console.log(`  ${trial.url}/`);
  console.log(`  sign in as ${lab.vars.OWNER_EMAIL}; anyone else is refused\n`);
  console.log("Or from yours:\n");
  console.log(`  claude mcp add --transport http labo ${front.url}/mcp`);

  console.log("\nThe game of the Canadiens, as it goes:\n");
  console.log(`  ${sayHour(nhl.now())}  it is to come`);
  const told = phasesOf("MTL").filter(({ phase }) => phase !== "official");
  for (const { at, phase, period, score } of told) {
    const line = `  ${sayHour(at)}  ${sayPhase(phase, period)}${phase === "warmup" ? "" : `: ${score}`}`;
    setTimeout(() => console.log(line), (at - nhl.now()) / SPEED);
  }
  const end = () => console.log(`  ${sayHour(NIGHT.ends)}  the evening is over; the results stay until Ctrl-C`);
  setTimeout(end, (NIGHT.ends - nhl.now()) / SPEED);
});

/** @param {number} instant */
function sayHour(instant) {
  return new Date(instant).toLocaleTimeString("en-CA", {
    timeZone: "America/Toronto",
    timeStyle: "short",
    hour12: false,
  });
}

/**
 * @param {string} phase
 * @param {number} period
 */
function sayPhase(phase, period) {
  if (phase === "play") return PERIODS[period];
  if (phase === "warmup") return "warm-up";
  if (phase === "drop") return "the puck is dropped";
  return phase === "intermission" ? `intermission after the ${PERIODS[period]}` : phase;
}

// npm run demo: every door on a made-up evening, faster than life, without internet.
import { NIGHT, phasesOf, startNhl } from "../test/upstream/nhl.mjs";
import { command, UsageError } from "./command.mjs";
import { curl, FLEET, serve } from "./workerd.mjs";

/**
 * The evening lasts some ten minutes: the door remembers a score for 15 s, which is six minutes of evening. Faster, one
 * would miss a power play; slower, one would not wait for the end.
 */
const SPEED = 25;

const HELP = `npm run demo

Starts every door in workerd, on the ports of \`npm start\`, with made-up sources: an evening of hockey that lasts some
ten minutes, with a game won in overtime, another in a shootout, one postponed and a team that doesn't play; and the
calendar, the standings, the players and the playoffs around it. Ask again as it goes on; when it is over, the last
results stay. Needs no internet. Ctrl-C ends it. Exit code 2 when a port is taken.`;

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

const PERIODS = ["", "first period", "second period", "third period", "overtime", "shootout"];

await command(HELP, {}, async (_, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const nhl = await startNhl({ speed: SPEED });
  // The door's clock runs at the speed of life: « ce soir à 19 heures » stays true for as long as it is said.
  const vars = { NHL_API: nhl.url, NHL_SEARCH_API: nhl.url, CLOCK: new Date(NIGHT.starts).toISOString() };
  const urls = await serve(Object.entries(FLEET).map(([name, { port }]) => ({ name, port, vars, brake: true })));

  const { port, question } = FLEET.hockey;
  const print = (/** @type {string} */ asked, /** @type {object} */ params) =>
    console.log(`  # ${asked}\n  ${curl(port, params)}`);
  console.log(`hockey  ${urls[0]}\n`);
  console.log(`A made-up Saturday evening, ${SPEED} times faster than life. One question for each tool:\n`);
  print("c'est quoi le score ?", question);
  for (const [asked, [name, args]] of Object.entries(QUESTIONS)) print(asked, { name, arguments: args });
  console.log("\nOther teams of the evening:\n");
  for (const [equipe, what] of Object.entries(TEAMS))
    print(`${equipe} ${what}`, { ...question, arguments: { equipe } });

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

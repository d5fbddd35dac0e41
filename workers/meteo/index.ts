// meteo: « va-t-il pleuvoir cet après-midi ? », answered aloud.
//
// An MCP server in one file, for Cloudflare Workers: copy it, `npm i hono`, and it answers. No key, no state.
//   1. The door        what a model reads before choosing
//   2. The tools       the table of what can be asked
//   3. The sentences   data in, spoken French out
//   4. The data        the only section that knows an address: api.weather.gc.ca, and Open-Meteo where it doesn't reach
//   5. The core        HTTP, JSON-RPC, both protocol eras; the same bytes in every door

// ── 1. The door ──────────────────────────────────────────────────────────────

const SERVER: Server = {
  name: "meteo",
  title: "Météo du Québec",
  version: "1.0.0",
  instructions:
    "La météo du Québec, du Canada et du monde, en phrases prêtes à dire à voix haute. Un seul appel suffit : lis la réponse telle quelle, " +
    "sans liste ni ajout, et ne reformule pas le texte des alertes. Si la personne ne nomme pas d'endroit, n'en devine pas. Une erreur dit quoi faire. " +
    "Source des données : Environnement et Changement climatique Canada, https://eccc-msc.github.io/open-data/licence/readme_fr/. " +
    "« Selon le modèle » : Open-Meteo, CC BY 4.0. Lieux : GeoNames, CC BY 4.0, et Géogratis.",
  page: servePage,
  icons: [{ src: "/icon.png", mimeType: "image/png", sizes: ["48x48"] }],
  about: {
    lead: "Le temps qu'il fait et qu'il fera, la pluie, la neige, les alertes et le soleil, au Québec d'abord, puis partout. Demande comme tu parles : la réponse s'écoute.",
    sources: [
      {
        name: "Environnement et Changement climatique Canada",
        url: "https://eccc-msc.github.io/open-data/readme_fr/",
        gives: "Les observations, les prévisions, les alertes et la qualité de l'air.",
        terms: "Licence d'utilisation finale des serveurs de données",
        termsUrl: "https://eccc-msc.github.io/open-data/licence/readme_fr/",
      },
      {
        name: "Open-Meteo",
        url: "https://open-meteo.com/",
        gives: "La météo d'ailleurs, et d'ici quand la première source est en panne.",
        terms: "CC BY 4.0",
        termsUrl: "https://creativecommons.org/licenses/by/4.0/deed.fr",
      },
      {
        name: "GeoNames",
        url: "https://www.geonames.org/",
        gives: "Les noms de lieux.",
        terms: "CC BY 4.0",
        termsUrl: "https://creativecommons.org/licenses/by/4.0/deed.fr",
      },
      {
        name: "Géogratis",
        url: "https://geogratis.gc.ca/",
        gives: "Les noms de lieux du Canada.",
        terms: "Licence du gouvernement ouvert – Canada",
        termsUrl: "https://ouvert.canada.ca/fr/licence-du-gouvernement-ouvert-canada",
      },
    ],
    logged:
      "Une ligne par question : la porte, l'outil, la version du protocole, le nom de l'application, comment ça s'est terminé et en combien de temps. Ni ta question, ni la réponse, ni ton adresse IP. Un lieu que la porte ne connaît pas est cherché chez Géogratis et Open-Meteo, qui ne savent pas de qui il vient.",
    accent: { light: "#1f5f8b", dark: "#8fc4e8" },
    icon: {
      strokes: "M22 50h21a9 9 0 0 0 1-18 13 13 0 0 0-25 2 8 8 0 0 0 3 16M26 12v3M12 26h3M16 16l2 2",
      png:
        "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwBAMAAAClLOS0AAAAMFBMVEUfX4sfX4sfX4sfX4sfX4sfX4sfX4s4cZhRg6VqlLKD" +
        "pr+buMu0ytjN2+Xm7fL///9TRAxNAAAABnRSTlMAK1WAqtVnAI+sAAABiElEQVR42nWUP08CQRDFF/UDUFFbGGsLY2004SPY" +
        "ozAcf47yQkzUDrUwdsSoiR3Rio5CjXQ0FnTaeR2aWNghCMczzC57e7D3mrvM73Z23tzOCiGEWNsjQ7kdIZXYojkdJBms04L2" +
        "p/FlsmjDvoCXLJFVq2LFDrZFavZ6WzdBRm/h4De6ycxbAUMTZAU/jt7nAUngT7wYgB799CzgGENyyALyc59rQIceEVW9RTCt" +
        "9wX4rkVB9ZTI8QEgqJmgCHSoDdbABC7QLwHB67MP1A1QAt7uMPI438Dc4+axCnB2F0G0Khd/ytAslwInUA6bwJcBnCZaElQA" +
        "NELQBpTrwgdkmxmUgbG2fIGJBk2Mwl6Qz2kZ6FJYl1yI4N89Nhvuoq+dD0xQ4vNiAWUNitFzUNF7OLpBynwnrKoVxh1pXfkI" +
        "7q/OpM67cr2QBUb0yYDPbteMB9O25USaW+cboCEPtRzZ/PWT0kNNjUHKPlGZ+FFL2EEyfpzjL4DYK0Mk0vPxbFJdP5vRa2l3" +
        "Gv8HUD4dOSDbvZoAAAAASUVORK5CYII=",
    },
  },
};

// ── 2. The tools ─────────────────────────────────────────────────────────────
// To add one, copy an entry. The description is the prompt: it ends with what a person will say.

const PLACE: Schema = {
  type: "string",
  maxLength: 80,
  description:
    "L'endroit, comme la personne l'a dit : « Saint-Jérôme », « le Saguenay », « Verdun », « Windsor en Ontario », « Paris », ou un code postal. À omettre si elle n'en nomme aucun.",
};
const MOMENT: Schema = {
  type: "string",
  maxLength: 60,
  description:
    "Le moment, comme la personne l'a dit : « cet après-midi », « ce soir », « cette nuit », « demain matin », « samedi », « la fin de semaine », « sept jours », « à 15 heures ». À omettre si elle n'en dit pas.",
};

const TOOLS: Tools = {
  meteo_actuelle: {
    title: "Le temps qu'il fait",
    description:
      "Le temps qu'il fait en ce moment dehors, à un endroit : température, ressenti avec le vent ou l'humidité, ciel, pluie ou neige qui tombe, vent et rafales. " +
      "Dit l'âge de l'observation quand elle n'est pas fraîche, et commence par l'alerte en vigueur s'il y en a une. " +
      "Ne dit rien de plus tard : pour ce soir, demain ou une heure précise, c'est meteo_previsions. " +
      "Pour « il fait combien ? », « fait-il froid dehors ? », « quel temps fait-il ? », « est-ce qu'il vente ? ». " +
      "Pour « il fait combien dehors en ce moment ? ».",
    inputSchema: {
      type: "object",
      properties: {
        lieu: PLACE,
      },
      additionalProperties: false,
    },
    run: async ({ lieu }, deps) => sayCurrently(await fetchWeather(lieu, deps)),
  },
  meteo_previsions: {
    title: "Les prévisions",
    description:
      "Les prévisions officielles à un endroit, jusqu'à six jours d'avance : ciel, maximum ou minimum, ressenti, vent. " +
      "Ce soir, cette nuit, demain, un jour de la semaine, la fin de semaine, les sept prochains jours, ou une heure précise d'ici demain. " +
      "Sans moment : le reste de la journée et la nuit. Commence par l'alerte en vigueur s'il y en a une. " +
      "Ne dit pas oui ou non pour la pluie ou la neige, ni combien il en tombera : c'est meteo_precipitations. " +
      "Ne compare pas aux normales : c'est meteo_normales. Ne donne pas l'heure du lever du soleil : c'est meteo_soleil. " +
      "Pour « il va faire quoi demain ? », « la météo de la fin de semaine », « ça va être comment cette nuit ? », « va-t-il venter samedi ? ». " +
      "Pour « quel temps va-t-il faire demain ? ».",
    inputSchema: {
      type: "object",
      properties: {
        lieu: PLACE,
        quand: MOMENT,
      },
      additionalProperties: false,
    },
    example: { quand: "demain" },
    run: async ({ lieu, quand }, deps) => sayForecast(await fetchForecast(lieu, quand, deps)),
  },
  meteo_precipitations: {
    title: "La pluie et la neige",
    description:
      "Va-t-il pleuvoir ou neiger à un endroit : oui, non ou peut-être d'abord, puis à quelles heures et combien de centimètres ou de millimètres. " +
      "Averses, neige, verglas, grésil, orages; cet après-midi, ce soir, demain, samedi, la fin de semaine, une heure précise. " +
      "Sans moment : d'ici la fin de la nuit. Dit aussi la prochaine fois qu'il pourrait en tomber. Commence par l'alerte en vigueur s'il y en a une. " +
      "Ne dit pas la neige au sol ni ce qui est déjà tombé. Pour le ciel, le vent et la température, c'est meteo_previsions. " +
      "Pour « est-ce qu'il va pleuvoir ? », « combien de neige ? », « j'ai-tu besoin d'un parapluie ? », « à quelle heure la pluie arrête ? ». " +
      "Pour « va-t-il pleuvoir cet après-midi ? ».",
    inputSchema: {
      type: "object",
      properties: {
        lieu: PLACE,
        quand: MOMENT,
      },
      additionalProperties: false,
    },
    example: { quand: "cet après-midi" },
    run: async ({ lieu, quand }, deps) => sayPrecipitation(await fetchForecast(lieu, quand, deps)),
  },
  meteo_alertes: {
    title: "Les alertes météo",
    description:
      "Les alertes d'Environnement Canada en vigueur à un endroit précis : avertissements, veilles, avis et bulletins spéciaux, la plus grave d'abord, " +
      "avec la couleur, la zone, jusqu'à quand, et le texte officiel mot pour mot. Tempête, verglas, chaleur, froid extrême, smog, orages violents. " +
      "Si le texte est long, la réponse offre la suite : rappelle avec « partie » à 2, puis 3. " +
      "Canada seulement. Ne donne pas de prévisions : c'est meteo_previsions. " +
      "Pour « y a-t-il une alerte ? », « est-ce qu'on annonce une tempête ? », « c'est quoi l'avertissement ? », « lis-moi la suite de l'alerte ». " +
      "Pour « y a-tu des alertes météo ? ».",
    inputSchema: {
      type: "object",
      properties: {
        lieu: PLACE,
        partie: {
          type: "integer",
          minimum: 1,
          maximum: 50,
          default: 1,
          description: "La partie du texte à lire : 2 pour « la suite ». À omettre pour le début.",
        },
      },
      additionalProperties: false,
    },
    run: async ({ lieu, partie }, deps) => sayAlerts(await fetchWarnings(lieu, Number(partie), deps)),
  },
  meteo_air: {
    title: "La qualité de l'air et l'indice UV",
    description:
      "La qualité de l'air à un endroit du Canada, par la cote air santé et son risque, et l'indice UV du jour. " +
      "Au Québec la cote est une prévision, jamais une mesure; l'indice de la qualité de l'air du gouvernement du Québec est autre chose. " +
      "Pour la fumée et le smog, le pollen n'est pas couvert. Un avertissement de smog est une alerte : c'est meteo_alertes. " +
      "Pour « l'air est-tu bon ? », « c'est quoi l'indice UV ? », « faut-il de la crème solaire ? ». " +
      "Pour « comment est la qualité de l'air ? ».",
    inputSchema: {
      type: "object",
      properties: {
        lieu: PLACE,
      },
      additionalProperties: false,
    },
    run: async ({ lieu }, deps) => sayAir(await fetchAir(lieu, deps)),
  },
  meteo_soleil: {
    title: "Le lever et le coucher du soleil",
    description:
      "L'heure du lever et du coucher du soleil à un endroit, et la durée du jour, aujourd'hui ou à une autre date, passée ou à venir. " +
      "Calculé, partout dans le monde. Ne dit pas s'il va faire soleil : c'est meteo_previsions. " +
      "Pour « le soleil se lève à quelle heure ? », « il fait noir à quelle heure ? », « combien d'heures de clarté ? ». " +
      "Pour « à quelle heure se couche le soleil ? ».",
    inputSchema: {
      type: "object",
      properties: {
        lieu: PLACE,
        date: {
          type: "string",
          maxLength: 40,
          description:
            "Le jour, comme la personne l'a dit : « demain », « samedi », « le 21 juin », « Noël », ou « 2026-12-21 ». À omettre pour aujourd'hui.",
        },
      },
      additionalProperties: false,
    },
    run: async ({ lieu, date }, deps) => saySun(await findSun(lieu, date, deps)),
  },
  meteo_normales: {
    title: "La comparaison aux normales",
    description:
      "Le maximum prévu aujourd'hui, ou le minimum de cette nuit, comparé à la normale de saison à cet endroit : plus chaud, plus froid, de combien de degrés. " +
      "Canada seulement. Ne donne ni records ni statistiques d'un autre jour. Pour les prévisions elles-mêmes, c'est meteo_previsions. " +
      "Pour « c'est-tu normal pour la saison ? », « fait-il plus froid que d'habitude ? », « c'est quoi la normale ? ». " +
      "Pour « est-ce que c'est dans les normales ? ».",
    inputSchema: {
      type: "object",
      properties: {
        lieu: PLACE,
      },
      additionalProperties: false,
    },
    run: async ({ lieu }, deps) => sayNormals(await fetchNormals(lieu, deps)),
  },
};

// ── 3. The sentences ─────────────────────────────────────────────────────────

/** Conditions now: the alert in force, the temperature and the sky, the wind. */
function sayCurrently(weather: Weather): string {
  return sayAll(weather, sayConditions(weather));
}

/** An alert before everything else, then an answer with its age when it isn't fresh. Three sentences at most. */
function sayAll(weather: Weather, parts: string[]): string {
  const alert = sayWarning(weather);
  const said = parts.filter((part) => part !== "");
  // The alert takes a sentence: the two first ones become one.
  const kept = alert !== "" && said.length > 2 ? [joinSentences(said.slice(0, 2)), ...said.slice(2)] : said;
  // The source keeps its capital letter.
  const why = sayWhy(weather.model);
  const whole = why === "" ? kept : [...kept.slice(0, -1), `${kept[kept.length - 1]}; ${why}`];
  return joinParts([alert === "" ? "" : speak([alert], null), speak(whole, weather.age)], " ");
}

function uncapitalise(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

/** « à Montréal », « à Châteauguay, d'après Beauharnois », « à Paris, selon le modèle d'Open-Meteo ». */
function sayWhere(weather: Pick<Weather, "place" | "model">): string {
  return joinParts([weather.place.at, sayVia(weather)], ", ");
}

/** Whose words they are, when it isn't the place's own page. */
function sayVia({ place, model }: Pick<Weather, "place" | "model">): string {
  const { name, site, km } = place;
  if (model !== null) return "selon le modèle d'Open-Meteo";
  // « au Saguenay » and « dans le secteur de Longueuil » name their page already.
  if (site === null || km === 0 || name.endsWith(site.name)) return "";
  return `d'après ${site.name}${km > FAR_KM ? `, à ${sayKilometres(km)}` : ""}`;
}

/** Why the model speaks where a page should: said last, so that the answer comes first. */
function sayWhy(model: Model | null): string {
  if (model === "down") return "Environnement Canada ne répond pas en ce moment";
  return model === "old" ? "la page d'Environnement Canada n'est pas à jour" : "";
}

function sayKilometres(km: number): string {
  return `${Math.round(km)} kilomètres`;
}

function sayConditions(weather: Weather): string[] {
  const { page, place, now, model } = weather;
  const { current } = page;
  const hour = hourAtInstant(page.hours, now);
  const old = current === null || current.at === null ? 0 : now - current.at;
  // An observation of the future is a clock that is wrong.
  if (current === null || old > OBSERVED_DEAD_MS || old < -HOUR) return sayUnobserved(weather, hour);
  const { temperature, wind } = current;
  const isDated = current.at !== null && old > OBSERVED_MS && model === null;
  const verb = isDated ? "il faisait" : "il fait";
  const degrees =
    temperature === null
      ? "la température n'est pas disponible"
      : `${verb} ${sayDegrees(temperature)}${sayFeels(temperature, wind, current.dewpoint)}`;
  const clock =
    current.at === null ? "" : joinParts([sayClock(current.at, place.zone), sayWhoseHours(place, current.at)], ", ");
  const past = old > OBSERVED_OLD_MS ? `à la dernière observation, ${sayAge(old)}, ` : `à ${clock}, `;
  const when = isDated ? past : "";
  const observed = current.sky !== null && old <= SKY_OLD_MS ? sayUnder(current.sky) : "";
  const foreseen = observed === "" && hour !== null && hour.sky !== null ? sayForeseen(hour.sky) : "";
  const sky = observed !== "" ? `, ${observed}` : foreseen === "" ? "" : `; selon les prévisions, ${foreseen}`;
  return [`${sayWhere(weather)}, ${when}${degrees}${sky}`, sayWind(wind, old <= SKY_OLD_MS)];
}

/** No observation: said, then what the forecast has for this hour and for the next half-day. */
function sayUnobserved(weather: Weather, hour: Hour | null): string[] {
  const { page, place, now } = weather;
  const at = page.current?.at ?? null;
  const last = at === null || at > now ? "" : `; la dernière date ${sayPast(at, now, place.zone)}`;
  const body = hour === null ? "" : sayHourBody([hour]);
  const foreseen = body === "" ? "" : `selon les prévisions, ${body}`;
  const [period] = page.periods;
  const next = period === undefined ? "" : sayBriefly(period, now, place.zone);
  return [`l'observation n'est pas disponible ${place.at} en ce moment${last}`, foreseen, next];
}

/** « d'hier à 14 heures », « de vendredi à 9 heures », « du samedi 14 novembre ». */
function sayPast(at: number, now: number, zone: string): string {
  const [then, today] = [localTime(at, zone), localTime(now, zone).day];
  const days = daysBetween(then.day, today);
  const clock = sayClock(at, zone);
  if (days === 0) return de(clock);
  if (days === 1) return `d'hier à ${clock}`;
  return days < 7 ? `de ${WEEKDAYS[weekdayOf(then.day)]} à ${clock}` : `du ${sayDate(then.day, today).slice(3)}`;
}

/** « 19 degrés », « moins 12 degrés », « zéro degré », « 1 degré ». */
function sayDegrees(degrees: number): string {
  const rounded = Math.round(degrees);
  return `${sayFigure(rounded)} ${Math.abs(rounded) < 2 ? "degré" : "degrés"}`;
}

/** « moins 12 », « zéro », « 19 ». */
function sayFigure(degrees: number): string {
  const rounded = Math.round(degrees);
  return rounded === 0 ? "zéro" : rounded < 0 ? `moins ${-rounded}` : `${rounded}`;
}

/** « , ressenti moins 20 », « , humidex de 36 », or nothing: both are computed, never read. */
function sayFeels(temperature: number, wind: Wind | null, dewpoint: number | null): string {
  const chill = windChill(temperature, wind?.speed ?? null);
  if (chill !== null) return `, ressenti ${sayFigure(chill)}`;
  const humidex = humidexOf(temperature, dewpoint);
  return humidex === null ? "" : `, humidex de ${Math.round(humidex)}`;
}

/** Environment Canada's wind chill, from °C and km/h; `null` unless it is worth saying. */
function windChill(temperature: number, speed: number | null): number | null {
  if (speed === null || speed <= 0 || temperature > 0) return null;
  const power = speed ** 0.16;
  const chill =
    speed >= 5
      ? 13.12 + 0.6215 * temperature - 11.37 * power + 0.3965 * temperature * power
      : temperature + ((-1.59 + 0.1345 * temperature) / 5) * speed;
  return Math.round(chill) <= Math.round(temperature) - 1 ? chill : null;
}

/** Environment Canada's humidex, from °C; `null` unless it is worth saying. */
function humidexOf(temperature: number, dewpoint: number | null): number | null {
  if (dewpoint === null || temperature < 20) return null;
  const pressure = 6.11 * Math.exp(5417.753 * (1 / 273.16 - 1 / (273.15 + dewpoint)));
  const humidex = temperature + 0.5555 * (pressure - 10);
  return Math.round(humidex) >= 25 && Math.round(humidex) >= Math.round(temperature) + 1 ? humidex : null;
}

/** Where a wind comes from, with its elision. */
const WINDS: Record<string, string> = {
  N: "du nord",
  NNE: "du nord-nord-est",
  NE: "du nord-est",
  ENE: "d'est-nord-est",
  E: "d'est",
  ESE: "d'est-sud-est",
  SE: "du sud-est",
  SSE: "du sud-sud-est",
  S: "du sud",
  SSO: "du sud-sud-ouest",
  SO: "du sud-ouest",
  OSO: "d'ouest-sud-ouest",
  O: "d'ouest",
  ONO: "d'ouest-nord-ouest",
  NO: "du nord-ouest",
  NNO: "du nord-nord-ouest",
};

/** « vents d'ouest à 25 kilomètres à l'heure, avec des rafales à 50 ». A gust is believed only when it stands out. */
function sayWind(wind: Wind | null, gusty = true): string {
  if (wind === null) return "";
  const { speed, gust, direction: from } = wind;
  if (Math.round(speed) === 0) return "les vents sont calmes";
  const name = from === null ? "vents" : from === "VR" ? "vents variables" : `vents ${WINDS[from]}`;
  const gusts =
    gusty && gust !== null && speed >= 10 && gust >= speed + 10 ? `, avec des rafales à ${Math.round(gust)}` : "";
  return `${name} à ${Math.round(speed)} ${Math.round(speed) === 1 ? "kilomètre" : "kilomètres"} à l'heure${gusts}`;
}

/** A sky in a sentence: « sous un ciel dégagé », « avec de la neige faible et de la poudrerie ». */
function sayUnder(sky: string): string {
  const said = saySky(sky);
  // What may fall is not what one sees.
  if (said === "" || /^(?:possibilité|risque) /.test(said)) return "";
  if (SKIES.test(said)) return `sous un ciel ${said}`;
  if (said.startsWith("ciel ")) return `sous un ${said}`;
  if (said === "ennuagement") return "sous un ciel qui se couvre";
  if (said === "dégagement") return "sous un ciel qui se dégage";
  if (said === "alternance de soleil et de nuages") return "avec du soleil et des nuages";
  if (said === "venteux") return `par temps ${said}`;
  // « Orage avec grêle » has its own « avec ».
  return `avec ${some(said.replace(" avec ", " et "))}`;
}

const SKIES = /^(?:(?:partiellement|généralement) )?(?:ensoleillé|dégagé|nuageux|couvert|voilé|brumeux)$/;

/** The sky of the forecast, where nobody observes it: « le ciel est nuageux », « il y a de la pluie ». */
function sayForeseen(sky: string): string {
  const under = sayUnder(sky);
  if (under.startsWith("sous un ciel qui ")) return `le ciel ${under.slice(17)}`;
  if (under.startsWith("sous un ciel ")) return `le ciel est ${under.slice(13)}`;
  return under === "" ? "" : under.replace(/^(?:avec|par) /, "il y a ").replace("il y a temps venteux", "il vente");
}

const FEMININE = /^(?:pluie|neige|bruine|grêle|brume|poudrerie|fumée|poussière|cendre|glace)(?![a-zà-ÿ])/;
/** One by one: « une averse », « un orage »; and what is told by its strength first: « une faible pluie ». */
const COUNTED_FEMININE =
  /^(?:(?:faible|forte|légère|petite) (?!averses)|alternance|possibilité|chute|couche|averse|tempête|tornade|trombe|bourrasque|éclaircie)/;
const COUNTED_MASCULINE = /^(?:risque|(?:faible|fort|léger|petit) (?:orage|brouillard|grésil|blizzard))(?![a-zà-ÿ])/;

/** « de la pluie ou de la neige », « des averses », « du brouillard », « une alternance de soleil et de nuages ». */
function some(what: string): string {
  if (/^(?:alternance|possibilité) /.test(what)) return `une ${what}`;
  return what
    .split(/( et | ou |, puis |, )/)
    .map((one, index) => (index % 2 === 1 || one === "" ? one : someOf(one)))
    .join("");
}

function someOf(what: string): string {
  if (/^(?:quelques|plusieurs|des|de|du|un|une|la|le|les|aucune?|parfois)\b/.test(what)) return what;
  const [first] = what.split(" ");
  if (/[sx]$/.test(first) && !/^(?:verglas|frimas)$/.test(first)) return `des ${what}`;
  if (COUNTED_MASCULINE.test(what)) return `un ${what}`;
  if (COUNTED_FEMININE.test(what)) return `une ${what}`;
  if (FEMININE.test(what)) return `de la ${what}`;
  return /^[aeiouéèêîô]/.test(what) || /ment$/.test(first) ? `un ${what}` : `du ${what}`;
}

/** « d'averses », « de pluie ou de neige ». */
function ofKind(kind: string): string {
  return kind
    .split(/( et | ou |, puis |, )/)
    .map((one, index) => (index % 2 === 1 || one === "" ? one : de(one.replace(/^(?:des |de la |du |de |d')/, ""))))
    .join("");
}

/** The alert in force, before everything else: one sentence, the others counted. */
function sayWarning({ alerts, place, now }: Pick<Weather, "alerts" | "place" | "now">): string {
  const [first, ...others] = alerts ?? [];
  if (first === undefined) return "";
  const more =
    others.length === 0
      ? ""
      : others.length === 1
        ? "; une autre alerte aussi"
        : `; ${others.length} autres alertes aussi`;
  return `${sayHeadline(first, now, place.zone)}${more}`;
}

/** « un avertissement orange de pluie verglaçante est en vigueur pour le secteur de Drummondville, jusqu'à samedi soir ». */
function sayHeadline(alert: Alert, now: number, zone: string): string {
  const { starts, ends, expires, published } = alert;
  const start = starts !== null && starts > now ? `à partir ${de(sayAround(starts, now, zone))}` : "";
  // The bulletin may also last longer than its event was to.
  const end = ends === null || ends <= now ? "" : `jusqu'à ${sayAround(ends, now, zone)}`;
  const span = joinParts([start, end], " et ");
  // The bulletin may expire before its event does.
  const dated =
    expires !== null && expires <= now && published !== null
      ? `selon le bulletin ${sayPast(published, now, zone)}`
      : "";
  const named = alert.zone === null ? "" : sayZoneName(alert.zone);
  const zoned = named === "" ? "" : `pour ${named}`;
  return joinParts([joinParts([`${sayAlertName(alert)} est en vigueur`, zoned], " "), span, dated], ", ");
}

/** « un avertissement jaune de neige », « une veille d'orages violents », « un bulletin météorologique spécial ». */
function sayAlertName({ name, colour }: Pick<Alert, "name" | "colour">): string {
  const [first, ...rest] = name.split(" ");
  const article = /^(?:veille|alerte)/.test(first) ? "une" : "un";
  return joinParts([article, first, first === "bulletin" ? "" : (colour ?? ""), ...rest], " ");
}

/** A name of an alert in lower case; what can't be said is left to its type. */
function sayOfficialName(title: string, type: string | null): string {
  const name = sayOfficial(title.toLowerCase()).replace(/[.;:]+$/, "");
  return /^[A-Za-zÀ-ÿ]/.test(name) ? uncapitalise(name) : (type ?? "alerte");
}

const ZONE_ARTICLES: Record<string, string> = {
  secteur: "le",
  littoral: "le",
  parc: "le",
  comté: "le",
  district: "le",
  lac: "le",
  sud: "le",
  nord: "le",
  centre: "le",
  région: "la",
  ville: "la",
  vallée: "la",
  réserve: "la",
  municipalité: "la",
  côte: "la",
  péninsule: "la",
  est: "l'",
  ouest: "l'",
  île: "l'",
  forêt: "la",
  archipel: "l'",
  îles: "les",
};

/** « le secteur de Rivière-du-Loup », « Montréal », « le littoral du Yukon incluant l'île Herschel ». */
function sayZoneName(zone: string): string {
  const name = sayOfficial(
    zone
      .replaceAll(" - ", ", ")
      .replace(/\bincl\./gi, "incluant")
      .replace(/\s*\([^)]*\)/g, ""),
  ).replace(/[.]+$/, "");
  if (name === "") return "";
  const plain = zone === zone.toUpperCase() ? name : `${zone[0]}${name.slice(1)}`;
  if (/^îles-/i.test(plain)) return `les ${plain}`;
  if (plain.includes(", ")) return joinList(plain.split(", ").map(sayZoneName));
  const [first] = plain.toLowerCase().split(" ");
  const article = Object.hasOwn(ZONE_ARTICLES, first) ? ZONE_ARTICLES[first] : "";
  return article === "" ? plain : `${article}${article.endsWith("'") ? "" : " "}${uncapitalise(plain)}`;
}

/** A moment to come, or just past, without its minutes: « ce soir », « demain matin », « samedi après-midi », « 3 heures cette nuit ». */
function sayAround(at: number, now: number, zone: string): string {
  const [then, today] = [localTime(at, zone), localTime(now, zone)];
  const days = daysBetween(today.day, then.day);
  if (then.hour < MORNING) {
    const isTonight = (days === 0 || (days === 1 && today.hour >= MORNING)) && isSameDay(now, zone);
    const night = isTonight ? "cette nuit" : sayNightOf(addDays(then.day, -1));
    // The minutes of the place: Newfoundland's hours begin at half past those of the others.
    const past = then.minute < 30 ? then.minute : then.minute - 60;
    const clock = sayClock(at - past * MINUTE, zone);
    return days < 7 ? `${clock} ${night}` : `${clock} ${sayDate(then.day, today.day)}`;
  }
  const part = then.hour < 12 ? "matin" : then.hour < EVENING ? "après-midi" : "soir";
  const isNow = part === (today.hour < 12 ? "matin" : today.hour < EVENING ? "après-midi" : "soir");
  if (days === 0 && isNow && today.hour >= MORNING) {
    const hour = roundHour(at);
    return sayClock(hour > now === at > now ? hour : at, zone);
  }
  const isNear = isSameDay(now, zone);
  if (days === 0 && isNear) return `${part === "après-midi" ? "cet" : "ce"} ${part}`;
  if (days === 1 && isNear) return `demain ${part}`;
  if (days >= 0 && days < 7) return `${WEEKDAYS[weekdayOf(then.day)]} ${part}`;
  return joinParts(
    [
      `${sayDate(then.day, today.day).slice(3)}`,
      `en ${part === "soir" ? "soirée" : part === "matin" ? "matinée" : part}`,
    ],
    " ",
  );
}

/** « dans la nuit de vendredi à samedi ». */
function sayNightOf(day: string): string {
  const [from, to] = [WEEKDAYS[weekdayOf(day)], WEEKDAYS[weekdayOf(addDays(day, 1))]];
  return `dans la nuit de ${from} à ${to}`;
}

/** How much official text is read at once: about forty seconds of speech. */
const PART_LENGTH = 650;

/** An official text is a few paragraphs; past this, in characters, it is a mistake of the source. */
const TEXT_LIMIT = 12_000;
const PARAGRAPH_LIMIT = 1_500;
const ON_SITE = "le texte complet est sur le site d'Environnement Canada";
const OTHERS_NAMED = 8;

/** Every alert in force, cut into parts between paragraphs; each part is what is said for it. */
function alertParts(alerts: Alert[], place: Place, now: number): string[] {
  const parts: { heads: string[]; text: string[] }[] = [];
  for (const [index, alert] of alerts.entries()) {
    const others = index === 0 ? sayOthers(alerts.slice(1)) : "";
    const unread =
      index === 0 && alerts.some(({ partial }) => partial) ? "je n'ai pas pu vérifier les autres alertes" : "";
    const written = sayVerbatim(alert.text.slice(0, TEXT_LIMIT));
    // Between sentences, where a paragraph is too long to be heard at once.
    const sentences = written.flatMap((one) => (one.length <= PARAGRAPH_LIMIT ? [one] : one.split(/(?<=[.!?]) /)));
    const paragraphs = sentences.filter((one) => one.length <= PARAGRAPH_LIMIT);
    const isCut = alert.text.length > TEXT_LIMIT || paragraphs.length < sentences.length;
    const elsewhere = isCut || (written.length === 0 && WRITTEN_ONLY.test(alert.text)) ? ON_SITE : "";
    const heads = [sayHeadline(alert, now, place.zone), others, unread, elsewhere].filter((one) => one !== "");
    let part: { heads: string[]; text: string[] } = { heads, text: [] };
    parts.push(part);
    for (const paragraph of paragraphs) {
      if (part.text.length > 0 && [...part.text, paragraph].join(" ").length > PART_LENGTH) {
        part = { heads: [], text: [] };
        parts.push(part);
      }
      part.text.push(paragraph);
    }
  }
  return parts.map(({ heads, text }, index) => {
    const quoted =
      text.length === 0
        ? ""
        : `Environnement Canada écrit : « ${text.join(" ").replaceAll("« ", "").replaceAll(" »", "")} »`;
    const head = heads.length > 0 ? speak(heads, null) : `La suite pour ${place.name}.`;
    const more = index < parts.length - 1 ? "Veux-tu la suite ?" : "";
    return joinParts([head, quoted, more], " ");
  });
}

/** The other alerts, named: « il y a aussi un avis de froid extrême ». */
function sayOthers(alerts: Alert[]): string {
  if (alerts.length === 0) return "";
  const named = alerts.slice(0, OTHERS_NAMED).map(sayAlertName);
  const more = alerts.length - named.length;
  return `il y a aussi ${joinList([...named, ...(more > 0 ? [more === 1 ? "une autre" : `${more} autres`] : [])])}`;
}

function sayNoSuchPart(count: number): string {
  const most = count === 1 ? "n'a qu'une partie" : `n'a que ${count} parties`;
  return `Le texte des alertes ${most} : c'était la fin. Ça ne veut pas dire que l'alerte est terminée. Pour le réentendre, demande la partie 1.`;
}

/** Alerts in force and their official text, one part of it. */
function sayAlerts({ parts, part, age, place }: Warnings): string {
  const failed = "je n'ai pas pu vérifier les alertes";
  if (parts.length === 0) {
    const none = `aucune alerte n'est en vigueur pour ${place.name}`;
    // A check that fails is never « none ».
    return speak(age === null ? [none] : [failed, `${sayAge(age)}, il n'y en avait pas pour ${place.name}`], null);
  }
  const said = parts[part - 1];
  return age === null ? said : `${speak([`${failed}; voici celles d'${sayAge(age)}`], null)} ${said}`;
}

// Forecasts.

/** The moment that was asked, from the official text, or from the hours when it is one of the next ones. */
function sayForecast(forecast: Forecast): string {
  const { when } = forecast;
  if (when?.kind === "now") return sayCurrently(forecast);
  if (when?.kind === "days" || (when?.kind === "hours" && isOverHalves(forecast, when))) return sayDays(forecast, when);
  return sayAll(forecast, when === null ? sayAhead(forecast) : sayMoment(forecast, when));
}

/** An interval whose hours aren't all known, over more than one half-day: each is told. */
function isOverHalves(forecast: Forecast, when: When): boolean {
  const { page, now } = forecast;
  return when.from > now && !isCovered(hoursIn(page.hours, when, now), when) && periodsIn(forecast, when).length > 1;
}

/** Today and tonight, or tonight and tomorrow. */
function sayAhead(forecast: Forecast): string[] {
  const { page, place, now } = forecast;
  const [first, second] = page.periods;
  if (first === undefined) {
    return [`les prévisions ne sont pas disponibles ${place.at} en ce moment`, joinSentences(sayConditions(forecast))];
  }
  const [start, ...rest] = sayHalfDay(first, forecast, sayWhere(forecast));
  return [start, joinSentences(rest), second === undefined ? "" : sayBriefly(second, now, place.zone)];
}

function sayMoment(forecast: Forecast, when: When): string[] {
  const { page, place, now } = forecast;
  const hours = hoursIn(page.hours, when, now);
  const isHourly = when.kind === "hour" || when.kind === "hours" || when.part === "matin" || when.part === "après-midi";
  if (isHourly && isCovered(hours, when) && sayHourBody(hours) !== "") return sayHours(hours, forecast, when);
  if (page.periods.length === 0 || (when.kind === "hours" && when.from <= now)) return sayAhead(forecast);
  const halves = when.kind === "day" ? page.periods.filter((one) => !one.night) : periodsIn(forecast, when);
  const period = halves.find(({ day }) => when.kind !== "day" || day === when.day);
  if (period === undefined) return sayRest(forecast, when);
  // The text is of the whole day, whatever part of it was asked about.
  const isWide = /^(?:matin|après-midi)$/.test(when.part ?? "") && period.day !== localTime(now, place.zone).day;
  const parts = sayHalfDay(period, forecast, `${isWide ? "pour la journée " : ""}${sayWhere(forecast)}`);
  if (when.kind !== "hour") return parts;
  const isSoon = when.to <= now + DAY_HOURS * HOUR;
  const excuse = isSoon ? "l'heure précise n'est pas disponible" : "l'heure précise n'est pas encore prévue";
  return [parts[0], joinSentences(parts.slice(1)), excuse];
}

/** A day without its half-day: today's is over, and what is left of it comes from the hours; another one is missing. */
function sayRest(forecast: Forecast, when: When): string[] {
  const { page, place, now } = forecast;
  const night = page.periods.find((one) => one.day === when.day && one.night);
  if (when.kind !== "day" || when.day !== localTime(now, place.zone).day || night === undefined) {
    return [
      `${sayWhen(when, now, place.zone)} ${sayWhere(forecast)}, les prévisions ne sont pas disponibles en ce moment`,
      when.kind !== "day" || night === undefined ? "" : sayBriefly(night, now, place.zone),
    ];
  }
  const evening = startOf(night, place.zone);
  const left = now < evening ? sayHourBody(hoursIn(page.hours, { from: now, to: evening }, now)) : "";
  if (left === "") return sayHalfDay(night, forecast, sayWhere(forecast));
  // Two sentences: an alert would make the first two of three into one.
  return [`d'ici 18 heures ${sayWhere(forecast)} : ${left}`, joinSentences(sayHalfDay(night, forecast, ""))];
}

/** One official half-day, in up to three sentences: sky, wind, heat. `where` is said once in an answer. */
function sayHalfDay(period: Period, { place, now }: Pick<Weather, "place" | "now">, where: string): string[] {
  const { sky, wind, heat, rest } = splitOfficial(textNow(period, now, place.zone));
  const winds = wind.length > 0 ? wind : [sayWind(period.wind)];
  const name = sayHalfDayName(period, now, place.zone);
  const label = where === "" ? name.replace(/,$/, "") : `${name} ${where}`;
  const heats = joinSentences([...heat, ...rest]);
  const lines = sky.length > 0 ? [joinSentences(sky), joinSentences(winds), heats] : [heats, joinSentences(winds)];
  const [first = "", ...others] = lines.filter((one) => one !== "");
  // One colon in a sentence.
  return [`${label} : ${uncapitalise(first).replaceAll(" : ", ", ")}`, ...others];
}

/** Past midnight, the « ce soir » of a text written the evening before is yesterday's. */
function textNow({ text, day }: Period, now: number, zone: string): string {
  return day < localTime(now, zone).day ? text.replaceAll("ce soir", "hier soir") : text;
}

/** One official half-day in one sentence: its sky, then its maximum or minimum. */
function sayBriefly(period: Period, now: number, zone: string): string {
  const { sky, heat, wind, rest } = splitOfficial(textNow(period, now, zone));
  const told = sky.length + heat.length > 0 ? [...sky, ...heat.slice(0, 1)] : [...wind, ...rest];
  return `${sayHalfDayName(period, now, zone).replace(/,$/, "")} : ${uncapitalise(joinSentences(told))}`;
}

/** Sentences become one, in their order. */
function joinSentences(sentences: string[]): string {
  const [first = "", ...rest] = sentences.filter((one) => one !== "");
  return joinParts([first, ...rest.map(uncapitalise)], "; ");
}

/** « aujourd'hui », « ce soir et cette nuit », « demain, samedi, », « mardi soir et durant la nuit ». */
function sayHalfDayName({ day, night }: Period, now: number, zone: string): string {
  const today = localTime(now, zone);
  const days = daysBetween(today.day, day);
  const isNear = isSameDay(now, zone);
  if (!night) return sayDayName(day, today.day, isNear);
  if (!isNear) return days === -1 ? sayNightOf(day) : `${WEEKDAYS[weekdayOf(day)]} soir et durant la nuit`;
  if (days === -1) return "cette nuit";
  // Past midnight, « cette nuit » is the one under way.
  if (days === 0) return today.hour < MORNING ? "ce soir et la nuit prochaine" : "ce soir et cette nuit";
  if (days === 1 && today.hour >= MORNING) return "demain soir et durant la nuit";
  return `${days < 7 ? WEEKDAYS[weekdayOf(day)] : sayDate(day, today.day)} soir et durant la nuit`;
}

/** Where it is another day than for the person, « aujourd'hui » and « demain » would be somebody else's. */
function isSameDay(now: number, zone: string): boolean {
  return localTime(now, zone).day === localTime(now, HOME_ZONE).day;
}

/** A weekday beside « demain » removes any doubt past midnight. */
function sayDayName(day: string, today: string, isNear = true): string {
  const days = daysBetween(today, day);
  const weekday = WEEKDAYS[weekdayOf(day)];
  if (!isNear && days >= 0 && days < 7) return weekday;
  if (days === 0) return "aujourd'hui";
  if (days === 1) return `demain, ${weekday},`;
  if (days === 2) return `après-demain, ${weekday},`;
  return days > 0 && days < 7 ? weekday : sayDate(day, today);
}

/** Hours that are known one by one. */
function sayHours(hours: Hour[], forecast: Forecast, when: When): string[] {
  const fall = sayChance(hours);
  const isClock = when.kind === "hour" || when.kind === "hours";
  const whose = isClock ? sayWhoseHours(forecast.place, forecast.now) : "";
  const moment = `${sayWhen(when, forecast.now, forecast.place.zone)}${whose === "" ? "" : `, ${whose},`}`;
  // What may fall is told by its number, when there is one.
  const isTold = (sky: string | null) => fall !== "" && sky !== null && isPrecipitation(sky);
  const told = hours.map((one) => (isTold(one.sky) ? { ...one, sky: null } : one));
  return [`${moment} ${sayWhere(forecast)} : ${joinParts([fall, sayHourBody(told)], ", ")}`, sayWind(strongest(hours))];
}

function strongest(hours: Hour[]): Wind | null {
  const [wind = null] = hours.flatMap((hour) => hour.wind ?? []).toSorted((one, other) => other.speed - one.speed);
  return wind;
}

/** « nuageux, puis averses, entre 20 et 24 degrés ». */
function sayHourBody(hours: Hour[]): string {
  const skies = hours.flatMap(({ sky }) => (sky === null ? [] : [saySky(sky)])).filter((sky) => sky !== "");
  const turns = skies.filter((sky, index) => sky !== skies[index - 1]);
  // Skies that come and go are not told one by one.
  const told = turns.length > 3 ? [...new Set(turns)].slice(0, 3) : turns;
  const degrees = hours.flatMap(({ temperature }) => temperature ?? []);
  const feels = hours.flatMap(({ feels }) => feels ?? []);
  const coldest = degrees.length === 0 ? 0 : Math.min(...degrees);
  const felt =
    feels.length === 0 || degrees.length === 0
      ? ""
      : `ressenti ${coldest <= 0 ? sayFigure(Math.min(...feels)) : sayFigure(Math.max(...feels))}`;
  return joinParts([told.join(", puis "), sayRange(degrees), felt], ", ");
}

function sayRange(degrees: number[]): string {
  if (degrees.length === 0) return "";
  const [low, high] = [Math.round(Math.min(...degrees)), Math.round(Math.max(...degrees))];
  if (high - low === 1) return `environ ${sayDegrees(degrees.reduce((sum, one) => sum + one, 0) / degrees.length)}`;
  return low === high ? sayDegrees(low) : `entre ${sayFigure(low)} et ${sayDegrees(high)}`;
}

function sayChance(hours: Hour[]): string {
  const { chance, kind, numbered } = fallIn(hours);
  return chance < LIKELY || chance >= SURE || !numbered ? "" : sayLikely(chance, kind);
}

/** « à 15 heures », « cet après-midi », « demain matin », « dans la nuit de vendredi à samedi », « samedi ». */
function sayWhen(when: When, now: number, zone: string): string {
  const { day: today, hour } = localTime(now, zone);
  if (when.kind === "now") return "en ce moment";
  if (when.kind === "hours" && when.from <= now) return `d'ici ${sayEnd(when.to, now, zone)}`;
  if (when.kind === "days") return sayDaysName(when, now, zone);
  // Midnight belongs to the evening that it ends.
  const isMidnight = when.kind === "hour" && localTime(when.from, zone).hour === 0;
  const day = isMidnight ? addDays(when.day, -1) : when.day;
  const days = daysBetween(today, day);
  // Past midnight, « demain » could be the day that begins: its name removes the doubt.
  const isNear = isSameDay(now, zone);
  const near = days === 1 && hour >= MORNING && isNear ? "demain" : WEEKDAYS[weekdayOf(day)];
  const name = days < 1 && isNear ? "" : days < 7 ? near : sayDate(day, today);
  if (when.kind === "hours") {
    const [start, end] = [sayClock(when.from, zone), sayClock(when.to, zone)];
    const short = end.endsWith("heures") ? start.replace(/^(\d+) heures$/, "$1") : start;
    return joinParts([name, `entre ${short} et ${end}`], " ");
  }
  if (when.kind === "hour") return joinParts([name, `à ${sayClock(when.from, zone)}`], " ");
  if (when.kind === "day") return days === 0 && hour >= EVENING && isNear ? "ce soir" : sayDayName(day, today, isNear);
  if (when.part === "nuit") {
    if (!isNear || days > 0) return sayNightOf(day);
    // Past midnight, « cette nuit » is the one under way.
    return days === 0 && hour < MORNING ? "la nuit prochaine" : "cette nuit";
  }
  if (days === 0 && isNear) return `${when.part === "après-midi" ? "cet" : "ce"} ${when.part}`;
  return `${name} ${when.part}`;
}

/** « 17 heures », « 8 heures demain matin », « 3 heures cette nuit »: « d'ici 3 heures » alone is also a length. */
function sayEnd(at: number, now: number, zone: string): string {
  const { day, hour } = localTime(at, zone);
  const days = daysBetween(localTime(now, zone).day, day);
  if (hour > 0 && hour < MORNING) return sayAround(at, now, zone);
  // Midnight is that of the evening that it ends.
  const ahead = hour === 0 ? days - 1 : days;
  const part = hour > 0 && hour < 12 ? "matin" : "";
  const isNear = isSameDay(now, zone);
  const name = isNear ? "demain" : WEEKDAYS[weekdayOf(hour === 0 ? addDays(day, -1) : day)];
  const said = ahead > 0 || !isNear ? joinParts([name, part], " ") : part === "" ? "" : `ce ${part}`;
  return joinParts([sayClock(at, zone), said], " ");
}

/** « en fin de semaine », « la semaine prochaine », « de lundi à mercredi », « d'ici lundi soir ». */
function sayDaysName({ day, weekend, to }: When, now: number, zone: string): string {
  if (weekend) return "en fin de semaine";
  if (day <= localTime(now, zone).day) return `d'ici ${sayAround(to - 1, now, zone)}`;
  const last = localTime(to - 1, zone).day;
  if (daysBetween(day, last) === 6) return "la semaine prochaine";
  return `de ${WEEKDAYS[weekdayOf(day)]} à ${WEEKDAYS[weekdayOf(last)]}`;
}

function roundHour(at: number): number {
  return Math.round(at / HOUR) * HOUR;
}

/** Several days, one short sentence each. */
function sayDays(forecast: Forecast, when: When): string {
  const { place, now, age } = forecast;
  const today = localTime(now, place.zone).day;
  const inside = periodsIn(forecast, when);
  if (inside.length === 0) return sayAll(forecast, sayMoment(forecast, when));
  const days = [...new Set(inside.map(({ day }) => day))];
  const said = days.map((day) =>
    sayOneDay(
      inside.filter((one) => one.day === day),
      forecast,
      when.weekend,
    ),
  );
  const isSunday = when.weekend && weekdayOf(today) === 0 && when.day === today;
  const end = localTime(when.to - 1, place.zone).day;
  const last = forecast.page.periods.at(-1)?.day ?? end;
  const later = isSunday
    ? sayNextWeekend(forecast, today)
    : last < end
      ? `les prévisions s'arrêtent à ${sayDayName(last, today, isSameDay(now, place.zone)).replace(/,$/, "")}`
      : "";
  const isUnderWay = isSunday || (when.weekend && inside[0].night && inside[0].day === today);
  const span = isUnderWay
    ? "ce qui reste de la fin de semaine"
    : when.weekend
      ? "la fin de semaine"
      : sayDaysName(when, now, place.zone) === "la semaine prochaine"
        ? "la semaine prochaine"
        : "les prochains jours";
  const alert = sayWarning(forecast);
  const parts = [`voici ${span} ${sayWhere(forecast)}`, ...said, later, sayWhy(forecast.model)];
  return joinParts([alert === "" ? "" : speak([alert], null), speak(parts, age)], " ");
}

/** On a Sunday, as far as the forecast goes: next Saturday at most. */
function sayNextWeekend(forecast: Forecast, today: string): string {
  const halves = forecast.page.periods.filter(({ day }) => day === addDays(today, 6));
  if (halves.length === 0) return "la fin de semaine prochaine n'est pas encore dans les prévisions";
  const saturday = sayOneDay(halves, forecast, false).replace(/^samedi(?= :)/, "samedi prochain");
  return `${saturday}; le dimanche n'est pas encore annoncé`;
}

/** « samedi : nuageux avec 60 pour cent de probabilité d'averses, 25 degrés; 13 la nuit ». */
function sayOneDay(halves: Period[], { now, place }: Forecast, windy: boolean): string {
  const [date, night] = [halves.find((one) => !one.night), halves.find((one) => one.night)];
  if (date === undefined) return night === undefined ? "" : sayBriefly(night, now, place.zone);
  const { sky, heat, wind, rest } = splitOfficial(date.text);
  const isBare = sky.length + heat.length === 0;
  const body = [
    joinSentences(sky),
    date.high !== null && /^maximum de [^,]* degrés?$/i.test(heat[0] ?? "") ? sayDegrees(date.high) : (heat[0] ?? ""),
    windy || isBare ? joinSentences(wind) : "",
    isBare ? joinSentences(rest) : "",
  ];
  const day = `${sayHalfDayName(date, now, place.zone).replace(/,$/, "")} : ${joinParts(body.map(uncapitalise), ", ")}`;
  if (night === undefined) return day;
  const dark = splitOfficial(night.text);
  const isPlain = night.low !== null && /^minimum de [^,]* degrés?$/i.test(dark.heat[0] ?? "");
  const isWet = precipitationIn(night.text).length > 0;
  const name = sayHalfDayName(night, now, place.zone);
  const evening = name.startsWith("ce soir") ? name : "le soir et la nuit";
  const low =
    isPlain && night.low !== null
      ? isWet
        ? sayDegrees(night.low)
        : sayFigure(night.low)
      : uncapitalise(dark.heat[0] ?? "");
  const after = isWet
    ? `${evening}, ${joinParts([uncapitalise(joinSentences(dark.sky)), low], ", ")}`
    : low === ""
      ? ""
      : `${low} ${name.endsWith("la nuit prochaine") ? "la nuit prochaine" : "la nuit"}`;
  return joinParts([day, after], "; ");
}

// Precipitation.

/** From these chances on, in percent, the answer is « peut-être », « probablement », « oui ». */
const LIKELY = 30;
const PROBABLE = 60;
const SURE = 80;

/** Yes, no or perhaps first; then when, then how much. */
function sayPrecipitation(forecast: Forecast): string {
  return sayAll(forecast, sayFall(forecast));
}

function sayFall(forecast: Forecast): string[] {
  const { page, place, now } = forecast;
  const when = forecast.when ?? untilMorning(now, place.zone);
  // An hour without a chance is not a dry one, but the model's codes say what they don't see.
  const isKnown = ({ sky, chance }: Hour) => {
    return chance !== null || (sky !== null && (forecast.model !== null || isPrecipitation(sky)));
  };
  const hours = hoursIn(page.hours, when, now).filter(isKnown);
  const periods = periodsIn(forecast, when);
  const whose = sayWhoseHours(place, now);
  const asked =
    forecast.when === null
      ? sayUntil(when, now, place.zone)
      : `${sayWhen(when, now, place.zone)}${when.kind.startsWith("hour") && whose !== "" ? `, ${whose},` : ""}`;
  const falling = when.from <= now ? observedFall(forecast) : null;
  if (when.kind === "now" && falling !== null) return sayFallNow(falling, forecast);
  const moment = `${asked} ${sayWhere(forecast)}`;
  // Over several days an hour alone says nothing: the half-days are told by their names.
  if (when.to - when.from > DAY_HOURS * HOUR + HOUR || !isCovered(hours, when)) {
    if (periods.length > 0) return sayFallFromText(periods, forecast, when, moment);
    return [sayNotForecast(moment)];
  }
  return typeof falling?.kind === "string"
    ? sayUnderRain({ kind: falling.kind, at: falling.at }, hours, periods, forecast, when, asked)
    : sayFallFromHours(hours, periods, forecast, when, asked);
}

/** Hours that are known one by one, when nothing falls yet. */
function sayFallFromHours(hours: Hour[], periods: Period[], forecast: Forecast, when: When, asked: string): string[] {
  const { place, now } = forecast;
  const fall = fallIn(hours);
  const [moment, via] = [`${asked} ${sayWhere(forecast)}`, sayVia(forecast)];
  if (fall.chance < LIKELY) {
    const told = periods.filter((period) => isTolder(period, forecast, when));
    if (told.length > 0) return sayFallFromText(told, forecast, when, moment);
    return [
      `${sayNo(forecast, when)} ${sayNothing(fall, hours)} ${moment}${sayHeatOf(hours)}`,
      sayNextFall(forecast, when),
    ];
  }
  const likely = `${asked} ${place.at}`;
  const verdict =
    fall.chance >= SURE
      ? `oui, ${sayComing(fall.kind)} ${likely}`
      : `${fall.chance >= PROBABLE ? "probablement" : "peut-être"} : ${sayLikely(fall.chance, fall.kind, fall.numbered)} ${likely}`;
  const span = sayRuns(fall.runs, when, place.zone, now);
  return [
    joinSentences([
      joinParts([verdict, span, sayWhoseSpan(span, asked, forecast), via], ", "),
      sayBefore(hours, fall),
      sayAfter(hours, fall),
    ]),
    when.kind === "hour" ? "" : sayAmounts(periods, forecast, when),
  ];
}

/** Nobody is told « non » under the rain: it is said to fall, then until when or what comes next. */
function sayUnderRain(
  falling: { kind: string; at: number },
  hours: Hour[],
  periods: Period[],
  forecast: Forecast,
  when: When,
  asked: string,
): string[] {
  const { place, now } = forecast;
  const fall = fallIn(hours);
  // The hour under way is not in the list: what falls already goes on with the first one.
  const span = sayRuns(fall.runs, when, place.zone, Math.max(now, hours[0].at));
  if (fall.chance < SURE) {
    const then = fall.chance < LIKELY ? sayNothing(fall, hours) : sayLikely(fall.chance, fall.kind, fall.numbered);
    // One end is enough.
    const later = span.startsWith("jusqu'à") ? [then, span].join(" ") : joinParts([`${then} ${asked}`, span], ", ");
    return [
      sayFallingNow(falling.kind, falling.at, forecast),
      `ensuite, ${later}`,
      fall.chance < LIKELY ? sayNextFall(forecast, when) : "",
    ];
  }
  const goesOn = span === "" || span.startsWith("jusqu'à");
  const told = goesOn
    ? `oui, il y a déjà ${some(falling.kind)} ${place.at}, et ça continue ${span === "" ? asked : span}`
    : `oui, il y a ${some(falling.kind)} en ce moment ${place.at}, puis ${some(fall.kind)} ${span}`;
  return [
    joinParts([told, sayWhoseSpan(span, asked, forecast), sayVia(forecast)], ", "),
    when.kind === "hour" ? "" : sayAmounts(periods, forecast, when),
  ];
}

/** Whose hours a span says, unless the moment has said it: once in an answer. */
function sayWhoseSpan(span: string, asked: string, { place, now }: Forecast): string {
  const whose = sayWhoseHours(place, now);
  return whose !== "" && !asked.includes(whose) && /heure|midi|minuit/.test(span) ? whose : "";
}

/** A text that speaks of a risk, which no hour can say, or of a whole half-day that its hours leave dry. */
function isTolder(period: Period, { page, place, now }: Forecast, when: When): boolean {
  const [start, end] = [startOf(period, place.zone), endOf(period, place.zone)];
  const known = page.hours.filter(({ at }) => at + HOUR > start && at < end);
  const isDry = start >= now && isCovered(known, { from: start, to: end }) && fallIn(known).chance < LIKELY;
  return precipitationIn(period.text).some((one) => {
    const isHere = isWithinSpan(one, period.day, place.zone, Math.max(when.from, now), when.to);
    return isHere && (one.risk || (isDry && chanceOf(one) >= SURE));
  });
}

/** Before the hours that are sure, those that are not: « avant ça, 60 pour cent de probabilité d'averses ». */
function sayBefore(hours: Hour[], { chance, runs }: Fall): string {
  if (chance < SURE || runs.length === 0) return "";
  const early = fallIn(hours.filter(({ at }) => at < runs[0].from));
  return early.chance < LIKELY ? "" : `avant ça, ${sayLikely(early.chance, early.kind, early.numbered)}`;
}

/** After them too: « ensuite, 70 pour cent de probabilité d'averses ». */
function sayAfter(hours: Hour[], { chance, runs }: Fall): string {
  const last = runs.at(-1);
  if (chance < SURE || last === undefined || runs.length > 2) return "";
  const late = fallIn(hours.filter(({ at }) => at >= last.to));
  return late.chance < LIKELY ? "" : `ensuite, ${sayLikely(late.chance, late.kind, late.numbered)}`;
}

const WET_ALERT = /neige|pluie|vergla|orage|blizzard|grêle|grésil|hivern/;

/** « non », but not beside an alert for what is said not to come. */
function sayNo({ alerts }: Forecast, { from, to }: When): string {
  const warned = (alerts ?? []).some(
    ({ name, starts, ends }) => WET_ALERT.test(name) && (starts ?? from) < to && (ends ?? to) > from,
  );
  return warned ? "malgré l'alerte," : "non,";
}

/** Whether half-days that tell their sky follow each other over the whole moment, but for the hours just before an evening issue. */
function isTold(periods: Period[], { now, place }: Forecast, when: When): boolean {
  const isWhole = when.kind === "day" || when.kind === "days";
  const from = Math.max(when.from, now, isWhole ? instantAt(when.day, MORNING, place.zone) : 0);
  let reached = when.from <= now ? from + EVENING_ISSUE_HOURS * HOUR : from;
  for (const period of periods.filter(({ text }) => splitOfficial(text).sky.length > 0)) {
    if (startOf(period, place.zone) > reached) return false;
    reached = endOf(period, place.zone);
  }
  return reached >= when.to || (isWhole && periods.length > 0 && reached > from);
}

/** The evening's forecast comes out about two hours before 18 h, and its first half-day is the night. */
const EVENING_ISSUE_HOURS = 3;

/** What isn't known isn't dry. */
function sayNotForecast(moment: string): string {
  return `je ne peux pas le dire : la prévision n'est pas disponible ${moment}`;
}

/** « des averses sont prévues », « de la neige est prévue », « on prévoit de la pluie ou de la neige ». */
function sayComing(kind: string): string {
  const what = some(kind);
  if (/ (?:et|ou) |,/.test(what)) return `on prévoit ${what}`;
  if (what.startsWith("des ")) {
    const feminine = /^des (?:averses|précipitations|bourrasques|chutes)/.test(what);
    return `${what} sont ${feminine ? "prévues" : "prévus"}`;
  }
  return `${what} est ${/^(?:de la|une) /.test(what) ? "prévue" : "prévu"}`;
}

/** What an observation of this hour, or of the last one, says that falls: `kind` null for nothing; `null` when it says nothing of it. */
function observedFall({ page, now }: Weather): { kind: string | null; at: number } | null {
  const { at, sky } = page.current ?? { at: null, sky: null };
  if (at === null || sky === null || saySky(sky) === "" || now - at > SKY_OLD_MS) return null;
  // What may fall is not what falls.
  if (/possibilit|risque/i.test(sky)) return null;
  return { kind: kindOf(sky), at };
}

/** « en ce moment »: what is seen wins over what was forecast; then until when, or when next. */
function sayFallNow({ kind, at }: { kind: string | null; at: number }, forecast: Forecast): string[] {
  const { page, place, now } = forecast;
  const next = sayNextFall(forecast, { ...untilMorning(now, place.zone), to: now });
  if (kind === null) return [`non, il ne tombe rien en ce moment ${sayWhere(forecast)}`, next];
  const dry = page.hours.find((hour) => hour.at > now && hourChance(hour) < LIKELY);
  const [first] = page.hours.filter((hour) => hour.at > now);
  const goesOn = first !== undefined && first !== dry;
  const until = dry === undefined ? "" : `ça devrait durer jusqu'à ${sayClock(dry.at, place.zone)}`;
  return [sayFallingNow(kind, at, forecast), goesOn ? until : next];
}

/** « oui, il y a de la pluie faible en ce moment à Montréal », with the hour of an observation that isn't of this hour. */
function sayFallingNow(kind: string, at: number, forecast: Forecast): string {
  const { place, now } = forecast;
  const seen = now - at > OBSERVED_MS ? `, selon l'observation de ${sayClock(at, place.zone)}` : "";
  return `oui, il y a ${some(kind)} en ce moment ${sayWhere(forecast)}${seen}`;
}

function sayNothing({ chance }: Fall, hours: Hour[]): string {
  return sayNone(
    chance,
    hours.flatMap(({ temperature }) => temperature ?? []),
  );
}

/** « pas de pluie prévue » when it is mild, else both; what is only unlikely is said to be. */
function sayNone(chance: number, degrees: number[]): string {
  const mild = degrees.length > 0 && Math.min(...degrees) > 4;
  if (chance < 10) return mild ? "pas de pluie prévue" : "on ne prévoit ni pluie ni neige";
  if (mild) return "la pluie est peu probable";
  const cold = degrees.length > 0 && Math.max(...degrees) <= 0;
  return cold ? "la neige est peu probable" : "les précipitations sont peu probables";
}

/** « ; il fera environ 24 degrés ». */
function sayHeatOf(hours: Hour[]): string {
  const degrees = hours.flatMap(({ temperature }) => temperature ?? []);
  if (degrees.length === 0) return "";
  return spread(degrees) === 0 ? `; il fera environ ${sayDegrees(degrees[0])}` : `; il fera ${sayRange(degrees)}`;
}

function spread(degrees: number[]): number {
  return Math.round(Math.max(...degrees)) - Math.round(Math.min(...degrees));
}

/** « entre 14 et 17 heures », « à partir de 16 heures », « jusqu'à 18 heures », « vers 15 heures », or nothing for all of it. */
function sayRuns(runs: { from: number; to: number }[], when: When, zone: string, now: number): string {
  const start = Math.max(when.from, now);
  const [first, second] = runs;
  if (when.kind === "hour" || first === undefined) return "";
  const said = sayRun(first, start, when.to, zone);
  if (runs.length > 2) return "par moments";
  return second === undefined ? said : joinParts([said, `puis ${sayRun(second, start, when.to, zone)}`], ", ");
}

function sayRun({ from, to }: { from: number; to: number }, start: number, end: number, zone: string): string {
  const [opens, closes] = [from <= start + HOUR / 2, to >= end - HOUR / 2];
  if (opens && closes) return "";
  if (opens) return `jusqu'à ${sayClock(to, zone)}`;
  if (closes) return `à partir ${de(sayClock(from, zone))}`;
  if (to - from <= HOUR) return `vers ${sayClock(from, zone)}`;
  const [opening, closing] = [sayClock(from, zone), sayClock(to, zone)];
  // « Entre 14 et 17 heures », but « entre 9 heures et midi »: only one word for the hours may serve both.
  const { hour } = localTime(to, zone);
  if (hour > 0 && hour < MORNING && localTime(from, zone).hour >= MORNING)
    return `entre ${opening} et ${closing} du matin`;
  return `entre ${/ heures$/.test(closing) ? opening.replace(/^(\d+) heures$/, "$1") : opening} et ${closing}`;
}

/** How many half-days are told with what falls in them, in one breath. */
const HALVES_TOLD = 4;

/** Beyond the known hours, the official clauses are said as they are, after the verdict. */
function sayFallFromText(periods: Period[], forecast: Forecast, when: When, moment: string): string[] {
  const { now, place } = forecast;
  const wet = periods
    .map((period) => {
      // A part of a half-day: what the text gives to another part is not of it.
      // The night of a day goes on past its midnight.
      const isWhole = when.kind === "day" || when.kind === "days";
      const to = isWhole ? Math.max(when.to, endOf(period, place.zone)) : when.to;
      const near = precipitationIn(period.text).filter((one) => {
        return isWithinSpan(one, period.day, place.zone, Math.max(when.from, now), to);
      });
      return { period, found: near };
    })
    .filter(({ found }) => found.length > 0);
  if (wet.length === 0 && !isTold(periods, forecast, when)) return [sayNotForecast(moment)];
  const chance = Math.max(0, ...wet.flatMap(({ found }) => found.map(chanceOf)));
  if (chance < LIKELY) {
    const degrees = periods.flatMap(({ high, low }) => high ?? low ?? []);
    return [
      `${sayNo(forecast, when)} ${sayNone(wet.length > 0 ? 10 : 0, degrees)} ${moment}`,
      joinSentences([sayNextFall(forecast, when), sayReach(periods, forecast, when)]),
    ];
  }
  const verdict = chance >= SURE ? "oui" : chance >= PROBABLE ? "probablement" : "peut-être";
  const severalDays = when.kind === "days" || periods.some(({ day }) => day !== periods[0].day);
  const falling = when.from <= now ? (observedFall(forecast)?.kind ?? null) : null;
  const told = wet.slice(0, HALVES_TOLD).map(({ period, found }) => {
    const clauses = sayClauses(found, severalDays);
    // The moment has named the only day already.
    if (!severalDays) return period.night && periods.length > 1 ? `le soir et la nuit, ${clauses}` : clauses;
    return `${sayHalfDayName(period, now, place.zone).replace(/,$/, "")}, ${clauses}`;
  });
  const others = wet.slice(HALVES_TOLD).map(({ period }) => sayHalfDayName(period, now, place.zone).replace(/,$/, ""));
  const more = others.length > 0 ? `; possible aussi ${joinList(others)}` : "";
  const amounts = sayAmounts(periods, forecast, when);
  // A part of a day that the text doesn't tell from the rest of it.
  const isVague =
    when.part !== null &&
    when.part !== "nuit" &&
    !wet.some(({ found }) => found.some(({ clause }) => /matin|midi|soir|nuit/.test(clause)));
  const vague = isVague ? "l'heure n'est pas précisée" : "";
  return [
    // Under the rain, « peut-être » would be about something else.
    falling === null
      ? `${verdict}, ${moment} : ${told.join("; ")}${more}`
      : `oui, il y a ${some(falling)} en ce moment ${sayWhere(forecast)}; ensuite, ${told.join("; ")}${more}`,
    joinSentences([vague, amounts, sayReach(periods, forecast, when)]),
  ];
}

/** Days that were asked about and that the forecast doesn't reach are not said to be dry. */
function sayReach(periods: Period[], { now, place }: Forecast, when: When): string {
  const { day } = periods[periods.length - 1];
  if (when.kind !== "days" || day >= localTime(when.to - 1, place.zone).day) return "";
  return `les prévisions s'arrêtent à ${sayDayName(day, localTime(now, place.zone).day, isSameDay(now, place.zone)).replace(/,$/, "")}`;
}

const MERE_SKY =
  /^(?:(?:(?:partiellement|généralement) )?(?:ensoleillé|dégagé|nuageux|couvert)|alternance de soleil et de nuages|passages nuageux|quelques nuages) avec (?=\d+ pour cent de probabilité)/i;

/** The official clauses of a half-day, without a mere sky before a chance; over several days, its surest chance alone. */
function sayClauses(found: Precipitation[], briefly: boolean): string {
  const [most] = found.toSorted((one, other) => chanceOf(other) - chanceOf(one));
  if (briefly && chanceOf(most) < SURE) {
    if (most.chance === null) return `risque ${ofKind(most.kind)}`;
    // A storm or ice is worth its word.
    const danger = found.find((one) => one.risk && /orage|vergla|grêle/.test(one.kind) && one.kind !== most.kind);
    return joinParts(
      [sayLikely(most.chance, most.kind), danger === undefined ? "" : `risque ${ofKind(danger.kind)}`],
      " et ",
    );
  }
  const clauses = found.map(({ clause }) => {
    return withoutSure(clause.replace(MERE_SKY, ""));
  });
  return uncapitalise(joinSentences([...new Set(clauses)]));
}

/** Without a number that says it is sure: « averses », never « 100 pour cent de probabilité d'averses ». */
function withoutSure(clause: string): string {
  // « Suivi de 90 pour cent de probabilité d'averses » is « suivi d'averses ».
  return clause.replace(/\b(de )?(?:[89]\d|100) pour cent de probabilité (d(?:e |'))/, (_, lead, of) =>
    lead ? of : "",
  );
}

function chanceOf({ chance, risk }: Precipitation): number {
  return chance ?? (risk ? LIKELY : SURE);
}

/** The next time that something may fall, after what was asked. */
function sayNextFall({ page, place, now, when: asked }: Forecast, when: When): string {
  // After a question about an hour or a part of a day, what comes days later is nobody's question.
  const isFarFrom = (at: number) => asked !== null && !/^days?$/.test(asked.kind) && at > now + DAY_HOURS * HOUR;
  const hours = page.hours.filter(({ at }) => at >= when.to);
  const start = hours.findIndex((hour) => hourChance(hour) >= LIKELY);
  if (start >= 0) {
    // The first spell that may be, not the surest.
    const length = hours.slice(start).findIndex((hour) => hourChance(hour) < LIKELY);
    const spell = hours.slice(start, length === -1 ? hours.length : start + length);
    const [soon, [{ at }]] = [fallIn(spell), spell];
    const around = sayAround(at, now, place.zone);
    if (isFarFrom(at)) return "";
    const isClock = /^(?:\d|midi|minuit|une |vingt)/.test(around);
    const whose = isClock ? sayWhoseHours(place, at) : "";
    return `${joinParts([isClock ? `vers ${around}` : around, whose], ", ")}, ${sayLikely(soon.chance, soon.kind, soon.numbered)}`;
  }
  const known = Math.max(when.to, (hours.at(-1)?.at ?? 0) + HOUR);
  const later = page.periods.filter((one) => endOf(one, place.zone) > known);
  const next = later
    .map((period) => {
      const found = precipitationIn(period.text).filter((one) => {
        return chanceOf(one) >= LIKELY && isWithinSpan(one, period.day, place.zone, known, Infinity);
      });
      return { period, found };
    })
    .find(({ found }) => found.length > 0);
  if (next === undefined || isFarFrom(startOf(next.period, place.zone))) return "";
  const [most] = next.found.toSorted((one, other) => chanceOf(other) - chanceOf(one));
  const name = sayHalfDayName(next.period, now, place.zone).replace(/,$/, "");
  // Later in the half-day that was asked about: its own words say when.
  if (most.span !== null && startOf(next.period, place.zone) < when.to) {
    return `${name}, ${uncapitalise(withoutSure(most.clause))}`;
  }
  return `${name}, ${most.risk && most.chance === null ? `risque ${ofKind(most.kind)}` : sayLikely(chanceOf(most), most.kind)}`;
}

/** « de la neige est prévue », « 40 pour cent de probabilité d'averses », « possibilité d'averses » when no number is known. */
function sayLikely(chance: number, kind: string, numbered = true): string {
  if (chance >= SURE) return sayComing(kind);
  return `${numbered ? `${chance} pour cent de probabilité` : "possibilité"} ${ofKind(kind)}`;
}

/** Centimetres and millimetres as forecast: ranges are added, never their middle. */
function sayAmounts(periods: Period[], { now, place, page, model, when: asked }: Forecast, when: When): string {
  if (model !== null) return sayModelAmounts(hoursIn(page.hours, when, now));
  const amounts = periods.flatMap((period) => amountsIn(period.text).map((amount) => ({ ...amount, period })));
  const [first] = amounts;
  if (first === undefined) return sayNoAmount(periods, now, place.zone);
  const said = [...new Set(amounts.map(({ unit }) => unit))].map((unit) => {
    return sayAmount(amounts.filter((one) => one.unit === unit));
  });
  const severalDays = when.kind === "days" || periods.some(({ day }) => day !== periods[0].day);
  const { period } = amounts.at(-1) ?? first;
  const whole = severalDays ? `pour ${sayHalfDayName(period, now, place.zone).replace(/,$/, "")}` : sayWhole(period);
  const until = first.period === period ? whole : `d'ici ${sayEndOf(period, now, place.zone)}`;
  // Without a moment, the answer has just said until when it goes.
  return joinParts([`on annonce ${joinList(said)}`, asked === null && first.period !== period ? "" : until], " ");
}

/** « de 12 à 19 centimètres de neige », « jusqu'à 5 millimètres de pluie par endroits ». */
function sayAmount(amounts: Amount[]): string {
  const sum = (end: "low" | "high") => amounts.reduce((total, one) => total + one[end], 0);
  const [low, high] = [sum("low"), sum("high")];
  const unit = amounts[0].unit === "cm" ? "centimètre" : "millimètre";
  const named = [...new Set(amounts.flatMap(({ kind }) => kind ?? []))];
  const kinds = named.length > 0 ? named : [amounts[0].unit === "cm" ? "neige" : "pluie"];
  const range =
    low === high
      ? sayAmountFigure(high)
      : low === 0
        ? `jusqu'à ${sayAmountFigure(high)}`
        : `de ${sayAmountFigure(low)} à ${sayAmountFigure(high)}`;
  const near = amounts.length === 1 ? amounts[0].near : "";
  return joinParts([`${range} ${unit}${high < 2 ? "" : "s"}`, joinList(kinds.map(de)), near], " ");
}

/** « 10 », « 0 virgule 5 ». */
function sayAmountFigure(amount: number): string {
  return `${Math.round(amount * 10) / 10}`.replace(".", " virgule ");
}

/** How far ahead an amount is usually announced. */
const AMOUNT_HOURS = 48;

/** Snow without an amount: too little to announce, or too far ahead; zero is neither. */
function sayNoAmount(periods: Period[], now: number, zone: string): string {
  const snowy = periods.filter(({ text }) =>
    precipitationIn(text).some((one) => /neige/.test(one.kind) && chanceOf(one) >= PROBABLE),
  );
  if (snowy.length === 0) return "";
  const near = snowy.some((period) => startOf(period, zone) < now + AMOUNT_HOURS * HOUR);
  return near ? "aucune accumulation n'est annoncée" : "la quantité n'est pas encore annoncée";
}

function sayWhole({ night }: Period): string {
  return night ? "pour la soirée et la nuit" : "pour la journée";
}

/** « ce soir », « demain matin », « samedi soir ». */
function sayEndOf({ day, night }: Period, now: number, zone: string): string {
  const end = night ? addDays(day, 1) : day;
  const part = night ? "matin" : "soir";
  const days = daysBetween(localTime(now, zone).day, end);
  const isNear = isSameDay(now, zone);
  if (days === 0 && isNear) return `ce ${part}`;
  return `${days === 1 && isNear ? "demain" : WEEKDAYS[weekdayOf(end)]} ${part}`;
}

/** « d'ici demain matin ». */
function sayUntil({ to }: When, now: number, zone: string): string {
  const { day, hour } = localTime(to, zone);
  const isToday = day === localTime(now, zone).day;
  if (!isSameDay(now, zone)) return `d'ici ${WEEKDAYS[weekdayOf(day)]} ${hour >= EVENING ? "soir" : "matin"}`;
  return hour >= EVENING ? "d'ici ce soir" : isToday ? "d'ici ce matin" : "d'ici demain matin";
}

/** Something that falls within some hours: its greatest chance, its name, and the runs of hours when it is likely. */
interface Fall {
  chance: number;
  /** Whether that chance is a number of the source, or only what its words imply. */
  numbered: boolean;
  kind: string;
  runs: { from: number; to: number }[];
}

function fallIn(hours: Hour[]): Fall {
  const chances = hours.map(hourChance);
  const chance = Math.max(0, ...chances);
  // The hours that are as sure as the answer is.
  const least = chance >= SURE ? SURE : chance >= PROBABLE ? PROBABLE : LIKELY;
  const runs: Fall["runs"] = [];
  for (const [index, { at }] of hours.entries()) {
    if (chances[index] < least) continue;
    const last = runs.at(-1);
    if (last !== undefined && at <= last.to + HOUR) last.to = at + HOUR;
    else runs.push({ from: at, to: at + HOUR });
  }
  const kinds = hours.flatMap(({ sky }, index) => (chances[index] >= least && sky !== null ? (kindOf(sky) ?? []) : []));
  const kind = kinds.length === 0 ? "précipitations" : sayKinds(kinds);
  const numbered = hours.some((hour, index) => chances[index] === chance && hour.chance === chance);
  return { chance, numbered, kind, runs };
}

/** « pluie, puis neige »: each thing that falls by its most frequent name, in order; « neige et pluie » when they alternate. */
function sayKinds(kinds: string[]): string {
  if (kinds.every((kind) => kind === kinds[0])) return kinds[0];
  const count = (kind: string) => kinds.filter((one) => one === kind).length;
  const turns = kinds.map(familyOf).filter((family, index, all) => family !== all[index - 1]);
  const families = [...new Set(turns)];
  const names = families.map((family) => {
    const [name] = kinds
      .filter((kind) => familyOf(kind) === family)
      .toSorted((one, other) => count(other) - count(one));
    return name;
  });
  return turns.length === families.length ? names.join(", puis ") : joinList(names);
}

/** What can't be told for another: ice for rain, snow for rain, a thunderstorm for a shower. */
function familyOf(kind: string): string {
  const found = [/verglaçant|verglas/, /grésil|granule|grêle/, /orage/, /neige/, /pluie|averse|bruine/].filter(
    (family) => family.test(kind.replace(/averses? de neige/g, "neige")),
  );
  return found.length === 0 ? kind : found.join(" ");
}

/** A sky that speaks of rain beside a chance of zero, or none, is believed: the zeros were once a fault of the source. */
function hourChance({ chance, sky }: Hour): number {
  if (chance !== null && chance !== 0) return chance;
  if (sky === null || !isPrecipitation(sky)) return 0;
  return /possibilit|risque/i.test(sky) ? LIKELY : SURE;
}

// Air, sun, normals.

/** The air-quality index and the UV index. */
function sayAir({ place, now, air, checked, uv, uvChecked }: Air): string {
  return speak([sayAirIndex(place, now, air, checked), sayUv(uv, uvChecked, place, now)], null);
}

function sayAirIndex(place: Place, now: number, air: Air["air"], checked: boolean): string {
  if (!checked) return `je n'ai pas pu lire la cote air santé ${place.at}`;
  if (air === null) return `la cote air santé n'est pas disponible ${place.at}`;
  const { value, at, forecast, where, km } = air;
  const level = value > 10 ? "de plus de 10" : `de ${value}`;
  const far = km > AIR_FAR_KM && where !== null ? `, d'après ${where}, à ${sayKilometres(km)}` : "";
  const isTomorrow = localTime(at, place.zone).day > localTime(now, place.zone).day;
  const tomorrow = isTomorrow ? `${sayTomorrow(now, place.zone)} ` : "";
  const isNow = forecast && at <= now ? ", en ce moment" : "";
  const moment = forecast ? ` prévue${at <= now ? "" : ` ${tomorrow}à ${sayClock(at, place.zone)}`}` : "";
  const measured = !forecast && now - at > OBSERVED_MS ? `, mesurée à ${sayClock(at, place.zone)},` : "";
  return `${place.at}${far}${isNow}, la cote air santé${moment}${measured} est ${level}, risque ${sayRisk(value)}`;
}

/** Farther than this, the town whose air it is is named. */
const AIR_FAR_KM = 25;

function sayRisk(value: number): string {
  if (value <= 3) return "faible";
  return value <= 6 ? "modéré" : value <= 10 ? "élevé" : "très élevé";
}

/** « demain », or its weekday where it is another day than for the person. */
function sayTomorrow(now: number, zone: string): string {
  return isSameDay(now, zone) ? "demain" : WEEKDAYS[weekdayOf(addDays(localTime(now, zone).day, 1))];
}

function sayUv(uv: Air["uv"], checked: boolean, { at, zone }: Place, now: number): string {
  if (!checked) return "je n'ai pas pu lire l'indice U V";
  if (uv === null) return `aucun indice U V n'est prévu ${at}`;
  return `l'indice U V prévu ${uv.tomorrow ? sayTomorrow(now, zone) : sayDayName(localTime(now, zone).day, localTime(now, zone).day, isSameDay(now, zone))} est de ${sayFigure(uv.index)}, ${sayUvRisk(uv.index)}`;
}

function sayUvRisk(index: number): string {
  if (index <= 2) return "bas";
  return index <= 5 ? "modéré" : index <= 7 ? "élevé" : index <= 10 ? "très élevé" : "extrême";
}

/** « Le soleil se lève à 5 heures 31 et se couche à 20 heures 47. » */
function saySun({ place, now, day, rise, set, length }: Sun): string {
  const today = localTime(now, place.zone).day;
  const label = sayDayName(day, today, isSameDay(now, place.zone)).replace(/,$/, "");
  const start = `${place.at}, ${label}`;
  if (rise === null || set === null) {
    const [now, then] = length === 0 ? ["lève", "levé"] : ["couche", "couché"];
    return speak([`${start}, le soleil ne ${day < today ? `s'est pas ${then}` : `se ${now} pas`}`], null);
  }
  const [rises, sets] = [rise < now ? "s'est levé" : "se lève", set < now ? "s'est couché" : "se couche"];
  const after = localTime(set, place.zone).day > day ? " le lendemain" : "";
  const clocks = `le soleil ${rises} à ${sayClock(rise, place.zone)} et ${sets} à ${sayClock(set, place.zone)}${after}`;
  return speak(
    [joinParts([start, clocks, sayWhoseHours(place, rise)], ", "), `le jour dure ${sayLength(length)}`],
    null,
  );
}

/** « 9 heures et une minute ». */
function sayLength(length: number): string {
  const [hours, minutes] = [Math.floor(Math.round(length / MINUTE) / 60), Math.round(length / MINUTE) % 60];
  const said = [
    hours === 0 ? "" : hours === 1 ? "une heure" : `${sayFeminine(hours)} heures`,
    minutes === 0 ? "" : minutes === 1 ? "une minute" : `${sayFeminine(minutes)} minutes`,
  ];
  return joinParts(said, " et ");
}

/** Whose hours are said, when they aren't those of Montréal. */
function sayWhoseHours({ zone, province }: Place, at: number): string {
  if (localTime(at, zone).hour === localTime(at, HOME_ZONE).hour) return "";
  return province === "QC" ? "heure des Maritimes" : "heure locale";
}

/** Today's maximum and tonight's minimum beside the normal ones. */
function sayNormals({ place, now, page, age, ...rest }: Normals): string {
  const where = sayWhere({ place, model: null, ...rest });
  const { high, low } = page.normals;
  if (high === null && low === null) return speak([`les normales ne sont pas disponibles ${where} en ce moment`], age);
  const ahead = page.periods.slice(0, 2);
  const said = ahead.flatMap((period) => {
    const [value, normal, what] = period.night ? [period.low, low, "minimum"] : [period.high, high, "maximum"];
    if (value === null || normal === null) return [];
    return [
      `${sayHalfDayName(period, now, place.zone).replace(/,$/, "")}, le ${what} prévu de ${sayFigure(value)} ${sayGap(value, normal)}`,
    ];
  });
  if (said.length > 0) return speak([`${where}, ${said[0]}`, ...said.slice(1)], age);
  const known = [high === null ? "" : `${sayDegrees(high)} le jour`, low === null ? "" : `${sayDegrees(low)} la nuit`];
  return speak([`${where}, la normale est de ${joinParts(known, " et de ")}; la prévision n'est pas disponible`], age);
}

/** « dépasse de 4 degrés la normale, qui est de 27 ». */
function sayGap(value: number, normal: number): string {
  const gap = Math.round(value) - Math.round(normal);
  const is = `, qui est de ${sayFigure(normal)}`;
  if (gap === 0) return "correspond à la normale";
  if (Math.abs(gap) <= 1) return `est près de la normale${is}`;
  return gap > 0
    ? `dépasse de ${sayDegrees(gap)} la normale${is}`
    : `est inférieur de ${sayDegrees(-gap)} à la normale${is}`;
}

// Official texts, spoken.

// What forecasters write, made speakable. Their sentences are kept, in their order: only signs, units and a few turns
// that a voice reads badly are replaced.

/**
 * What is replaced, and by what. Every pattern is bounded: a text of 20,000 characters stays linear. `when`: without it
 * in the text, the pattern is not even compiled (all of them take 3 ms in a new isolate).
 */
type Rule = [pattern: RegExp, said: string | ((...found: string[]) => string), when?: string];

function rewrite(text: string, rules: Rule[]): string {
  let said = text;
  for (const [pattern, words, when = ""] of rules) {
    if (!said.includes(when)) continue;
    said = typeof words === "string" ? said.replace(pattern, words) : said.replace(pattern, words);
  }
  return said;
}

/** Units as they are written, lower case, and as they are said, in the singular. */
const UNITS: Record<string, string> = {
  "km/h": "kilomètre à l'heure",
  "mm/h": "millimètre à l'heure",
  "cm/h": "centimètre à l'heure",
  "m/s": "mètre par seconde",
  "µg/m³": "microgramme par mètre cube",
  km: "kilomètre",
  cm: "centimètre",
  mm: "millimètre",
  m: "mètre",
  kpa: "kilopascal",
  min: "minute",
  s: "seconde",
  "°": "degré",
};

/** Short forms that stay in capitals among ordinary words; any other of two or three letters is spelled. */
const CAPITALS: Record<string, string> = {
  UV: "U V",
  PDP: "probabilité de précipitations",
  CAS: "cote air santé",
  TNO: "Territoires du Nord-Ouest",
  ECCC: "Environnement et Changement climatique Canada",
};
const COMPASS: Record<string, string> = { N: "nord", S: "sud", E: "est", O: "ouest" };

/** A few words in a row, or a long one, are a title: lower case. « GRC » alone is spelled, « NE » is a wind. */
function sayCapitals(run: string): string {
  const title = /[^A-ZÀ-ÞŒ]/.test(run) || run.length > 3;
  return run.replace(/[A-ZÀ-ÞŒ]+/g, (word) => {
    if (CAPITALS[word] !== undefined) return CAPITALS[word];
    if (/^(?:[NS]{1,2}[EO]|[EO][NS][EO])$/.test(word) && !(title && /^[NS]E$/.test(word))) {
      return [...word].map((letter) => COMPASS[letter]).join("-");
    }
    return title ? word.toLowerCase() : [...word].join(" ");
  });
}

const COMPARISONS: Record<string, string> = {
  "<": "moins de ",
  ">": "plus de ",
  "≤": "au plus ",
  "≥": "au moins ",
  "±": "plus ou moins ",
};
const WRITTEN_TENS = ["", "", "vingt et ", "trente et ", "quarante et ", "cinquante et "];

/** « 18 heures 30 », « 15 heures 9 », « minuit 30 »: « 24 h » may be a length, so only zero is named. */
function sayWrittenClock(_: string, hours: string, minutes = "", colon = "", half = ""): string {
  const twelve = Number(hours) % 12;
  const hour = half === "" ? Number(hours) : /p/i.test(half) ? twelve + 12 : twelve;
  const minute = Number(minutes || colon);
  return `${hour === 0 ? "minuit" : `${hour} heure${hour === 1 ? "" : "s"}`}${minute === 0 ? "" : ` ${minute}`}`;
}

/** « 0 virgule 5 millimètre », « 1 centimètre », « 15 centimètres »: French has a plural from two up. */
function sayQuantity(number: string, unit: string): string {
  const value = Number(number.replaceAll(" virgule ", ".").replaceAll(" ", "").replace("zéro", "0"));
  return `${number} ${value < 2 ? unit : pluralOf(unit)}`;
}

function pluralOf(unit: string): string {
  return unit.replace(/^[A-Za-zÀ-ÿŒœ]+/, "$&s");
}

/** One number as it stands once the commas are said; at most nine digits and their spaces. */
const FIGURE = "(?<!\\d)\\d{1,9}(?: \\d{3}(?!\\d)){0,2}(?:,\\d{1,9}| virgule \\d{1,9})?(?![\\d])";

/** A whole word, accents included: `\b` stops before « é », and `\p{L}` with the flag `i` takes 0.3 ms to compile. */
function word(pattern: string, flags = "gi"): RegExp {
  return new RegExp(`(?<![A-Za-zÀ-ÿŒœ])(?:${pattern})(?![A-Za-zÀ-ÿŒœ])`, flags);
}

/** Signs, units, hours and short forms, for any official text. The order matters: what is left at the end is dropped. */
const SPELLING: Rule[] = [
  [/[‘’ʼ´]/g, "'"],
  [/“ ?/g, "« ", "“"],
  [/ ?”/g, " »", "”"],
  [/«(?! )/g, "« ", "«"],
  [/(?<! )»/g, " »", "»"],
  [/<br ?\/?>/gi, ". ", "<"],
  [/<\/?[a-z][^<>]{0,200}>/gi, " ", "<"],
  [/(?<=[A-Za-zÀ-ÿŒœ])\(([sx])\)/g, "$1", "("],
  [/(?<=[A-Za-zÀ-ÿŒœ])\((?:e|es|ne|nes)\)/g, "", "("],
  [/(?<![A-Za-zÀ-ÿŒœ])N[.,/] ?D\.?$/, "non disponible"],
  [word("N[.,/] ?D", "g"), "non disponible"],
  [word("(?<!\\d)(\\d{1,2})(?: ?h(?: ?([0-5]\\d))?|:([0-5]\\d))(?: ?([AP])M)?(?!\\d)"), sayWrittenClock],
  [/(?<![A-Za-zÀ-ÿŒœ])n(?:[°º]|o\.? (?=\d)) ?/gi, "numéro "],
  [/([<>≤≥±]) ?(?=\d)/g, (_, sign) => COMPARISONS[sign]],
  [/(?<=\d) ?: ?(?=\d)/g, ", ", ":"],
  [/−/g, "-", "−"],
  [/(?<=\d) ?[–—] ?(?=\d)/g, "-"],
  [/(?<![\d-])\d{1,9}(?:-\d{1,9}){2,5}(?![\d-])/g, (number) => number.replaceAll("-", " "), "-"],
  [/(?<=\d) ?- ?(?=\d)/g, " à ", "-"],
  [/(?<![\dA-Za-zÀ-ÿŒœ])-(?=\d)/g, "moins ", "-"],
  [/ ?[–—] ?| -+ /g, ", "],
  [/(?<=\d)[.,]0{1,9}(?!\d)/g, ""],
  [/(?<=\d)[.,](?=\d)/g, " virgule "],
  [/° ?C(?![A-Za-zÀ-ÿŒœ])|℃|º/g, "°"],
  [
    new RegExp(`(${FIGURE}) ?(km/h|mm/h|cm/h|m/s|µg/m³|kpa|km|cm|mm|min|[ms])(?![A-Za-zÀ-ÿŒœ\\d²³/'])`, "gi"),
    (_, number, unit) => sayQuantity(number, UNITS[unit.toLowerCase()] ?? unit),
  ],
  [new RegExp(`(${FIGURE}) ?°`, "g"), (_, number) => sayQuantity(number, UNITS["°"]), "°"],
  [word("(?<!/)(?:km/h|kpa|km|cm|mm)(?!/)"), (unit) => pluralOf(UNITS[unit.toLowerCase()])],
  [/°/g, " degrés ", "°"],
  [/ ?%/g, " pour cent", "%"],
  [/(?<=\d) ?\$/g, " dollars", "$"],
  [/\+ ?(?=\d)/g, "plus ", "+"],
  [/(?<![A-Za-zÀ-ÿŒœ])[A-ZÀ-ÞŒ]{2,}(?![A-Za-zÀ-ÿŒœ])(?:[ ,'-]{1,3}[A-ZÀ-ÞŒ]+(?![A-Za-zÀ-ÿŒœ]))*/g, sayCapitals],
  [/(?<=\d )À(?= \d)/g, "à", "À"],
  [word("[Ss]t(e?)\\.?", "g"), "Saint$1"],
  [word("Temp\\.", "g"), "Températures", "Temp."],
  [/(?<![A-Za-zÀ-ÿŒœ])(Max|Min)\.?(?= (?:moins|plus|près|de|zéro|\d))/gi, "$1imum"],
  [word("PdP", "g"), CAPITALS.PDP, "PdP"],
  [word("p\\. ?ex\\."), "par exemple", "ex."],
  [word("etc\\.?"), "et cetera", "etc"],
  [word("incl\\."), "incluant", "incl."],
  [word("env\\."), "environ", "env."],
  [word("int\\."), "international", "int."],
  [/~ ?(?=\d)/g, "environ ", "~"],
  [word("(?<!\\d)1(?:er|(?= (?:janv|févr|mars|avril|mai|juin|juil|août|sept|oct|nov|déc)))"), "premier"],
  [word("(?<!\\d)1(?:re|ère)"), "première"],
  [/(?<=\d)(?:e|ème)(?![A-Za-zÀ-ÿŒœ])/gi, "ième"],
  [/(?<![\dA-Za-zÀ-ÿŒœ]|virgule )0(?=[1-9](?!\d))/g, ""],
  [word("(?<!\\d|\\d[ ,]|virgule )1 ((?:kilo|centi|milli)?mètre|degré|heure|minute|seconde)s", "g"), "1 $1"],
  [word("(?<!\\d|virgule )0(?!\\d| virgule)", "g"), "zéro"],
  [word("moins zéro"), "zéro", "zéro"],
  [
    word("(?<!\\d|\\d |virgule )([2-5]?1)(?= (?:heure|minute|seconde)s?(?![a-zé]))"),
    (number) => `${WRITTEN_TENS[Math.floor(Number(number) / 10)]}une`,
  ],
  [/(?<![A-Za-zÀ-ÿŒœ])(d)e (?=une (?:heure|minute|seconde)|environ )/gi, "$1'"],
  [/\/(?=\d)/g, " sur ", "/"],
  [word("et ?/ ?ou"), "et ou", "/"],
  [/\//g, " ou ", "/"],
  [/&/g, " et ", "&"],
  [/ ?[([] ?| ?[)\]]/g, ", "],
  [/…/g, ".", "…"],
  [/[*_`#|~<>{}\\$€+=@^•·]|\p{Extended_Pictographic}|\uFE0F/gu, " "],
];

/** A dropped sign leaves no trace: spaces, marks that follow one another, a capital after a full stop. */
const TIDY: Rule[] = [
  [/\s+/g, " "],
  [/,(?=[ ,]{0,9}[,;:.!?])/g, ""],
  [/([.;:!?]) ?,/g, "$1"],
  [/ (?=[.,;])/g, ""],
  [/([.;:!?])[.,;:!?]+/g, "$1"],
  [/(?<! ):(?= |$)/g, " :"],
  [/([;:]) (?=[;:.])/g, ""],
  [/^[ ,;:.!?-]+/, ""],
  [/[ ,;:]+$/, ""],
  [/(?:^|[.!?] )[a-zà-ÿœ]/g, (start) => start.toUpperCase()],
];

/** Whole sentences, « non disponible » excepted: the source's « N,D. » carries its own full stop. */
function finish(text: string): string {
  const said = rewrite(text, TIDY).trim();
  if (!/[A-Za-zÀ-ÿŒœ\d]/.test(said)) return "";
  return /[.?!»]$|non disponible$/.test(said) ? said : `${said}.`;
}

/** « moins 12 », « 5 à 10 », « moins 20 à moins 25 », once the signs are said. */
const DEGREES =
  "((?:moins )?(?:\\d{1,9}|zéro)(?: virgule \\d{1,9})?(?: (?:à|et) (?:moins )?(?:\\d{1,9}|zéro))?)(?: degrés?)?";

function sayWrittenDegrees(head: string, value: string): string {
  const last = value.split(/ (?:à|et) /).at(-1) ?? value;
  const unit = sayQuantity(last.replace("moins ", ""), "degré").split(" ").at(-1);
  return `${head} ${value} ${unit}`;
}

/** What comes before the one temperature of « Températures stables près de 3. ». */
const TOWARDS = "près de|atteindre|jusqu'à|autour de|entre|(?<!-dess[a-z]{2} )de";
const GUST = "(?:à|de|allant jusqu'à|pouvant atteindre|atteignant) \\d{1,9}(?: à \\d{1,9})?(?: kilomètres? à l'heure)?";
const CHANGE = "devenant |diminuant |augmentant |tournant |faiblissant |passant ";

/** The turns of a forecast that a voice reads badly, and how they are said. */
const TURNS: Rule[] = [
  [/(moins [^ .]{1,9}(?: degrés?)? sauf )plus (?=\d)([^ .]{1,9})/gi, "$1$2 au-dessus de zéro", " sauf "],
  [/(?<![A-Za-zÀ-ÿŒœ])plus (?=\d|zéro)/g, "", "plus "],
  [
    new RegExp(`((?:max|min)imum)(?: de)?( près de| d'environ)? ${DEGREES}`, "gi"),
    (_, extreme, near, value) => sayWrittenDegrees(`${extreme}${near ?? " de"}`, value),
    "imum",
  ],
  [
    new RegExp(`(Températures? (?!ressentie)[^.\\d]{0,80}?(?:${TOWARDS})) ${DEGREES}`, "gi"),
    (_, head, value) => sayWrittenDegrees(head, value),
    "empérature",
  ],
  [/(humidex) (?=\d)/gi, "$1 de ", "umidex"],
  [/(indice U V) (?=\d|zéro)/gi, "$1 de ", "U V"],
  [/(indice U V de [^ .]{1,9}) ou (?!plus|moins)/gi, "$1, ", "U V"],
  [/refroidissements? éoliens?(?: de)? (?=moins|\d|zéro)/gi, "Température ressentie de ", "éolien"],
  [/refroidissements? éoliens?/gi, "Température ressentie", "éolien"],
  [/(?<=ressentie [^.]{0,120}[A-Za-zÀ-ÿŒœ]),? et (?=moins \d)/g, ", et de ", "ressentie"],
  [/(vents?|rafales) jusqu'à/gi, "$1 allant jusqu'à", "jusqu'à"],
  [/,? (avec|sauf) (?:des )?rafales/gi, ", $1 des rafales", "rafales"],
  [new RegExp(`(rafales ${GUST}),? (?=${CHANGE})`, "gi"), "$1, ", "rafales"],
  [/hauteur(s?) de pluie prévue/gi, "Quantité$1 de pluie prévue", "auteur"],
  [/hauteur prévue (de [^.]{0,30}?millimètres?)(?!s| de pluie)/gi, "Quantité prévue $1 de pluie", "auteur"],
  [/hauteur prévue/gi, "Quantité prévue", "auteur"],
];

const ZONE_SIGN = /,? ?(?<![A-Za-zÀ-ÿŒœ])(?:H([NA])([EAPRCTY])|UTC)(?![A-Za-zÀ-ÿŒœ])/g;

/** A forecast, in its own sentences: « Maximum 25. » is « Maximum de 25 degrés. ». Spoken text comes out unchanged. */
function sayOfficial(text: string): string {
  const kept = SPOKEN.get(text);
  if (kept !== undefined) return kept;
  const said = spellOfficial(text);
  if (SPOKEN.size >= CACHE_LIMIT) SPOKEN.clear();
  SPOKEN.set(text, said);
  return said;
}

/** One answer reads the same text for its sky, its rain and its amounts, and a day has few skies. */
const SPOKEN = new Map<string, string>();

function spellOfficial(text: string): string {
  if (isOrdinary(text)) {
    const spelled = text.replace(/(\d+) (km\/h|cm|mm)/g, sayWrittenQuantity).replaceAll("UV", "U V");
    const whole = `${spelled[0].toUpperCase()}${spelled.slice(1)}${spelled.endsWith(".") ? "" : "."}`;
    return rewrite(whole, TURNS);
  }
  return finish(rewrite(rewrite(cleanText(text).replace(ZONE_SIGN, ""), SPELLING), TURNS));
}

/** Words, whole numbers and the usual units: nearly all forecasts, which need no other rule, and so five times less time. */
const ORDINARY =
  /^(?:(?:[A-ZÀ-Ý]?[a-zà-ÿœ]{2,}(?:-[a-zà-ÿœ]{2,})*|à|(?:[dlns]|jusqu|aujourd)'[a-zà-ÿœ]+(?:-[a-zà-ÿœ]{2,})*|[1-9]\d{0,2}(?: (?:km\/h|cm|mm))?|UV)(?:,? |\. (?=[A-ZÀ-Ý])|\.?$))+$/;
/** What the other rules would change in it. */
const OUT_OF_ORDER =
  /(?<![a-zà-ÿœ])(?:km(?!\/)|kpa|(?<!\d )[cm]m|ste?|max|min|temp|etc|incl|env|int|rafale|moins zéro|(?:heure|minute|seconde|degré|(?:[a-z]{4,5})?mètre)s?)(?![a-zà-ÿœ])/i;

function isOrdinary(text: string): boolean {
  return ORDINARY.test(text) && !OUT_OF_ORDER.test(text);
}

function sayWrittenQuantity(_: string, number: string, unit: string): string {
  return sayQuantity(number, UNITS[unit]);
}

const ZONE_NAMES: Record<string, string> = {
  E: "de l'Est",
  A: "de l'Atlantique",
  P: "du Pacifique",
  R: "des Rocheuses",
  C: "du Centre",
  T: "de Terre-Neuve",
  Y: "du Yukon",
};

/** Two zones often stand side by side in an alert: dropping them would give two hours for one moment. */
function sayZoneSign(_: string, kind?: string, zone?: string): string {
  if (zone === undefined) return ", temps universel";
  return `, heure ${kind === "N" ? "normale" : "avancée"} ${ZONE_NAMES[zone]}`;
}

/** A paragraph of an alert, and the list that it announces. */
interface Block {
  lead: string;
  items: string[];
}

const RULED_LINE = /^[#=*_~.–—-]{2,}$/;
const BULLET = /^(?:[•·▪◦‣►]|\*(?!\*)|[-–—](?![\d-])) ?(?=\S)/;
/** An address or a hashtag cannot be said: the paragraph that holds it is left out whole. */
const WRITTEN_ONLY =
  /\S@\S|[Hh]ttps?:|www\.|(?<![A-Za-zÀ-ÿŒœ\d])#[A-Za-zÀ-ÿŒœ]|[A-Za-zÀ-ÿŒœ\d-]\.(?:ca|com|org|net)(?![A-Za-zÀ-ÿŒœ\d])/;

/** Blank lines, ruled lines and a full stop at the end of a line part paragraphs; a colon holds on to what follows. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let running = false;
  for (const line of text.split(/\r\n?|\n/).map(cleanText)) {
    const block = blocks.at(-1);
    const blank = line === "" || RULED_LINE.test(line);
    const held = block !== undefined && (running || block.lead.endsWith(":"));
    running = !blank;
    if (blank) continue;
    const isItem = BULLET.test(line);
    if (!held) blocks.push(isItem ? { lead: "", items: [line.replace(BULLET, "")] } : { lead: line, items: [] });
    else if (isItem) block.items.push(line.replace(BULLET, ""));
    else if (STARTS.test(line) && (block.items.length > 0 || ENDS.test(block.lead)))
      blocks.push({ lead: line, items: [] });
    else if (block.items.length > 0) block.items.push(`${block.items.pop()} ${line}`);
    else block.lead += isHeading(block.lead) && STARTS.test(line) ? `. ${line}` : ` ${line}`;
  }
  return blocks;
}

const STARTS = /^[A-ZÀ-ÞŒ]/;
const ENDS = /[.!?]$/;

/** A short line without a mark; a longer one goes on below. */
function isHeading(line: string): boolean {
  return line.length < 50 && /[A-Za-zÀ-ÿŒœ\d]$/.test(line);
}

/** The list said in the sentence that announces it: « … : vent, pluie, et glace »; items in sentences stay sentences. */
function sayBlock({ lead, items }: Block): string {
  if (items.length === 0) return lead;
  if (items.some((item) => /[.!?] /.test(item))) {
    return [lead, ...items.map((item) => item.replace(/[,;]$|(?<![.!?])$/, "."))].join(" ");
  }
  const words = items.map((item) =>
    item
      .replace(/[ ,;.]{0,3}(?: (?:et|ou))?$/, "")
      .replace(/^[A-ZÀ-ÞŒ](?=[a-zà-ÿœ]|')/, (letter) => letter.toLowerCase()),
  );
  const last = words.pop() ?? "";
  const glue = words.length === 0 ? "" : /^(?:et|ou) /.test(last) ? ", " : words.length === 1 ? " et " : ", et ";
  return `${lead} ${words.join(", ")}${glue}${last}`;
}

/** An alert, paragraph by paragraph: signs and units spelled out, nothing else changed; a repeated paragraph once. */
function sayVerbatim(text: string): string[] {
  const written = blocksOf(text)
    .map(sayBlock)
    .filter((paragraph) => !WRITTEN_ONLY.test(paragraph));
  const said = [...new Set(written)].map((paragraph) =>
    finish(rewrite(cleanText(paragraph).replace(ZONE_SIGN, sayZoneSign), SPELLING)),
  );
  return [...new Set(said.map(withoutRepeats))].filter((paragraph) => paragraph !== "");
}

/** « A. B. A. B. » is « A. B. »: one paragraph was once there 127 times. */
function withoutRepeats(paragraph: string): string {
  const sentences = paragraph.split(/(?<=[.!?]) ?(?=\S)/);
  const length = sentences.indexOf(sentences[0], 1);
  const isRepeated =
    length > 0 &&
    sentences.length % length === 0 &&
    sentences.every((sentence, index) => sentence === sentences[index % length]);
  return isRepeated ? sentences.slice(0, length).join(" ") : paragraph;
}

/** The spoken sentences of an official text, without their full stop. */
function sentencesOf(text: string): string[] {
  return sayOfficial(text)
    .split(/(?<=[.!?]) /)
    .map((sentence) => sentence.replace(/\.$/, ""))
    .filter((sentence) => sentence !== "");
}

/** How the sentences of a topic begin. */
const TOPICS: [topic: string, start: RegExp][] = [
  ["wind", /^(?:vents?|(?:devenant )?venteux|rafales?|coups? de vent|bourrasques?(?! de neige))(?![A-Za-zÀ-ÿŒœ])/i],
  ["heat", /^(?:maximum|minimum|températures?|humidex|(?:risque d[e'] ?)?(?:engelures?|gel))(?![A-Za-zÀ-ÿŒœ])/i],
  ["rest", /U V/],
];

/** The spoken sentences by topic; what is not wind, heat or « indice U V » is the sky and what falls from it. */
function splitOfficial(text: string): { sky: string[]; wind: string[]; heat: string[]; rest: string[] } {
  const sentences = sentencesOf(text);
  const topicOf = (sentence: string) => TOPICS.find(([, start]) => start.test(sentence))?.[0] ?? "sky";
  const of = (topic: string) => sentences.filter((sentence) => topicOf(sentence) === topic);
  return { sky: of("sky"), wind: of("wind"), heat: of("heat"), rest: of("rest") };
}

/** Something that may fall: `chance` in percent, null for a fact (then 80 or more) or a mere risk; `clause` is spoken. */
interface Precipitation {
  kind: string;
  chance: number | null;
  risk: boolean;
  clause: string;
  /** When the text says it, in hours since the midnight of its day: from 12 to 18 for « en après-midi ». */
  span: Span | null;
}

type Span = [from: number, to: number];

/** The words for a part of a half-day, and its hours since midnight, with some room around. Not patterns: nine would compile in a millisecond. */
const SPANS: [words: string, ...Span][] = [
  ["fin de nuit", 26, 30],
  ["après minuit", 24, 30],
  ["vers minuit", 22, 26],
  ["cette nuit", 21, 30],
  ["la nuit", 21, 30],
  ["mi-journée", 10, 15],
  ["vers midi", 10, 15],
  ["ce matin", 6, 12],
  ["le matin", 6, 12],
  ["en matinée", 6, 12],
  ["cet après-midi", 12, 18],
  ["en après-midi", 12, 18],
  ["ce soir", 18, 24],
  ["le soir", 18, 24],
  ["en soirée", 18, 24],
];

/** From what follows the name of what falls: « débutant en soirée », « cessant en matinée », « ce soir et après minuit ». */
function spanOf(after: string): Span | null {
  if (!SPANS.some(([words]) => after.includes(words))) return null;
  // What comes next is about something else.
  const [own] = after.split(/[,;]| puis | suivie?s? d| par la suite|chang[a-z]{1,9} en | devenant /);
  const [start, end] = own.split(/cessant|finissant|prenant fin|se terminant/);
  const [opens, closes] = [start, end ?? start].map((told) => SPANS.filter(([words]) => told.includes(words)));
  if (closes.length === 0) return null;
  const from = Math.min(...opens.map(([, from]) => from));
  const isOpen = end === undefined && /débutant|commençant/.test(start);
  return [opens.length === 0 ? 0 : from, isOpen ? DAY_HOURS + MORNING : Math.max(...closes.map(([, , to]) => to))];
}

/** Whether it may fall between two instants, by the words of the text about a day. */
function isWithinSpan({ span }: Precipitation, day: string, zone: string, from: number, to: number): boolean {
  if (span === null) return true;
  const midnight = instantAt(day, 0, zone);
  return midnight + span[0] * HOUR < to && midnight + span[1] * HOUR > from;
}

/** One thing that falls, in lower case, and how. Apart from what stands before it: in one pattern they compile in 2 ms. */
const FALLING = new RegExp(
  "(?<![a-zà-ÿœ-])(?:(?:averse|pluie|neige|bruine|orage|précipitation)s?|grésil|verglas|grêle|blizzard|" +
    "(?:bourrasques?|tempêtes?) de neige|cristaux de glace|granules? de glace)(?![a-zà-ÿœ]| récent)" +
    "(?: (?:de (?:pluie|neige|grésil|grêle)|(?:verglaçant|fondant|intermittent|fort|abondant|violent|isolé|modéré|roulé)e?s?|" +
    "faibles?|légères?|éparses|parfois (?:forte|abondante)s?|en grains)(?![a-zà-ÿœ]))*",
  "g",
);
/** The chance, the risk or the denial just before it, and « faible », which is part of its name. */
const BEFORE_FALLING = new RegExp(
  "(?<![a-zà-ÿœ-])(?:(\\d{1,3}) pour cent de (?:probabilité|risque) d(?:e |')(?:une? )?|" +
    "((?:risque|possibilité|probabilité)s? d(?:e |')(?:une? )?)|((?:aucune?|sans|ni|pas de|pas d'|fin de la) ?))?" +
    "(?:quelques )?((?:(?:faible|forte|légère)s? )?)$",
);
const BEFORE_LENGTH = 60;
/** Between two of them: « pluie ou neige » is one thing to say. */
const JOINED = /^(?: ou| et|(?: parfois)? mêlée?s?) (?:de |d')?(?:une )?$/;
/** A rain that turns to snow, or has some in it, is no surer than it was before. */
const CARRIED_ON = /^[^.]{0,60}(?:chang[a-z]{1,9} en|devenant mêlée?s? d[e']|puis d[e']) ?$/;

interface Falling {
  start: number;
  end: number;
  chance: number | null;
  risk: boolean;
}

/** Where a spoken sentence, in lower case, says that something may fall. */
function fallingIn(said: string): Falling[] {
  const found: Falling[] = [];
  for (const { 0: name, index } of said.matchAll(FALLING)) {
    const last = found.at(-1);
    const ahead = said.slice(Math.max(last?.end ?? 0, index - BEFORE_LENGTH), index);
    const [words = "", percent, danger, denied, how = ""] = BEFORE_FALLING.exec(ahead) ?? [];
    if (denied !== undefined) continue;
    const end = index + name.length;
    const before = percent === undefined && danger === undefined ? last : undefined;
    const between = before === undefined ? "" : said.slice(before.end, index - words.length);
    if (before !== undefined && JOINED.test(between)) {
      before.end = end;
      continue;
    }
    const carried = before !== undefined && CARRIED_ON.test(between) ? before : { chance: null, risk: false };
    const chance = percent === undefined ? carried.chance : Number(percent);
    found.push({ start: index - how.length, end, chance, risk: danger !== undefined || carried.risk });
  }
  return found;
}

/** « averses ou bruine »; « averses de pluie ou de neige » keeps its « de »: both are showers. */
function nameFalling(kind: string): string {
  return /^(?:[a-zà-ÿ]{1,9} )?averses? de/.test(kind) ? kind : kind.replace(/(?<= (?:ou|et) )(?:de |d')/g, "");
}

/** A headline names what falls without saying that it will, and an amount says it again. */
const NOT_A_FORECAST = /^(?:avertissement|avis|veille|alerte|bulletin|niveau)(?![a-zà-ÿ])/;
const TO_AMOUNT = /(?<![a-zà-ÿ])(?:accumulation|hauteur|quantité)s? .*$/;

/** What an official text says of precipitation, in its order. None for a sky, wind, frost, fog or blowing snow. */
function precipitationIn(text: string): Precipitation[] {
  return sentencesOf(text).flatMap((clause) => {
    const said = clause.toLowerCase();
    if (NOT_A_FORECAST.test(said)) return [];
    let span: Span | null = null;
    return fallingIn(said.replace(TO_AMOUNT, "")).map(({ start, end, chance, risk }, index, all) => {
      // « Averses cet après-midi avec risque d'un orage »: the risk is of the same hours.
      span = spanOf(said.slice(end, all[index + 1]?.start)) ?? (risk ? span : null);
      return { kind: nameFalling(said.slice(start, end)), chance, risk, clause, span };
    });
  });
}

/** An amount as forecast, the whole range; `kind` null when the text names none; `near` « par endroits », "" for none. */
interface Amount {
  kind: "neige" | "pluie" | null;
  low: number;
  high: number;
  unit: "cm" | "mm";
  near: string;
}

const AMOUNT_START = /(?<![a-zà-ÿ])(?=(?:accumulation|hauteur|quantité)s? )/i;
const AMOUNT =
  /^((?:accumulation|hauteur|quantité)[^\d]{0,80}?)(\d{1,5}(?: virgule \d{1,5})?)(?: (?:à|ou) (\d{1,5}(?: virgule \d{1,5})?))? (centi|milli)mètres?((?: (?:et |ou )?(?:de |d')?(?:neige|pluie|grésil|grêle|bruine)(?: fondante| verglaçante)?)*)(.*)$/i;

/** The amounts of an official text: ranges are kept, and « moins de 2 » or « jusqu'à 2 » is from zero to two. */
function amountsIn(text: string): Amount[] {
  return sentencesOf(text)
    .flatMap((sentence) =>
      sentence.split(AMOUNT_START).map((part) => part.replace(/(?:,|\ssauf|\set|\sune?)*\s*$/, "")),
    )
    .flatMap((part) => {
      const found = AMOUNT.exec(part);
      if (found === null) return [];
      const [, head, first, second = first, size, matter, near] = found;
      const [low, high] = [first, second].map((figure) => Number(figure.replace(" virgule ", ".")));
      const named = /neige|grésil/i.test(head + matter) ? "neige" : /pluie/i.test(head + matter) ? "pluie" : null;
      const most = first === second && /(?:moins de|jusqu'à|atteindre|au plus) $/.test(head);
      // In millimetres, without a name, Environment Canada speaks of rain: an ice crust is an « accumulation ».
      const kind = named ?? (size === "milli" && !/^accumulation/i.test(head) ? "pluie" : null);
      return [
        { kind, low: most ? 0 : low, high, unit: size === "milli" ? "mm" : "cm", near: near.replace(/^[ ,]+/, "") },
      ];
    });
}

const UNKNOWN_SKY = /^(?:(?:non |in)disponible|non observée?|inconnue?|n[.,]?d[.,]?)$/;

/** A short condition of the sky, in lower case, ready to follow other words; "" when the source has none. */
function saySky(condition: string): string {
  const said = sayOfficial(condition).replace(/\.$/, "").toLowerCase();
  if (UNKNOWN_SKY.test(said)) return "";
  const plain = said.replace(/poudrerie élevée/g, "poudrerie");
  return plain.replace(/^précipitations?(?: inconnues?)?$/, "des précipitations");
}

/** What falls, in a short condition: « pluie faible »; null when nothing does. */
function kindOf(condition: string): string | null {
  const said = saySky(condition);
  if (said === "des précipitations") return said;
  const found = fallingIn(said).map(({ start, end }) => nameFalling(said.slice(start, end)));
  return found.length === 0 ? null : joinList(found);
}

function isPrecipitation(condition: string): boolean {
  return kindOf(condition) !== null;
}

// <words>
// The words that every door says the same way. They read the core and nothing else.

const MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(" ");

/** « de Toronto », « d'Ottawa », « du Colorado », « des Escoumins », « de la Caroline ». */
function de(name: string): string {
  if (name.startsWith("les ")) return `des ${name.slice(4)}`;
  if (name.startsWith("le ")) return `du ${name.slice(3)}`;
  return /^[aeiou]/.test(fold(name)) ? `d'${name}` : `de ${name}`;
}

/** « lundi », « lundi et mardi », « lundi, mardi et jeudi ». */
function joinList(names: string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} et ${names.at(-1)}`;
}

function joinParts(parts: string[], glue: string): string {
  return parts.filter((part) => part !== "").join(glue);
}

// </words>

// <speech>
// How time is said, and the arithmetic of days. They read the core and the words above, and nothing else.

/** Parts of an answer, one sentence each; `age` in ms is said first when it comes from an older answer. */
function speak(parts: string[], age: number | null): string {
  const [first, ...rest] = parts.filter((part) => part !== "");
  const start = age === null ? first : `au dernier relevé, ${sayAge(age)} : ${first.replace(" : ", ", ")}`;
  return [start, ...rest].map((part) => `${part[0].toUpperCase()}${part.slice(1)}.`).join(" ");
}

/** « il y a 40 secondes », « il y a une minute », « il y a 3 heures »; `age` in ms. */
function sayAge(age: number): string {
  const seconds = Math.max(1, Math.round(age / 1000));
  if (seconds < 60) return `il y a ${saySeconds(seconds)}`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `il y a ${minutes === 1 ? "une minute" : `${sayFeminine(minutes)} minutes`}`;
  const hours = Math.round(minutes / 60);
  return `il y a ${hours === 1 ? "une heure" : `${sayFeminine(hours)} heures`}`;
}

function saySeconds(count: number): string {
  return count === 1 ? "une seconde" : `${sayFeminine(count)} secondes`;
}

/** A number under ten thousand before a feminine word, in letters when it ends in « une »: a voice would read « un ». */
function sayFeminine(count: number): string {
  const [hundreds, rest] = [Math.floor(count / 100), count % 100];
  if (rest % 10 !== 1 || [11, 71, 91].includes(rest)) return `${count}`;
  const unit = rest === 1 ? "une" : rest === 81 ? "quatre-vingt-une" : `${TENS[(rest - 1) / 10]} et une`;
  const times = (many: number, word: string) => (many === 0 ? "" : many === 1 ? word : `${DIGITS[many]} ${word}`);
  return joinParts([times(Math.floor(hundreds / 10), "mille"), times(hundreds % 10, "cent"), unit], " ");
}

const TENS = ["", "", "vingt", "trente", "quarante", "cinquante", "soixante"];
const DIGITS = ["", "", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf"];

/** « 19 heures », « 19 heures 30 », « midi », « minuit 15 », « une heure ». */
function sayClock(instant: number, zone: string): string {
  const { hour, minute } = localTime(instant, zone);
  const words: Record<number, string> = { 0: "minuit", 1: "une heure", 12: "midi", 21: "vingt et une heures" };
  return `${words[hour] ?? `${hour} heures`}${minute === 0 ? "" : ` ${minute}`}`;
}

const WEEKDAYS = "dimanche lundi mardi mercredi jeudi vendredi samedi".split(" ");

/** « le samedi 14 novembre », with the year when it is half a year away or more. */
function sayDate(day: string, today: string): string {
  const [year, month, date] = day.split("-").map(Number);
  const far = Math.abs(daysBetween(today, day)) > 180 ? ` ${year}` : "";
  return `le ${WEEKDAYS[weekdayOf(day)]} ${date === 1 ? "premier" : date} ${MONTHS[month - 1]}${far}`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const FORMATS = new Map<string, Intl.DateTimeFormat>();

interface LocalTime {
  readonly day: string;
  readonly hour: number;
  readonly minute: number;
}

/** The minutes read so far, by zone: the platform takes 10 µs for one, and an answer reads the same ones many times. */
const LOCAL_TIMES = new Map<string, LocalTime>();
const LOCAL_TIMES_LIMIT = 500;

/** Date (YYYY-MM-DD), hour and minute of an instant in a zone. */
function localTime(instant: number, zone: string): LocalTime {
  const key = `${zone} ${Math.floor(instant / MINUTE)}`;
  const kept = LOCAL_TIMES.get(key);
  if (kept !== undefined) return kept;
  const format =
    FORMATS.get(zone) ??
    new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short", timeStyle: "short", hourCycle: "h23" });
  FORMATS.set(zone, format);
  const [day, time] = format.format(instant).split(", ");
  const [hour, minute] = time.split(":").map(Number);
  if (LOCAL_TIMES.size >= LOCAL_TIMES_LIMIT) LOCAL_TIMES.clear();
  const local = { day, hour, minute };
  LOCAL_TIMES.set(key, local);
  return local;
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / (24 * HOUR));
}

function weekdayOf(day: string): number {
  return new Date(day).getUTCDay();
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 24 * HOUR).toISOString().slice(0, 10);
}

/** `null` for a 31 November: the platform would call it 1 December. */
function dateOf(year: number, month: number, date: number): string | null {
  const day = `${year}-${String(month).padStart(2, "0")}-${String(date).padStart(2, "0")}`;
  const instant = Date.parse(day);
  return Number.isNaN(instant) || new Date(instant).toISOString().slice(0, 10) !== day ? null : day;
}

// </speech>

// ── 4. The data ──────────────────────────────────────────────────────────────
// Environment Canada's GeoMet first: one page of a town serves conditions, forecast, precipitation and normals. Open-Meteo
// where it doesn't reach, or when it is down.

const ORIGINS: Record<string, string> = {
  ECCC_API: "https://api.weather.gc.ca",
  OPEN_METEO_API: "https://api.open-meteo.com",
  GEO_API: "https://geogratis.gc.ca",
  GEO_WORLD_API: "https://geocoding-api.open-meteo.com",
};
const SOURCE_DOWN =
  "Environnement Canada est injoignable pour l'instant. Ça dure d'habitude quelques minutes et ça ne veut pas dire qu'il n'y a pas d'alerte. Redemande dans cinq minutes.";
const SOURCE_EMPTY =
  "Environnement Canada n'a pas de page pour cet endroit en ce moment. C'est rare, et ça ne veut pas dire qu'il n'y a pas de prévisions. Redemande avec une ville plus grande tout près.";
const MODEL_DOWN =
  "Le modèle d'Open-Meteo, qui sert pour cet endroit, est injoignable pour l'instant. Ça dure d'habitude quelques minutes, et ça ne veut pas dire que l'endroit n'existe pas. Redemande dans cinq minutes.";
const MODEL_OFF =
  "Cet endroit est hors de portée d'Environnement Canada, et le modèle qui le couvrirait est fermé ici. Ça ne changera pas en redemandant. Demande un endroit du Canada.";
const ALERTS_DOWN =
  "Je n'ai pas pu vérifier les alertes. Ça dure d'habitude quelques minutes, et ça ne veut pas dire qu'il n'y en a pas. Redemande dans cinq minutes, ou regarde le site d'Environnement Canada.";
const ALERTS_ABROAD =
  "Environnement Canada n'émet d'alertes que pour le Canada. Ça ne veut pas dire qu'il n'y a pas de danger ailleurs. Demande les alertes d'un endroit du Canada, ou les prévisions de l'endroit voulu.";
const AIR_ABROAD =
  "La cote air santé n'existe qu'au Canada. Ça ne changera pas en redemandant, et ça ne dit rien de l'air ailleurs. Demande un endroit du Canada, ou les prévisions de l'endroit voulu.";
const AIR_DOWN =
  "Environnement Canada ne répond pas pour l'air en ce moment. Ça dure d'habitude quelques minutes, et ça ne veut pas dire que l'air est bon. Redemande dans cinq minutes.";
const NORMALS_DOWN =
  "Environnement Canada est injoignable pour l'instant. Ça dure d'habitude quelques minutes, et ça ne veut pas dire qu'il n'y a pas de normales. Redemande dans cinq minutes.";
const NORMALS_ABROAD =
  "Je n'ai les normales que pour le Canada. Ça ne changera pas en redemandant. Demande un endroit du Canada, ou les prévisions de l'endroit voulu.";

/** A page is rewritten at least every hour; an alert may come at any time; AQHI comes out twice a day, or hourly. */
const PAGE_TTL_MS = 10 * MINUTE;
const ALERTS_TTL_MS = 2 * MINUTE;
const AIR_TTL_MS = 30 * MINUTE;
const MODEL_TTL_MS = 15 * MINUTE;
/** How old an answer may be when the source is down; alerts are a matter of safety, and age faster. */
const PAGE_STALE_MS = 3 * HOUR;
const ALERTS_STALE_MS = 15 * MINUTE;
/** A page not rewritten for this long is a page that nobody writes any more. */
const PAGE_DEAD_MS = 3 * HOUR;
/** Past this, it isn't even said with its age: the forecast has been written anew twice. */
const PAGE_BURIED_MS = 12 * HOUR;
/** An observation is said to be of its hour from this age on, then to be the last one, then not to be of now. */
const OBSERVED_MS = HOUR;
const SKY_OLD_MS = 2 * HOUR;
const OBSERVED_OLD_MS = 3 * HOUR;
const OBSERVED_DEAD_MS = 6 * HOUR;
/** Waits, so that the worst chain (a place to look up, a page, then the model) ends within the budget of the core. */
const PAGE_TIMEOUT_MS = 3_000;
const MODEL_TIMEOUT_MS = 2_500;
const CALLS_LIMIT = 4;
/** Farther than this from a page, its distance is said; farther than that, the model is nearer to the truth. */
const FAR_KM = 60;
const TOO_FAR_KM = 120;
/** Half a side of the square around a point: alerts are then kept by their polygon, air stations by their distance. */
const ALERTS_DEGREES = 0.05;
const AIR_DEGREES = 0.6;
/** An air station farther than this says nothing of the air here. */
const AIR_KM = 60;
/** `latest=true` once gave a value seven hours old. */
const AIR_OLD_MS = 3 * HOUR;
/** What `read` keeps by default. */
const STALE_MS = PAGE_STALE_MS;
const DAY_HOURS = 24;
/** An official day goes from 6 to 18 hours, the night from 18 to 6. */
const MORNING = 6;
const EVENING = 18;

/** km/h. `speed` 0 is calm; `direction` is French, « NNO », « VR » when variable. */
interface Wind {
  speed: number;
  gust: number | null;
  direction: string | null;
}

/** An observation, or what the model says is now. Temperatures in °C; `at` in ms since 1970. */
interface Current {
  at: number | null;
  sky: string | null;
  temperature: number | null;
  dewpoint: number | null;
  wind: Wind | null;
}

/** An official half-day: from 6 to 18 hours of `day`, or the night that begins that evening. `text` is the official one. */
interface Period {
  day: string;
  night: boolean;
  text: string;
  high: number | null;
  low: number | null;
  wind: Wind | null;
  /** The index of the day. */
  uv: number | null;
}

/** One hour that begins at `at`; `chance` of precipitation in percent. */
interface Hour {
  at: number;
  sky: string | null;
  temperature: number | null;
  chance: number | null;
  /** Wind chill or humidex. */
  feels: number | null;
  wind: Wind | null;
  uv: number | null;
  /** Of the model, mm of water, melted snow included, and cm of snow; the official amounts are in the texts. */
  water: number | null;
  snow: number | null;
}

/** What a town's page says, or what the model says in the same shape. */
interface Page {
  updated: number | null;
  current: Current | null;
  periods: Period[];
  hours: Hour[];
  normals: { high: number | null; low: number | null };
}

/** Why the model speaks: the place is out of reach, or the official page is down or no longer written. */
type Model = "reach" | "down" | "old";

interface Weather {
  place: Place;
  now: number;
  page: Page;
  model: Model | null;
  /** In ms, when an older answer serves because the source is down, or because nobody writes its page any more. */
  age: number | null;
  /** In force at that very point, the most serious first; `null` when they could not be checked. */
  alerts: Alert[] | null;
}

interface Forecast extends Weather {
  when: When | null;
}

interface Alert {
  /** « avertissement », « veille », « avis », « bulletin météorologique spécial ». */
  name: string;
  colour: string | null;
  zone: string | null;
  published: number | null;
  expires: number | null;
  starts: number | null;
  ends: number | null;
  /** The official text, as written. */
  text: string;
  /** Another one of the same answer could not be read. */
  partial: boolean;
  rank: number;
}

interface Warnings {
  place: Place;
  /** What is said for each part of the official text, and which one was asked for, from 1. */
  parts: string[];
  part: number;
  age: number | null;
}

/** The air-quality index: measured outside Québec, forecast in Québec. `value` is rounded, 1 or more. */
interface Air {
  place: Place;
  now: number;
  air: { value: number; at: number; forecast: boolean; where: string | null; km: number } | null;
  /** False when the request failed, as opposed to an answer without a value. */
  checked: boolean;
  uv: { index: number; tomorrow: boolean } | null;
  uvChecked: boolean;
}

interface Sun {
  place: Place;
  now: number;
  day: string;
  /** ms since 1970; `null` when the sun doesn't rise or set that day. */
  rise: number | null;
  set: number | null;
  /** How long the sun is up, in ms: 0 in the polar night, 24 h in the polar day. */
  length: number;
}

interface Normals {
  place: Place;
  now: number;
  age: number | null;
  page: Page;
}

/** No question costs more than four calls: past that, what is left is done without. */
function limitCalls(deps: Deps): Deps & { left(): number } {
  let left = CALLS_LIMIT;
  return {
    ...deps,
    left: () => left,
    fetch: (url, init) => {
      if (left <= 0) throw new Refusal(SOURCE_DOWN);
      left--;
      return deps.fetch(url, init);
    },
  };
}

/** Not even tried when no call is left and nothing is kept: a call that was not made is not a failure of the source. */
function checkAfford(url: string, deps: Deps & { left(): number }): void {
  if (deps.left() === 0 && !CACHE.has(url)) throw new Refusal(SOURCE_DOWN);
}

/** The weather of a place now, with the alerts in force there. */
async function fetchWeather(lieu: unknown, given: Deps): Promise<Weather> {
  const deps = limitCalls(given);
  const place = await findPlace(lieu, deps);
  return fetchWeatherAt(place, ({ current, hours }) => current !== null || hours.length > 0, deps);
}

/** The weather of a place at a moment that the forecast reaches. */
async function fetchForecast(lieu: unknown, quand: unknown, given: Deps): Promise<Forecast> {
  const deps = limitCalls(given);
  const place = await findPlace(lieu, deps);
  const asked = findWhen(quand, deps.now(), place.zone);
  const weather = await fetchWeatherAt(place, ({ periods }) => periods.length > 0, deps);
  const { zone } = weather.place;
  const when = zone === place.zone ? asked : findWhen(quand, deps.now(), zone);
  const last = weather.page.periods.at(-1);
  if (when !== null && last !== undefined && when.from >= endOf(last, place.zone)) {
    throw new Refusal(sayTooFar(last, weather));
  }
  return { ...weather, when };
}

/** The official page when `suits` finds in it what is asked for, else the model, else the page such as it is. */
async function fetchWeatherAt(
  place: Place,
  suits: (page: Page) => boolean,
  deps: Deps & { left(): number },
): Promise<Weather> {
  const { site, km, zone } = place;
  const now = deps.now();
  const told = (page: Page, age: number | null, model: Model | null, alerts: Alert[] | null) => {
    return { place, now, page: withoutPast(page, zone, now), age, model, alerts };
  };
  if (site === null) {
    if (!isModelOpen(deps)) throw new Refusal(MODEL_OFF);
    const found = await orRefuse(fetchModel(place, deps), MODEL_DOWN);
    // Of a point abroad the hour was a guess: the model knows it.
    const there = { ...place, zone: found.zone };
    return {
      ...told(found.page, found.age, "reach", null),
      place: there,
      page: withoutPast(found.page, found.zone, now),
    };
  }
  // Together while they can both be afforded: a page that fails leaves a call for the model.
  const checkAlerts = async () => (await attempt(fetchAlerts(place, deps, EXTRA_TIMEOUT_MS)))?.data ?? null;
  const early = deps.left() > 2 ? checkAlerts() : null;
  const near = km > TOO_FAR_KM ? await attempt(fetchModel(place, deps)) : null;
  if (near !== null) return told(near.page, near.age, "reach", await (early ?? checkAlerts()));
  const failures: Refusal[] = [];
  const official = await attempt(fetchPage(site, zone, deps), failures);
  if (official !== null && isAlive(official.page, now) && suits(withoutPast(official.page, zone, now))) {
    return told(official.page, official.age, null, await (early ?? checkAlerts()));
  }
  const model = km > TOO_FAR_KM ? null : await attempt(fetchModel(place, deps));
  const alerts = await (early ?? checkAlerts());
  if (model !== null) return told(model.page, model.age, official === null ? "down" : "old", alerts);
  if (official === null) throw failures[0] ?? new Refusal(SOURCE_DOWN);
  const { page, age } = official;
  const isEmpty = page.current === null && page.periods.length === 0 && page.hours.length === 0;
  if (isEmpty || (page.updated !== null && now - page.updated > PAGE_BURIED_MS))
    throw new Refusal(isEmpty ? SOURCE_EMPTY : SOURCE_DOWN);
  return told(page, ageOf(page, age, now), null, alerts);
}

/** How old a page is said to be: that of its writing, when nobody writes it any more. */
function ageOf(page: Page, age: number | null, now: number): number | null {
  return isAlive(page, now) || page.updated === null ? age : now - page.updated;
}

/** Written within the last hours. */
function isAlive({ updated }: Page, now: number): boolean {
  return updated === null || now - updated <= PAGE_DEAD_MS;
}

/** The page of a town. `age` in ms when it comes from memory because the source is down. */
async function fetchPage(site: Site, zone: string, deps: Deps): Promise<{ page: Page; age: number | null }> {
  const url = addressOf(`/collections/citypageweather-realtime/items/${site.id}?f=json&lang=fr`, "ECCC_API", deps);
  const parse = (body: Json) => parsePage(body, zone, deps.now());
  const { data, at, stale } = await read(
    url,
    deps,
    () => PAGE_TTL_MS,
    PAGE_TIMEOUT_MS,
    parse,
    undefined,
    PAGE_STALE_MS,
  );
  return { page: data, age: stale ? deps.now() - at : null };
}

/** The alerts whose zone holds that very point. */
async function fetchAlerts(
  { lat, lon }: Place,
  deps: Deps & { left(): number },
  wait: number,
): Promise<{ data: Alert[]; at: number; stale: boolean }> {
  // Longitude first: the other order is answered 200 with nothing in it, as if all were calm.
  const box = [lon - ALERTS_DEGREES, lat - ALERTS_DEGREES, lon + ALERTS_DEGREES, lat + ALERTS_DEGREES];
  const query = `f=json&lang=fr&bbox=${box.map((side) => side.toFixed(3)).join(",")}&limit=100`;
  const url = addressOf(`/collections/weather-alerts/items?${query}`, "ECCC_API", deps);
  checkAfford(url, deps);
  const parse = (body: Json) => parseAlerts(body, lat, lon);
  const answer = await read(url, deps, () => ALERTS_TTL_MS, wait, parse, undefined, ALERTS_STALE_MS);
  const now = deps.now();
  const data = onePerName(answer.data.filter((alert) => isInForce(alert, now)));
  if (data.length === 0 && answer.data.some(({ partial }) => partial)) throw new Refusal(ALERTS_DOWN);
  return { ...answer, data };
}

async function fetchWarnings(lieu: unknown, part: number, given: Deps): Promise<Warnings> {
  const deps = limitCalls(given);
  const place = await findPlace(lieu, deps);
  if (place.site === null) throw new Refusal(ALERTS_ABROAD);
  const { data, at, stale } = await orRefuse(fetchAlerts(place, deps, TIMEOUT_MS), ALERTS_DOWN);
  const now = deps.now();
  const parts = alertParts(data, place, now);
  if (parts.length > 0 && part > parts.length) throw new Refusal(sayNoSuchPart(parts.length));
  return { place, parts, part, age: stale ? now - at : null };
}

async function fetchNormals(lieu: unknown, given: Deps): Promise<Normals> {
  const deps = limitCalls(given);
  const place = await findPlace(lieu, deps);
  if (place.site === null) throw new Refusal(NORMALS_ABROAD);
  const failures: Refusal[] = [];
  const found = await attempt(fetchPage(place.site, place.zone, deps), failures);
  if (found === null) throw new Refusal(failures[0]?.message === SOURCE_EMPTY ? SOURCE_EMPTY : NORMALS_DOWN);
  const { page, age } = found;
  const now = deps.now();
  if (page.updated !== null && now - page.updated > PAGE_BURIED_MS) throw new Refusal(NORMALS_DOWN);
  return { place, now, page: withoutPast(page, place.zone, now), age: ageOf(page, age, now) };
}

async function fetchAir(lieu: unknown, given: Deps): Promise<Air> {
  const deps = limitCalls(given);
  const place = await findPlace(lieu, deps);
  if (place.site === null) throw new Refusal(AIR_ABROAD);
  const now = deps.now();
  // One after the other would be two waits for one answer.
  const [air, official] = await Promise.all([
    attempt(fetchAirIndex(place, deps)),
    attempt(fetchPage(place.site, place.zone, deps)),
  ]);
  if (air === null && official === null) throw new Refusal(AIR_DOWN);
  return {
    place,
    now,
    air: air?.value ?? null,
    checked: air !== null,
    uv: official === null ? null : uvOf(withoutPast(official.page, place.zone, now), place.zone, now),
    uvChecked: official !== null,
  };
}

/** Québec publishes forecasts only; elsewhere a measure is worth more, and a forecast better than nothing. */
async function fetchAirIndex(place: Place, deps: Deps & { left(): number }): Promise<{ value: Air["air"] }> {
  if (place.province === "QC") return { value: await fetchAirForecast(place, deps) };
  const observed = await attempt(fetchAirObserved(place, deps));
  if (observed !== null || deps.left() === 0) return { value: observed };
  return { value: await fetchAirForecast(place, deps) };
}

function airBox({ lat, lon }: Place): string {
  return [lon - AIR_DEGREES, lat - AIR_DEGREES, lon + AIR_DEGREES, lat + AIR_DEGREES]
    .map((side) => side.toFixed(2))
    .join(",");
}

async function fetchAirForecast(place: Place, deps: Deps): Promise<Air["air"]> {
  // A publication is some 70 hours long: this holds the latest of the few towns around.
  const query = `f=json&lang=fr&bbox=${airBox(place)}&sortby=-publication_datetime&limit=300`;
  const url = addressOf(`/collections/aqhi-forecasts-realtime/items?${query}`, "ECCC_API", deps);
  const { data } = await read(url, deps, () => AIR_TTL_MS, PAGE_TIMEOUT_MS, parseAirReadings, undefined, PAGE_STALE_MS);
  const now = deps.now();
  const own = data.filter(({ location }) => isOfProvince(location, place.province));
  const here = nearestReadings(own, place).filter(({ at }) => at + HOUR > now && at <= now + DAY_HOURS * HOUR);
  const published = Math.max(...here.map(({ published }) => published));
  const [first = null] = here.filter((one) => one.published === published).toSorted((one, other) => one.at - other.at);
  return first === null ? null : { ...first, forecast: true };
}

async function fetchAirObserved(place: Place, deps: Deps): Promise<Air["air"]> {
  const query = `f=json&lang=fr&latest=true&bbox=${airBox(place)}&limit=50`;
  const url = addressOf(`/collections/aqhi-observations-realtime/items?${query}`, "ECCC_API", deps);
  const { data } = await read(url, deps, () => AIR_TTL_MS, PAGE_TIMEOUT_MS, parseAirReadings, undefined, PAGE_STALE_MS);
  const now = deps.now();
  const fresh = data.filter(({ at }) => now - at <= AIR_OLD_MS && at <= now + HOUR);
  const [latest = null] = nearestReadings(fresh, place).toSorted((one, other) => other.at - one.at);
  return latest === null ? null : { ...latest, forecast: false };
}

interface AirReading {
  location: string;
  where: string | null;
  point: Point | null;
  at: number;
  published: number;
  value: number;
}

/** Towns are coded by province, those of Québec begin with E: the air of Ottawa isn't said for Gatineau, however near. */
function isOfProvince(location: string, province: string | null): boolean {
  return !(province === "QC" ? /^[A-DF-L][A-Z]{4}$/ : /^E[A-Z]{4}$/).test(location);
}

/** The readings of the nearest town that has any, with its distance; one without coordinates is in the square asked for. */
function nearestReadings(readings: AirReading[], place: Place): (AirReading & { km: number })[] {
  const near = readings
    .flatMap((one) => (one.point === null ? [] : [{ ...one, km: distance(place, one.point) }]))
    .filter(({ km }) => km <= AIR_KM);
  if (near.length === 0) return readings.filter(({ point }) => point === null).map((one) => ({ ...one, km: 0 }));
  const best = Math.min(...near.map(({ km }) => km));
  return near.filter(({ km }) => km === best);
}

/** The index of the day, from now on: today's while it can still rise, else tomorrow's. */
function uvOf({ periods, hours }: Page, zone: string, now: number): Air["uv"] {
  const today = localTime(now, zone);
  const period = periods.find(({ night }) => !night);
  if (period?.uv != null) return { index: period.uv, tomorrow: period.day > today.day };
  const ahead = hours.filter(({ at, uv }) => uv !== null && localTime(at, zone).day === today.day);
  const index = Math.max(...ahead.map(({ uv }) => uv ?? 0));
  return ahead.length === 0 ? null : { index, tomorrow: false };
}

// Open-Meteo, in the shape of a page.

/** Its free tier is for non-commercial use: a deployment may close it with OPEN_METEO=off. */
function isModelOpen({ env }: Deps): boolean {
  return env.OPEN_METEO !== "off";
}

/** Its page, and the zone that it gives to the place. */
async function fetchModel(
  place: Place,
  deps: Deps & { left(): number },
): Promise<{ page: Page; zone: string; age: number | null }> {
  if (!isModelOpen(deps)) throw new Refusal(MODEL_OFF);
  const query = [
    `latitude=${place.lat.toFixed(2)}&longitude=${place.lon.toFixed(2)}&timezone=auto&wind_speed_unit=kmh&temperature_unit=celsius&precipitation_unit=mm`,
    "current=temperature_2m,relative_humidity_2m,weather_code,wind_speed_10m,wind_direction_10m,wind_gusts_10m",
    "hourly=temperature_2m,precipitation_probability,precipitation,snowfall,weather_code,wind_speed_10m,wind_direction_10m,wind_gusts_10m",
    "daily=temperature_2m_max,temperature_2m_min,uv_index_max&forecast_days=7",
  ].join("&");
  const url = addressOf(`/v1/forecast?${query}`, "OPEN_METEO_API", deps);
  checkAfford(url, deps);
  const parse = (body: Json) => parseModel(body, place, deps.now());
  const { data, at, stale } = await read(
    url,
    deps,
    () => MODEL_TTL_MS,
    MODEL_TIMEOUT_MS,
    parse,
    undefined,
    PAGE_STALE_MS,
  );
  const now = deps.now();
  const ahead = withoutPast(data.page, data.zone, now);
  const isNow = ahead.current?.at != null && now - ahead.current.at <= OBSERVED_OLD_MS;
  // Days that are all over are no weather.
  if (!isNow && ahead.hours.length === 0 && ahead.periods.length === 0) throw new Refusal(MODEL_DOWN);
  return { ...data, age: stale ? now - at : null };
}

// Half-days and hours.

/** The person's zone, when it isn't that of the place. */
const HOME_ZONE = "America/Toronto";

/** When a half-day begins and ends, in ms: 6 to 18 hours, or 18 to 6. */
function startOf({ day, night }: Pick<Period, "day" | "night">, zone: string): number {
  return instantAt(day, night ? EVENING : MORNING, zone);
}

function endOf({ day, night }: Pick<Period, "day" | "night">, zone: string): number {
  return instantAt(day, night ? DAY_HOURS + MORNING : EVENING, zone);
}

/** The known hours of an interval; the next one when the hour under way isn't known any more. */
function hoursIn(hours: Hour[], { from, to }: Pick<When, "from" | "to">, now: number): Hour[] {
  const inside = hours.filter(({ at }) => at + HOUR > from && at < to);
  if (inside.length > 0 || from > now || to > now + HOUR) return inside;
  return hours.filter(({ at }) => at >= to).slice(0, 1);
}

/** The half-days that a moment is about; the night before a day isn't of that day. */
function periodsIn({ page, place }: Weather, when: When): Period[] {
  if (when.kind === "day" || when.kind === "days") {
    const last = localTime(when.to - 1, place.zone).day;
    return page.periods.filter((one) => one.day >= when.day && one.day <= last && endOf(one, place.zone) > when.from);
  }
  return page.periods.filter((one) => startOf(one, place.zone) < when.to && endOf(one, place.zone) > when.from);
}

/** Every hour of the interval is known; the one under way may be missing. */
function isCovered(hours: Hour[], { from, to }: Pick<When, "from" | "to">): boolean {
  const [first, last] = [hours[0], hours.at(-1)];
  if (first === undefined || last === undefined || first.at > from + HOUR || last.at + HOUR < to) return false;
  return hours.every(({ at }, index) => index === 0 || at - hours[index - 1].at <= HOUR);
}

/** What is over is left out: a page is read until it is replaced, and it may be late. */
function withoutPast(page: Page, zone: string, now: number): Page {
  return {
    ...page,
    periods: page.periods.filter((one) => endOf(one, zone) > now),
    hours: page.hours.filter(({ at }) => at + HOUR > now),
  };
}

/** The hour under way, or the one that begins within the hour. */
function hourAtInstant(hours: Hour[], now: number): Hour | null {
  return hours.find(({ at }) => at + HOUR > now && at <= now + HOUR) ?? null;
}

/** What « va-t-il pleuvoir ? » is about when no moment is said: until the end of the night, or of the day past midnight. */
function untilMorning(now: number, zone: string): When {
  const { day, hour } = localTime(now, zone);
  const to = hour < MORNING ? instantAt(day, EVENING, zone) : instantAt(day, DAY_HOURS + MORNING, zone);
  return { kind: "part", day, part: null, weekend: false, from: now, to };
}

// When: from what a person said to an interval of the place's own time.

type Part = "matin" | "après-midi" | "soir" | "nuit";

/**
 * An interval of local time. `hour`: a single hour; `part`: of one day; `day`: one day; `days`: several, « fin de semaine »
 * when `weekend`; `hours`: the next few, counted from now. `day` is the local day that it belongs to.
 */
interface When {
  kind: "now" | "hour" | "hours" | "part" | "day" | "days";
  day: string;
  part: Part | null;
  weekend: boolean;
  from: number;
  to: number;
}

/** Hours of a day, from its midnight; the night is the one that follows. */
const PARTS: Record<Part, [from: number, to: number]> = {
  matin: [6, 12],
  "après-midi": [12, 18],
  soir: [18, 24],
  nuit: [21, 30],
};
/** The official forecast goes no farther. */
const REACH_DAYS = 7;
const WHEN_UNKNOWN =
  "Je n'ai pas compris le moment. Je comprends « maintenant », « ce soir », « cette nuit », « demain matin », « samedi », « la fin de semaine », « sept jours », « à 15 heures » ou « le 5 décembre ». " +
  "Rien n'a été cherché, et ça ne veut pas dire qu'il n'y a pas de prévisions. Redemande avec une de ces façons de dire.";
const WHEN_PAST =
  "Ce moment est passé : je ne garde pas le temps qu'il a fait. Ça ne changera pas en redemandant, et ça ne veut pas dire que la suite est inconnue. Demande le temps de maintenant, ou un moment à venir.";
const WHEN_FAR =
  "C'est trop loin : les prévisions ne vont qu'à six ou sept jours d'avance. Ça ne veut pas dire qu'il fera beau ou mauvais. Redemande quelques jours avant, ou demande les sept prochains jours.";
/** The moment is after the last half-day of the forecast. */
function sayTooFar(last: Period, { now, place }: Weather): string {
  const name = sayHalfDayName(last, now, place.zone).replace(/,$/, "");
  return `C'est trop loin : les prévisions pour ${place.name} vont jusqu'à ${name}${last.night ? "" : " en fin de journée"}. Ça ne veut pas dire qu'il fera beau ou mauvais. Demande un moment d'ici là, ou redemande demain.`;
}

const DAY_IMPOSSIBLE =
  "Cette date n'existe pas dans le calendrier. Rien n'a été cherché. Vérifie le jour et le mois, et redemande.";

const NUMBER_WORDS =
  "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf".split(
    " ",
  );
const TENS_WORDS = ["", "", "vingt", "trente", "quarante", "cinquante"];
/** Days that people name. */
const FEASTS: Record<string, [month: number, date: number]> = {
  noel: [12, 25],
  "veille de noel": [12, 24],
  "jour de l'an": [1, 1],
  "premier de l'an": [1, 1],
  "nouvel an": [1, 1],
  "veille du jour de l'an": [12, 31],
  "saint-jean": [6, 24],
  "saint-valentin": [2, 14],
  halloween: [10, 31],
  "fete du canada": [7, 1],
};

/** What a person says of a moment, in few words: figures, no accent, one word for each notion. */
function plainMoment(said: string): string {
  return fold(said)
    .replace(/ ainsi que | ?\/ ?(?!\d)|, ?(?=(?:apres-)?demain|ce |cet |cette |la fin)/g, " et ")
    .replace(/(?<=\d{4}-\d{2}-\d{2})t(?=\d)/, " ")
    .replace(/[.,;!?]+/g, " ")
    .replace(/(?<=\d) ?([ap]) ?m\b/g, (_, half) => (half === "a" ? " heures matin" : " heures apresmidi"))
    .replace(/\bam\b/g, "matin")
    .replace(/(?<=\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)) ?- ?(?=[lmjvsd])/g, " a ")
    .replace(/\ba compter d(?=e |u |')/g, "a partir d")
    .replace(/\bpasse (?=\d)/g, "apres ")
    .replace(/\bsaint jean(?: baptiste)?\b|\bst-?jean(?:-baptiste)?\b/g, "saint-jean")
    .replace(/\bavant[- ]midi\b/g, "matin")
    .replace(/\bapres[- ]midi\b|\bpm\b/g, "apresmidi")
    .replace(/\btout a l'heure\b|\bplus tard\b/g, "tantot")
    .replace(/\b(?:apres[- ]demain|surlendemain)\b/g, "apresdemain")
    .replace(/\baujourd[' ]?hui\b|\ba journee\b/g, "aujourdhui")
    .replace(/\bfins? de semaines?\b|\bweek[- ]?ends?\b|\bwe\b/g, "findesemaine")
    .replace(/\ba (soir|matin)\b/g, "ce $1")
    .replace(/\bsoirees?\b|\bsouper\b|\bveillee\b/g, "soir")
    .replace(/\bmatinee\b|\bdejeuner\b/g, "matin")
    .replace(/\bdiner\b/g, "midi")
    .replace(
      /\bmaintenant\b|\ben ce moment\b|\btout de suite\b|\bpresentement\b|\bactuellement\b|\blive\b/g,
      "maintenant",
    )
    .replace(WRITTEN_NUMBER, sayInFigures)
    .replace(/\s+/g, " ")
    .trim();
}

/** « Dix-sept », « trente et un », « vingt-huit »; the longest words are tried first. */
const WRITTEN_NUMBER =
  /\b(?:(vingt|trente|quarante|cinquante)(?:[- ](?:et[- ])?(une?|deux|trois|quatre|cinq|six|sept|huit|neuf))?|dix[- ](?:sept|huit|neuf)|zero|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize)\b/g;

function sayInFigures(written: string, ten?: string, unit?: string): string {
  const figure = (word: string) => NUMBER_WORDS.indexOf(word.replace(" ", "-").replace("une", "un"));
  const value = ten === undefined ? figure(written) : TENS_WORDS.indexOf(ten) * 10 + figure(unit ?? "zero");
  return String(value);
}

/** The moment that was said, in the place's time; `null` when none was. Throws when it is past, too far, or not understood. */
function findWhen(said: unknown, now: number, zone: string): When | null {
  if (typeof said !== "string") return null;
  const text = plainMoment(said);
  const today = localTime(now, zone).day;
  if (/\bhier\b|\bpassee?s?\b(?! mi(?:di|nuit))|\bderni(?:er|ere)s?\b|\bil y a\b/.test(text))
    throw new Refusal(WHEN_PAST);
  // A day that is half heard is not left out: what remains would be of another one.
  if (text.split(" ").some(isAlmostDay) || UNSURE.test(text)) throw new Refusal(WHEN_UNKNOWN);
  const when =
    findNext(text, now, zone, today) ??
    findBetween(text, now, zone, today) ??
    findUntil(text, now, zone, today) ??
    findBound(text, now, zone, today) ??
    findDays(text, now, zone, today) ??
    findSeveral(text, now, zone, today) ??
    findMoment(text, now, zone, today);
  if (when === null) throw new Refusal(WHEN_UNKNOWN);
  // « Après lundi » on a Tuesday begins where the forecast ends.
  if (when.to <= when.from && when.from > now) throw new Refusal(WHEN_FAR);
  // The hour under way is what one sees now: the forecast begins with the next one.
  if (when.kind === "hour" && when.from <= now && when.to > now) return { ...when, kind: "now", from: now };
  if (when.to <= now) throw new Refusal(WHEN_PAST);
  if (when.from >= instantAt(addDays(today, REACH_DAYS), MORNING, zone)) throw new Refusal(WHEN_FAR);
  return when;
}

/** « Demain, pas ce soir », « dans moins 3 heures »: not a moment to guess. */
const UNSURE = /\bpas\b|(?:^| )[-−]\d|\bdans (?:environ )?(?:[-−]|moins\b)/;
const DAY_WORDS = [...WEEKDAYS, "demain", "aujourdhui"];

/** « vendredy », « samdi », « vend »: near the name of a day, and not one. */
function isAlmostDay(word: string): boolean {
  const bare = word.replace(/s$/, "");
  if (DAY_WORDS.includes(bare) || /^(?:mars|demie?|mardi)$/.test(word)) return false;
  return /^(?:lun|mar|mer|jeu|ven|vend|sam|dim)$/.test(word) || DAY_WORDS.some((name) => isClose(bare, name));
}

/** « Avant minuit », « après 17 heures », « à partir de demain soir »: on one side of a moment. */
function findBound(text: string, now: number, zone: string, today: string): When | null {
  const found = /^(.*?)\b(avant|apres|a partir d[eu']|des)(?= |\d) ?(.+)$/.exec(text);
  if (found === null) return null;
  const [, lead, side, rest] = found;
  if (findMoment(rest, now, zone, today) === null) return null;
  const end = findMoment(`${lead} ${rest}`, now, zone, today);
  // « Après souper » is the evening itself.
  if (end === null || (side === "apres" && end.part !== null)) return null;
  const base = { part: null, weekend: false };
  if (side === "avant") {
    // « Demain avant 8 heures » begins that day; « avant demain soir » begins now.
    const day = findDay(lead, today);
    const from = day === null || day === today ? now : instantAt(day, 0, zone);
    if (end.from <= now) throw new Refusal(WHEN_PAST);
    return { ...base, kind: spanKind(from, end.from), day: localTime(from, zone).day, from, to: end.from };
  }
  const from = Math.max(now, end.kind === "day" && side === "apres" ? end.to : end.from);
  const { day, hour } = localTime(from, zone);
  const to = instantAt(day, hour >= EVENING ? DAY_HOURS + MORNING : DAY_HOURS, zone);
  return end.kind === "day"
    ? { ...base, kind: "days", day, from, to: instantAt(addDays(today, REACH_DAYS), 0, zone) }
    : { ...base, kind: "hours", day, from, to };
}

/** « Ce soir et demain », « demain matin pis demain soir »: from the first to the last, and a day said once serves both. */
function findSeveral(text: string, now: number, zone: string, today: string): When | null {
  // « La nuit de samedi à dimanche » is one moment.
  if (/\bnuit d/.test(text) && / a /.test(text)) return null;
  const parts = text.split(
    / (?:et|ou|puis|pis|mais)(?! (?:demie?|quart|\d)) | (?:jusqu')?a (?=(?:apres)?demain\b|ce soir\b|(?:lun|mar|mercre|jeu|vendre|same)di\b|dimanche\b)/,
  );
  let lead = "";
  const whens = parts.flatMap((part) => {
    const named = findDay(part, today) !== null || /\b(?:ce|cet|cette)\b/.test(part);
    const when = findMoment(named ? part : `${lead} ${part}`, now, zone, today);
    if (named) lead = DAY_WORDS.concat("apresdemain").find((word) => part.includes(word)) ?? "";
    return when === null || (findDay(part, today) ?? findHour(part) ?? findPart(part)) === null ? [] : [when];
  });
  if (whens.length < 2) return null;
  const [from, to] = [Math.min(...whens.map((one) => one.from)), Math.max(...whens.map((one) => one.to))];
  const day = localTime(from, zone).day;
  const isShort = to - from <= DAY_HOURS * HOUR;
  return { kind: isShort ? "hours" : "days", day, part: null, weekend: false, from: Math.max(now, from), to };
}

/** Counted from now: « maintenant », « dans 2 heures », « d'ici 3 heures ». */
function findNext(text: string, now: number, zone: string, today: string): When | null {
  const base = { day: today, part: null, weekend: false };
  if (/\bmaintenant\b/.test(text)) return { ...base, kind: "now", from: now, to: now + HOUR };
  if (
    /\bdans (?:1 )?(?:demi[- ]?heure|quart d'heure|instant)|\bdans \d+ (?:minute|instant)s?\b|\bbientot\b/.test(text)
  ) {
    return { ...base, kind: "hours", from: now, to: roundHour(now + HOUR) };
  }
  const inHours = /\bdans (?:environ )?(\d{1,2}) ?h(?:eures?)?\b/.exec(text);
  if (inHours !== null) {
    const from = roundHour(now + Number(inHours[1]) * HOUR);
    return { ...base, kind: "hour", day: localTime(from, zone).day, from, to: from + HOUR };
  }
  const next = NEXT_HOURS.exec(text);
  if (next === null) return null;
  const some = /\bprochaine heure\b/.test(text) ? 1 : 3;
  const to = roundHour(now + Number(next.slice(1).find((count) => count !== undefined) ?? some) * HOUR);
  return { ...base, kind: spanKind(now, to), from: now, to };
}

/** Hours are known one by one for a day, less the age of the page; then come half-days. */
function spanKind(now: number, to: number): "hours" | "days" {
  return to > now + 20 * HOUR ? "days" : "hours";
}

/** « D'ici 3 heures », « les prochaines heures », « les 24 prochaines heures », « pour les 12 heures qui viennent ». */
const NEXT_HOURS =
  /\bd'ici (?:a |les |quelques )?(?:([1-9]|1[0-2]|2[4-9]|[3-9]\d) )?(?:prochaines? )?heures?\b(?! ?\d)|\b(?:(\d{1,2}) )?prochaines? (?:(\d{1,2}) )?heures?\b|\b(?:pour|dans|pendant) les (\d{1,2}) heures\b/;

/** « Entre 14 et 17 heures », « de 8h à midi », today or on the day that was said. */
function findBetween(text: string, now: number, zone: string, today: string): When | null {
  const found =
    /\b(?:entre|de) (\d{1,2}|midi)(?: ?h(?:eures?)?)? (?:et|a) (?:(\d{1,2}) ?h(?:eures?)?|midi|minuit)\b(?! ?\d)/.exec(
      text,
    );
  if (found === null) return null;
  const [whole, first, last] = found;
  const [start, end] = [first === "midi" ? 12 : Number(first), Number(last ?? (whole.endsWith("midi") ? 12 : 24))];
  if (start > 24 || end > 24) throw new Refusal(WHEN_UNKNOWN);
  const rest = text.replace(whole, " ");
  const [named, part] = [findDay(rest, today), findPart(rest)];
  const isLoose = start >= 1 && start <= 11 && first !== "midi";
  const isLate = isLoose && (part === "après-midi" || part === "soir");
  const length = end > start ? end - start : end + 12 > start ? end + 12 - start : end + DAY_HOURS - start;
  const said = isLate ? start + 12 : start;
  const others = named === null ? [...(isLoose && part === null ? [said + 12] : []), said + DAY_HOURS] : [];
  const opens = [said, ...others].map((hour) => instantAt(named ?? today, hour, zone));
  const from = opens.find((at) => at + length * HOUR > now) ?? opens[0];
  const day = localTime(from, zone).day;
  return { kind: "hours", day, part: null, weekend: false, from: Math.max(now, from), to: from + length * HOUR };
}

/** « D'ici 18 heures », « d'ici vendredi », « jusqu'à demain soir »: from now to the end of that moment. */
function findUntil(text: string, now: number, zone: string, today: string): When | null {
  const rest = /\b(?:d'ici|jusqu'(?:a|au|en))\b(.*)/.exec(text)?.[1];
  if (rest === undefined) return null;
  const end = findDays(rest, now, zone, today) ?? findMoment(rest, now, zone, today);
  if (end === null) return null;
  const to = end.kind === "hour" ? end.from : end.to;
  return { kind: spanKind(now, to), day: today, part: null, weekend: false, from: now, to };
}

const DAY_NAME = "(aujourdhui|apresdemain|demain|dimanche|lundi|mardi|mercredi|jeudi|vendredi|samedi)s?";
/** « Samedi et dimanche », « de lundi à vendredi »: the first and the last. */
const DAYS_JOINED = new RegExp(`\\b${DAY_NAME}\\b.* (?:et|ou|a|au|puis|pis|jusqu'au?) (?:le )?${DAY_NAME}\\b`);

/** Several days: « la fin de semaine », « sept jours », « la semaine prochaine ». */
function findDays(text: string, now: number, zone: string, today: string): When | null {
  const weekday = weekdayOf(today);
  const span = (day: string, end: string, weekend = false): When => {
    return {
      kind: "days",
      day,
      part: null,
      weekend,
      from: Math.max(now, instantAt(day, 0, zone)),
      to: instantAt(end, 0, zone),
    };
  };
  if (/\bfindesemaine\b/.test(text)) {
    const isOn = weekday === 6 || weekday === 0;
    const saturday = addDays(today, weekday === 0 ? -1 : 6 - weekday);
    const start = isOn && /\bprochaine?\b/.test(text) ? addDays(saturday, 7) : saturday;
    return span(start < today ? today : start, addDays(start, 2), true);
  }
  const [, first, last] = DAYS_JOINED.exec(text) ?? [];
  if (last !== undefined && findPart(text) === null && !AT_HOUR.test(text)) {
    const [start, end] = [first, last].map((name) => findDay(name, today) ?? today);
    const stop = end < start ? addDays(end, 7) : end;
    return span(start, addDays(stop, 1), first === "samedi" && last === "dimanche");
  }
  const hasDay = WEEKDAYS.some((name) => text.includes(name));
  if (/\bsemaine prochaine\b|\bprochaine semaine\b/.test(text) && !hasDay) {
    const monday = addDays(today, (8 - weekday) % 7 || 7);
    return span(monday, addDays(monday, 7));
  }
  if (/\bdans (?:\d+|une|des) (?:semaines?|mois|ans?)\b|\bmois prochain\b|\ben huit\b|\ben 8\b/.test(text))
    throw new Refusal(WHEN_FAR);
  const several = /\b(\d{1,2}) (?:prochains )?jours\b/.exec(text);
  if (several !== null && !/\bdans \d/.test(text)) {
    return span(today, addDays(today, Math.max(Number(several[1]), 1)));
  }
  if ((/\bsemaine\b/.test(text) && !hasDay) || /\bprochains jours\b|\blong terme\b|\bjours a venir\b/.test(text))
    return span(today, addDays(today, REACH_DAYS));
  return null;
}

/** One day, a part of it, or an hour. */
function findMoment(text: string, now: number, zone: string, today: string): When | null {
  const named = findDay(text, today);
  const hour = findHour(text);
  const part = findPart(text);
  if (named === null && hour === null && part === null) return null;
  const moment = momentOf({ named, hour, part }, text, now, zone, today);
  // « Mercredi matin » said on a Wednesday afternoon is the one to come.
  const isWeekday = WEEKDAYS.some((name) => text.includes(name)) && !/\d/.test(text.replace(AT_HOUR, " "));
  return moment.to <= now && named === today && isWeekday
    ? momentOf({ named: addDays(today, 7), hour, part }, text, now, zone, today)
    : moment;
}

function momentOf(
  { named, hour, part }: { named: string | null; hour: ReturnType<typeof findHour>; part: Part | null },
  text: string,
  now: number,
  zone: string,
  today: string,
): When {
  const day = named ?? today;
  const base = { day, part: null, weekend: false };
  if (hour !== null) {
    const bare = named === null && !/\bcet? (?:matin|midi|apresmidi|soir)\b/.test(text);
    // « Ce soir à 2 heures du matin » is past midnight.
    const isPastMidnight = part === "soir" && (hour.hour < 5 || (hour.loose && /\bdu matin\b/.test(text)));
    const from = isPastMidnight
      ? instantAt(day, hour.hour + DAY_HOURS, zone)
      : hourAt(hour, day, bare, part, now, zone);
    // Of an hour under way, what is left: forecasts are by the hour.
    return { ...base, kind: "hour", day: localTime(from, zone).day, from, to: from - (from % HOUR) + HOUR };
  }
  if (part === null)
    return { ...base, kind: "day", from: Math.max(now, instantAt(day, 0, zone)), to: instantAt(day, 24, zone) };
  // Past midnight, « cette nuit » is the one under way.
  const { hour: nowHour } = localTime(now, zone);
  const isUnderWay = part === "nuit" && named === null && nowHour < MORNING && !/\bprochaine\b/.test(text);
  const night = isUnderWay ? addDays(today, -1) : day;
  const [start, end] = PARTS[part];
  // « Tantôt » in the evening is later this evening.
  const later = part === "après-midi" && day === today && nowHour >= EVENING && /\btantot\b/.test(text);
  const [from, to] = later ? [nowHour, 24] : [start, end];
  return {
    ...base,
    kind: "part",
    day: night,
    part: later ? "soir" : part,
    from: Math.max(now, instantAt(night, from, zone)),
    to: instantAt(night, to, zone),
  };
}

function findPart(text: string): Part | null {
  if (/\bapresmidi\b/.test(text)) return "après-midi";
  if (/\bsoir\b/.test(text)) return "soir";
  if (/\bnuit\b/.test(text)) return "nuit";
  if (/\bmatin\b/.test(text)) return "matin";
  return /\btantot\b/.test(text) ? "après-midi" : null;
}

/** « 15 heures », « 17h30 », « midi et demi », « 4 heures moins quart »; a number that a month follows is a date. */
const AT_HOUR = new RegExp(
  "\\b(?:(midi)|(minuit)|(\\d{1,2}) ?(?:h(?:eures?)?|:))" +
    "(?: ?(?:et )?(\\d{2}|demie?|quart)(?! ?[a-z]*(?:janv|fevr|mars|avri|juin|juil|aout|sept|octo|nove|dece|mai\\b))| moins (?:le )?(\\d{1,2}|quart))?(?!\\d)",
);

/** Hours since midnight, « 15.5 » for 15 h 30, and whether it may be of the other half of the day. */
function findHour(text: string): { hour: number; loose: boolean } | null {
  const found = AT_HOUR.exec(text);
  if (found === null) return null;
  const [, noon, midnight, figure, after = "0", before = "0"] = found;
  const minutesOf = (said: string) => (said === "quart" ? 15 : said.startsWith("demi") ? 30 : Number(said));
  const hour = noon !== undefined ? 12 : midnight !== undefined ? 24 : Number(figure);
  const minutes = minutesOf(after) - minutesOf(before);
  if (hour > 24 || Math.abs(minutes) > 59) throw new Refusal(WHEN_UNKNOWN);
  return { hour: hour + minutes / 60, loose: figure !== undefined && hour >= 1 && hour <= 11 };
}

/**
 * « À 5 heures » said at 13 hours is 17; with a part of the day, it is of that part; on another day, as it was said.
 * The night has both: « 11 heures » is before midnight, « 2 heures » past it.
 */
function hourAt(
  { hour, loose }: { hour: number; loose: boolean },
  day: string,
  bare: boolean,
  part: Part | null,
  now: number,
  zone: string,
): number {
  const isLate = part === "après-midi" || part === "soir" || (part === "nuit" && hour > MORNING);
  const said = loose && isLate ? hour + 12 : hour;
  const hours = [said, ...(loose && part === null ? [said + 12] : []), said + DAY_HOURS];
  const choices = hours.map((one) => instantAt(day, one, zone));
  return bare ? (choices.find((one) => one + HOUR > now) ?? choices[0]) : choices[0];
}

/** The day that was said, YYYY-MM-DD, the next one to come; `null` when none was. */
function findDay(said: string, today: string): string | null {
  // « Vendredi à 17 heures 30 » isn't the thirtieth.
  const text = said.replace(AT_HOUR, " ");
  const iso = /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/.exec(text);
  if (iso !== null) return checkDay(dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3])), text);
  // « 6/7 »: of June or of July, nobody knows.
  if (/\d ?\/ ?\d/.test(text)) throw new Refusal(WHEN_UNKNOWN);
  const feast = Object.keys(FEASTS)
    .toSorted((one, other) => other.length - one.length)
    .find((name) => text.includes(name));
  if (feast !== undefined) return nextDate(today, ...FEASTS[feast]);
  const inDays = /\bdans (\d{1,2}|une?) jours?\b/.exec(text);
  if (inDays !== null) return addDays(today, Number(inDays[1]) || 1);
  // The first one: « la nuit de samedi à dimanche » is Saturday's.
  const weekday = WEEKDAYS.indexOf(/\b(dimanche|lundi|mardi|mercredi|jeudi|vendredi|samedi)s?\b/.exec(text)?.[1] ?? "");
  const months = MONTHS.map(fold);
  const month = months.findIndex((name) => new RegExp(`\\b${name}\\b`).test(text));
  const date = /\b(1er|\d{1,2}|premier)\b/.exec(text)?.[1];
  if (month >= 0) {
    if (date === undefined) throw new Refusal(WHEN_UNKNOWN);
    const year = /\b([12]\d{3})\b/.exec(text)?.[1];
    const number = /^p|er$/.test(date) ? 1 : Number(date);
    return year === undefined
      ? checkDay(nextDate(today, month + 1, number), text)
      : checkDay(dateOf(Number(year), month + 1, number), text);
  }
  if (/\bapresdemain\b/.test(text)) return checkDay(addDays(today, 2), text);
  if (/\bdemain\b/.test(text)) return /\ba\b/.test(text) ? addDays(today, 1) : checkDay(addDays(today, 1), text);
  if (/\baujourdhui\b/.test(text)) return checkDay(today, text);
  if (/\b(?:la|en|de) journee\b/.test(text) && weekday < 0) return today;
  if (date !== undefined && /\ble (?:\d|premier)/.test(text))
    return nextDayOfMonth(today, /^p|er$/.test(date) ? 1 : Number(date), weekday);
  if (weekday < 0) return null;
  if (date !== undefined) return nextDayOfMonth(today, /^p|er$/.test(date) ? 1 : Number(date), weekday);
  if (/\bsemaine prochaine\b|\bprochaine semaine\b/.test(text)) {
    return addDays(today, ((8 - weekdayOf(today)) % 7 || 7) + ((weekday + 6) % 7));
  }
  const ahead = (weekday - weekdayOf(today) + 7) % 7;
  return addDays(today, ahead === 0 && /\bprochain\b/.test(text) ? 7 : ahead);
}

/** A date that exists, and that is of the weekday that was said with it. */
function checkDay(day: string | null, text = ""): string {
  if (day === null) throw new Refusal(DAY_IMPOSSIBLE);
  const weekday = weekdayOf(day);
  const isAnother = (name: string, index: number) => index !== weekday && text.includes(name);
  if (!text.includes(WEEKDAYS[weekday]) && WEEKDAYS.some(isAnother)) throw new Refusal(sayMismatch(day));
  return day;
}

function sayMismatch(day: string): string {
  const date = sayDate(day, day);
  return `Le jour et la date ne vont pas ensemble : c'est ${date}. Rien n'a été cherché. Redemande avec l'un ou l'autre.`;
}

/** The next 5 December, today included; a 29 February may be four years away. */
function nextDate(today: string, month: number, date: number): string {
  const year = Number(today.slice(0, 4));
  const days = [0, 1, 2, 3, 4].flatMap((ahead) => dateOf(year + ahead, month, date) ?? []);
  return checkDay(days.find((day) => day >= today) ?? null);
}

/** The next 20th of a month, on that weekday when one was said (−1: any). */
function nextDayOfMonth(today: string, date: number, weekday: number): string {
  const days = Array.from({ length: 62 }, (_, ahead) => addDays(today, ahead));
  return checkDay(
    days.find((day) => Number(day.slice(8)) === date && (weekday === -1 || weekdayOf(day) === weekday)) ?? null,
  );
}

const INSTANTS = new Map<string, number>();

/** The instant of a local hour (24 is the next midnight); an hour that a clock change skips is the one after it. */
function instantAt(day: string, hour: number, zone: string): number {
  const key = `${day} ${hour} ${zone}`;
  const kept = INSTANTS.get(key);
  if (kept !== undefined) return kept;
  const at = findInstant(Date.parse(day) + hour * HOUR, zone);
  if (INSTANTS.size >= CACHE_LIMIT) INSTANTS.clear();
  INSTANTS.set(key, at);
  return at;
}

/** `wanted`: the local hour as if it were UTC. */
function findInstant(wanted: number, zone: string): number {
  const shownAt = (at: number) => {
    const seen = localTime(at, zone);
    return Date.parse(seen.day) + seen.hour * HOUR + seen.minute * MINUTE;
  };
  const first = wanted + (wanted - shownAt(wanted));
  const shown = shownAt(first);
  if (shown === wanted) return first;
  const second = first + (wanted - shown);
  return shownAt(second) === wanted ? second : Math.max(first, second);
}

// The sun, computed.

/** Years away at which a date is still a question about the sun. */
const SUN_REACH_YEARS = 50;
const SUN_FAR =
  "C'est trop loin : je calcule le soleil jusqu'à cinquante ans avant ou après aujourd'hui. Ça ne veut pas dire qu'il ne se lèvera pas. Demande une date plus proche.";
const SUN_UNKNOWN =
  "Je n'ai pas compris la date. Je comprends « demain », « samedi », « hier », « le 21 juin », « Noël » ou « 2026-12-21 ». " +
  "Rien n'a été cherché, et ça ne veut pas dire que le soleil ne se lève pas ce jour-là. Redemande avec une de ces façons de dire.";

async function findSun(lieu: unknown, date: unknown, given: Deps): Promise<Sun> {
  const place = await findPlace(lieu, limitCalls(given));
  const now = given.now();
  const today = localTime(now, place.zone).day;
  const day = typeof date === "string" ? findSunDay(plainMoment(date), today) : today;
  if (Math.abs(Number(day.slice(0, 4)) - Number(today.slice(0, 4))) > SUN_REACH_YEARS) throw new Refusal(SUN_FAR);
  return { place, now, day, ...sunOf(day, place) };
}

/** « L'an dernier », « la semaine prochaine »: which day of it isn't said by the next one to come. */
const OTHER_SPAN = /\b(?:semaine|mois|an|annee) (?:prochaine?|derniere?|passee?|suivante?)\b/;

const A_WEEKDAY = /\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\b/;

/** « Samedi dernier », « Noël dernier »: the one before the next one, in weeks or in years. */
function lastOf(next: string, text: string): string {
  if (A_WEEKDAY.test(text) && !/\d/.test(text)) return addDays(next, -7);
  const [year, month, date] = next.split("-").map(Number);
  const days = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((ago) => dateOf(year - ago, month, date) ?? []);
  return days[0];
}

/** What is still of today. */
const TODAY = /\b(?:maintenant|matin|midi|apresmidi|tantot|soir|nuit|findesemaine)\b|\bce jour\b/;

/** A day, or `null` when it isn't understood; one that doesn't exist is a refusal of its own. */
function attemptDay(text: string, today: string): string | null {
  try {
    return findDay(text, today);
  } catch (error) {
    if (error instanceof Refusal && error.message === WHEN_UNKNOWN) return null;
    throw error;
  }
}

function findSunDay(text: string, today: string): string {
  if (/\bavant-?hier\b/.test(text)) return addDays(today, -2);
  if (/\bhier\b/.test(text)) return addDays(today, -1);
  const away = /\b(dans|il y a) (\d{1,3}) (jour|semaine)s?\b/.exec(text);
  if (away !== null) {
    return addDays(today, (away[1] === "dans" ? 1 : -1) * Number(away[2]) * (away[3] === "jour" ? 1 : 7));
  }
  const isLast = /\b(?:derniere?|passee?)\b/.test(text);
  if (OTHER_SPAN.test(text.replace("jour de l'an", ""))) throw new Refusal(SUN_UNKNOWN);
  const weekend = /\bfindesemaine\b/.test(text) && weekdayOf(today) !== 0 ? "samedi" : text;
  // « Samedi 8 août dernier »: the next 8 August may be of another weekday.
  const plain = isLast && /\d/.test(weekend) ? weekend.replace(A_WEEKDAY, " ") : weekend;
  const day = attemptDay(plain, today) ?? (TODAY.test(text) ? today : null);
  if (day === null) throw new Refusal(SUN_UNKNOWN);
  return isLast && day >= today ? checkDay(lastOf(day, weekend), weekend) : day;
}

const RADIANS = Math.PI / 180;
/** The sun's centre is this far under the horizon when its edge, bent by the air, touches it. */
const HORIZON = -0.833;

/** NOAA's equations, good to a minute or two at our latitudes: rise, set and the length between them, in ms. */
function sunOf(day: string, { lat, lon, zone }: Place): Pick<Sun, "rise" | "set" | "length"> {
  const mean = meanNoon(instantAt(day, 12, zone), lon);
  const noonAt = (at: number) => mean - sunAt(at).equation * MINUTE;
  const noon = noonAt(mean);
  const [rise, set] = [-1, 1].map((side) => {
    let at = noon;
    // The sun moves while the day goes by: once more at the hour that was found.
    for (let round = 0; round < 3; round++) {
      const angle = hourAngle(at, lat);
      if (angle === null) return null;
      at = noonAt(at) + (side * angle * HOUR) / 15;
    }
    return Math.round(at / MINUTE) * MINUTE;
  });
  if (rise === null || set === null)
    return { rise: null, set: null, length: isSunUp(noon, { lat, lon }) ? DAY_HOURS * HOUR : 0 };
  return { rise, set, length: set - rise };
}

/** Declination in degrees and the equation of time in minutes, at an instant. */
function sunAt(at: number): { declination: number; equation: number } {
  const century = (at / 86_400_000 + 2440587.5 - 2451545) / 36525;
  const longitude = (280.46646 + century * (36000.76983 + century * 0.0003032)) % 360;
  const anomaly = (357.52911 + century * (35999.05029 - 0.0001537 * century)) * RADIANS;
  const eccentricity = 0.016708634 - century * (0.000042037 + 0.0000001267 * century);
  const centre =
    Math.sin(anomaly) * (1.914602 - century * (0.004817 + 0.000014 * century)) +
    Math.sin(2 * anomaly) * (0.019993 - 0.000101 * century) +
    Math.sin(3 * anomaly) * 0.000289;
  const node = (125.04 - 1934.136 * century) * RADIANS;
  const apparent = (longitude + centre - 0.00569 - 0.00478 * Math.sin(node)) * RADIANS;
  const tilt = (23.4392911 - 0.0130042 * century + 0.00256 * Math.cos(node)) * RADIANS;
  const mean = longitude * RADIANS;
  const half = Math.tan(tilt / 2) ** 2;
  const equation =
    half * Math.sin(2 * mean) -
    2 * eccentricity * Math.sin(anomaly) +
    4 * eccentricity * half * Math.sin(anomaly) * Math.cos(2 * mean) -
    0.5 * half ** 2 * Math.sin(4 * mean) -
    1.25 * eccentricity ** 2 * Math.sin(2 * anomaly);
  return { declination: Math.asin(Math.sin(tilt) * Math.sin(apparent)) / RADIANS, equation: (4 * equation) / RADIANS };
}

/** The mean sun's noon, the one nearest to a civil noon. */
function meanNoon(noon: number, lon: number): number {
  const away = noon - (12 * HOUR - lon * 4 * MINUTE);
  return noon - (away - Math.round(away / (DAY_HOURS * HOUR)) * DAY_HOURS * HOUR);
}

/** Degrees between noon and the horizon; `null` when the sun doesn't cross it. */
function hourAngle(at: number, lat: number): number | null {
  const declination = sunAt(at).declination * RADIANS;
  const cosine =
    (Math.sin(HORIZON * RADIANS) - Math.sin(lat * RADIANS) * Math.sin(declination)) /
    (Math.cos(lat * RADIANS) * Math.cos(declination));
  return Math.abs(cosine) > 1 ? null : Math.acos(cosine) / RADIANS;
}

/** Whether the sun is above the horizon of a point at an instant. */
function isSunUp(at: number, { lat, lon }: Point): boolean {
  const { declination, equation } = sunAt(at);
  const angle = ((at - (meanNoon(at, lon) - equation * MINUTE)) / HOUR) * 15 * RADIANS;
  const [north, south] = [lat * RADIANS, declination * RADIANS];
  const height = Math.sin(north) * Math.sin(south) + Math.cos(north) * Math.cos(south) * Math.cos(angle);
  return height > Math.sin(HORIZON * RADIANS);
}

// Places.

/**
 * The 844 pages « ville » of Environment and Climate Change Canada: « name as spoken/other names,latitude,longitude west ».
 * A row that is an id alone is the one of the row after it, and those that follow count from there; an empty row is a
 * number without a page. Of two pages of one name, the first row answers: Kanata's is Ottawa's. Source: the service's own
 * list of sites, under the end-use licence 2.1 of its data servers.
 */
const SITE_ROWS = `
ab-1;Cochrane,51.21,114.47;Barrhead,54.12,114.4;Canmore,51.08,115.37;High River,50.58,113.87;Stettler,52.32,112.7;
Strathmore,51.05,113.39;Taber,49.78,112.15;Westlock,54.16,113.86;Wetaskiwin,52.97,113.38;Athabasca,54.72,113.28;
Okotoks,50.73,113.98;Airdrie,51.29,114.01;;Hinton,53.41,117.56;Lloydminster,53.28,110;
Rocky Mountain House,52.37,114.92;Crowsnest,49.63,114.69;Camrose,53.02,112.82;Milk River,49.15,112.09;
Fort McMurray,56.73,111.38;Rainbow Lake,58.5,119.4;Stony Plain,53.53,114.01;Cold Lake,54.45,110.17;
High Level,58.52,117.13;Peace River,56.24,117.3;Vegreville,53.5,112.05;Vauxhall,50.07,112.11;
Fort Chipewyan,58.71,111.16;Red Deer,52.27,113.81;Lethbridge,49.69,112.84;Grande Prairie,55.17,118.8;
Lac La Biche,54.77,111.98;Mildred Lake,57.03,111.6;Kananaskis/kananaskis nakiska ridgetop,51.08,115.13;
Onefour,49.12,110.47;Breton,53.11,114.47;Hendrickson Creek,53.77,118.37;Nordegg,52.47,116.08;Lacombe,52.46,113.73;
Red Earth Creek,56.54,115.29;le parc provincial Willow Creek/willow creek/willow creek parc provincial,50.12,113.77;
le parc provincial Bow Valley/bow valley/bow valley parc provincial,51.08,115.07;Bow Island,49.87,111.38;
Stavely,50.16,113.64;Grande Cache,53.89,119.12;Pincher Creek,49.49,113.95;Suffield,50.22,111.16;
Drayton Valley,53.22,114.98;Banff,51.18,115.57;Edmonton,53.53,113.49;Medicine Hat,50.04,110.68;Calgary,51.05,114.06;
Sundre,51.8,114.64;Slave Lake,55.28,114.77;Wainwright,52.83,110.86;Whitecourt,54.14,115.68;Beaverlodge,55.21,119.43;
Brooks,50.57,111.9;Coronation,52.09,111.45;Claresholm,50.02,113.58;
le parc olympique de Calgary/calgary parc olympique/calgary olympic park,51.09,114.23;Drumheller,51.46,112.72;
le parc national Elk Island/elk island/elk island parc national,53.61,112.87;Cardston,49.2,113.3;
Garden Creek,58.7,113.88;le parc Waterton/waterton/waterton park,49.05,113.91;Esther,51.68,110.26;
Highvale,53.45,114.52;Three Hills,51.7,113.27;Jasper,52.89,118.17;
l'aéroport d'Edmonton/edmonton aprt int/edmonton int l aprt,53.34,113.54;Edson,53.58,116.43;

bc-1;Gibsons,49.4,123.5;;Sechelt,49.47,123.77;;Ucluelet,48.94,125.55;Cassiar,59.29,129.85;100 Mile House,51.65,121.28;
Dome Creek,53.75,121.03;Good Hope Lake,59.28,129.3;Rock Creek,49.05,119;
le parc national Kootenay/kootenay/kootenay parc national,50.95,116.03;Clearwater,51.65,120.03;Valemount,52.83,119.25;
Dease Lake,58.43,130.02;Estevan Point,49.38,126.55;Pemberton,50.32,122.8;Tofino,49.12,125.88;Bella Coola,52.38,126.75;
Campbell River,50.02,125.24;Nanaimo,49.17,123.93;Castlegar,49.3,117.67;Blue River,52.1,119.3;Chetwynd,55.7,121.63;
Chilliwack,49.18,121.94;Dawson Creek,55.77,120.23;Creston,49.1,116.5;Vernon,50.26,119.27;Lillooet,50.68,121.93;
Malahat,48.55,123.57;Kitimat,54.05,128.65;Hope Slide,49.3,121.27;Gonzales Point,48.41,123.29;Lytton,50.23,121.57;
Golden,51.3,116.97;Pitt Meadows,49.22,122.69;Hope,49.38,121.44;Nelson,49.5,117.28;Nakusp,50.25,117.8;
Grand Forks,49.03,118.43;Esquimalt,48.45,123.42;Princeton,49.46,120.51;Puntzi Mountain,52.17,124.2;
Burns Lake,54.23,125.75;Vanderhoof,54.02,124.02;Kamloops,50.67,120.33;Port Alberni,49.24,124.8;McBride,53.3,120.17;
Kelowna,49.88,119.48;Merritt,50.11,120.79;Squamish,49.75,123.13;Salmon Arm,50.7,119.27;Sparwood,49.72,114.9;
le parc provincial Tetsa River/tetsa river/tetsa river parc provincial,58.65,123.95;Summerland,49.6,119.67;
Cache Creek,50.81,121.32;Masset,54.02,132.1;Prince Rupert,54.32,130.32;Powell River,49.85,124.53;
Hartland/victoria hartland,48.52,123.43;Tatlayoko Lake,51.72,124.43;Comox,49.68,124.93;White Rock,49.02,122.8;
Muncho Lake,58.93,125.77;Quesnel,53,122.5;Revelstoke,50.98,118.2;
l'Université de Victoria/victoria universite de/university of victoria,48.46,123.3;Atlin,59.57,133.7;
le parc national Yoho/yoho/yoho parc national,51.5,116.5;Osoyoos,49.03,119.45;Agassiz,49.23,121.77;Trail,49.1,117.7;
Invermere,50.52,116.03;Stewart,55.93,129.98;Vancouver,49.25,123.12;Victoria Harbour,48.42,123.39;
Williams Lake,52.14,122.14;Cranbrook,49.5,115.77;Fort Saint John,56.25,120.85;Prince George,53.92,122.75;
Terrace,54.52,128.6;Abbotsford,49.06,122.25;Smithers,54.78,127.17;Fort Nelson,58.81,122.7;Penticton,49.5,119.58;
Victoria,48.43,123.37;Whistler,50.12,122.97;Liard River,59.42,126.08;Sandspit,53.25,131.82;Port Hardy,50.7,127.42;
Mackenzie,55.3,123.17;Clinton,51.08,121.58;Courtenay,49.68,124.98;
les îles Gulf/gulf islands/gulf islands secteur sud,48.95,123.53;Bella Bella,52.16,128.14;
Cummins Lakes Park,52.1,118.06;Richmond,49.16,123.16;Duncan,48.78,123.71;Qualicum Beach,49.35,124.44;
West Vancouver,49.33,123.16;Langley,49.1,122.66;

mb-2;Dominion City,49.14,97.16;Altona,49.1,97.56;Pine Falls,50.57,96.22;Poplar River,52.99,97.28;Richer,49.66,96.46;
Vita,49.13,96.56;Whiteshell,49.74,95.2;Grand Beach,50.55,96.63;Minnedosa,50.25,99.84;Morris,49.36,97.37;
Snow Lake,54.88,100.04;Steinbach,49.53,96.68;Oak Point,50.51,98.03;McCreary,50.77,99.49;Souris,49.62,100.26;
Morden,49.19,98.1;Little Grand Rapids,52.04,95.46;Pilot Mound,49.2,98.89;Virden,49.85,100.93;Arnes,50.8,96.99;
Leaf Rapids,56.47,99.75;Sprague,49.04,95.64;Fisher Branch,51.08,97.62;Norway House,53.99,97.82;Winkler,49.18,97.94;
Oxford House,54.95,95.27;Shoal Lake,50.44,100.59;Portage la Prairie,49.97,98.29;The Pas,53.83,101.25;
Wasagaming,50.66,99.97;Roblin,51.23,101.36;Bissett,51.03,95.68;Thompson,55.74,97.86;Carberry,49.87,99.36;
La Fourche/winnipeg la fourche/the forks,49.89,97.13;Bloodvein,51.79,96.71;Winnipeg,49.88,97.15;
Shamattawa,55.85,92.09;Delta,50.19,98.32;Lynn Lake,56.83,101.08;Churchill,58.73,94.12;Bachelors Island,51.75,99.9;
Pinawa,50.15,95.88;Melita,49.27,101;Swan River,52.11,101.27;Emerson,49.01,97.21;Gretna,49.01,97.56;
Deerwood,49.4,98.39;Hunters Point,53.03,100.94;Tadoule Lake,58.71,98.48;Brandon,49.85,99.95;Brochet,57.88,101.67;
Berens River,52.37,97.03;Victoria Beach,50.7,96.56;York Factory,57,92.31;Grand Rapids,53.18,99.26;
Dauphin,51.15,100.05;Island Lake,53.86,94.67;Flin Flon,54.77,101.86;Shilo,49.81,99.64;Gimli,50.63,96.99;
Gods Lake,54.67,94.25;Gillam,56.35,94.71;Carman,49.5,98;
le parc provincial Turtle Mountain/turtle mountain/turtle mountain parc provincial,49.05,100.25;
Pukatawagan,55.74,101.32;

nb-1;Bouctouche,46.47,64.74;Campbellton,47.99,66.68;Chipman,46.17,65.89;Doaktown,46.56,66.12;
le parc national Fundy/fundy/fundy parc national,45.62,65.03;Grand-Sault/grand falls,47.05,67.74;;
Hopewell,45.83,64.72;Kouchibouguac,46.86,64.98;
le parc provincial du Mont-Carleton/mont carleton/mont carleton parc provincial,47.38,66.83;Oromocto,45.84,66.48;
Quispamsis,45.44,65.94;Richibucto,46.68,64.88;Rogersville,46.75,65.5;Sackville,45.92,64.39;Saint-Quentin,47.51,67.39;
Shédiac,46.22,64.53;Saint Andrews,45.08,67.06;Sussex,45.72,65.51;Tracadie-Sheila/tracadie,47.51,64.92;
Woodstock,46.15,67.6;Bas-Caraquet,47.8,64.83;Saint John/saint jean,45.26,66.04;Saint-Léonard,47.17,67.92;
Miramichi,47,65.47;Dalhousie,48.05,66.39;Grand Manan,44.7,66.82;Bathurst,47.63,65.63;Fredericton,45.95,66.67;
Charlo,47.99,66.31;Miscou Island,47.95,64.57;Edmundston,47.38,68.29;Point Lepreau,45.07,66.45;
Point Escuminac,47.07,64.8;Saint Stephen,45.22,67.33;Moncton,46.12,64.8;

nl-1;Clarenville,48.16,53.98;Campbellton,49.29,54.94;Marystown,47.17,55.17;Buchans,48.82,56.86;Grand Bank,47.1,55.77;
Grand Falls-Windsor,48.94,55.67;Gros Morne,49.69,57.74;Saint Albans/saint alban s,47.88,55.85;Lewisporte,49.25,55.06;
Musgrave Harbour,49.45,53.97;Port-au-Choix,50.71,57.36;Wabush Lake,53.08,66.87;Rocky Harbour,49.59,57.92;
Bonavista,48.65,53.11;le parc national Terra Nova/terra nova/terra nova parc national,48.53,53.93;Gander,48.95,54.61;
Channel-Port aux Basques,47.58,59.14;Wreckhouse,47.71,59.31;Winterland,47.16,55.31;Labrador City,52.94,66.92;
Churchill Falls,53.55,64.02;La Scie,49.96,55.59;Happy Valley-Goose Bay,53.3,60.31;
Saint-Jean de Terre-Neuve/saint john s/saint johns/saint jean,47.57,52.73;Makkovik,55.09,59.18;
Marble Mountain,48.94,57.84;Stephenville,48.55,58.58;Cape Race,46.66,53.07;Marys Harbour/mary s harbour,52.32,55.83;
Placentia,47.3,53.99;Burgeo,47.61,57.62;Cartwright,53.71,57.01;Daniels Harbour/daniel s harbour,50.24,57.59;
Badger,48.98,56.04;Twillingate,49.65,54.76;Saint Lawrence,46.92,55.4;Saint Anthony,51.37,55.59;Hopedale,55.47,60.22;
Deer Lake,49.18,57.43;Nain,56.55,61.69;Corner Brook,48.94,57.97;New-Wes-Valley,49.17,53.57;Bay Roberts,47.6,53.27;
Englee,50.73,56.1;L'Anse-au-Loup,51.52,56.84;Rigolet,54.18,58.43;
Cartwright Junction/cartwright junction rte trans labrador,53.07,57.51;
Gull Island Rapids/gull island rapids rte trans labrador,52.98,61.47;

ns-1;New Glasgow,45.59,62.64;Annapolis Royal,44.74,65.52;Antigonish,45.62,61.99;Baddeck,46.1,60.75;
Bridgetown,44.84,65.29;Bridgewater,44.38,64.52;Economy,45.38,63.91;Guysborough,45.39,61.5;;Sheet Harbour,44.92,62.54;
Shelburne,43.76,65.32;Saint Peters/saint peter s,45.66,60.88;Parrsboro,45.41,64.33;Tatamagouche,45.71,63.29;
Windsor,44.99,64.14;Ingonish,46.69,60.37;Kentville,45.08,64.5;North East Margaree,46.33,61.01;Halifax,44.87,63.72;
Digby,44.62,65.76;Lunenburg,44.38,64.31;Malay Falls,44.99,62.48;Hart Island,45.35,60.98;
Cap Fourchu/fourchu head,45.72,60.23;Truro,45.37,63.28;Port Hawkesbury,45.62,61.36;Brier Island,44.27,66.37;
Tracadie,45.62,61.67;Yarmouth,43.84,66.12;Western Head,43.99,64.67;Sydney,46.14,60.2;Grand Étang,46.55,61.05;
Amherst,45.83,64.21;Caribou,45.73,62.72;Greenwood,44.97,64.93;Beaver Island,44.75,62.8;
Cap Baccaro/baccaro point,43.45,65.47;Chéticamp,46.63,61.01;Liverpool,44.04,64.72;
Shearwater/halifax shearwater,44.66,63.59;Cape George,45.85,61.93;
le parc national Kejimkujik/kejimkujik/kejimkujik parc national,44.39,65.29;
North Mountain/north mountain cap breton,46.88,60.58;Eskasoni,45.94,60.62;

nt-1;Detah,62.41,114.31;Enterprise,60.55,116.13;Fort Resolution,61.17,113.67;Fort Simpson,61.86,121.35;
Fort Good Hope,66.26,128.64;Whati,63.14,117.27;Ulukhaktok,70.73,117.75;Hay River,60.82,115.8;Wekweeti,64.19,114.18;
Fort McPherson,67.44,134.88;Tulita,64.9,125.57;Nahanni Butte,61.03,123.39;Aklavik,68.22,135.01;
Ekati/ekati lac de gras,64.5,110.5;Sambaa Ke/sambaa k e,60.43,121.25;Paulatuk,69.35,124.07;Fort Smith,60,111.88;
Gameti,64.12,117.35;Sachs Harbour,71.98,125.24;Tuktoyaktuk,69.45,133.03;Norman Wells,65.28,126.83;Deline,65.19,123.42;
Wrigley,63.27,123.61;Yellowknife,62.46,114.35;;Colville Lake,67.03,126.12;Fort Providence,61.35,117.65;
Indin River,64.28,115.07;Fort Liard,60.23,123.47;Inuvik,68.36,133.72;Lutselke,62.41,110.74;

nu-1;Nanisivik,73.03,84.55;Kinngait,64.23,76.54;Naujaat,66.53,86.25;Sanirajak,68.79,81.24;
Qikiqtarjuaq/qikiqtarjuaqq,67.55,64.03;Whale Cove,62.16,92.57;Pangnirtung,66.14,65.72;Taloyoak,69.54,93.52;
Coral Harbour,64.13,83.17;Arctic Bay,73.03,85.17;Eureka,79.98,85.95;Grise Fiord,76.42,82.9;Kugaaruk,68.53,89.83;
Baker Lake,64.32,96.02;Cambridge Bay,69.11,105.05;Kugluktuk,67.83,115.09;Chesterfield,63.34,90.7;
Clyde River,70.47,68.59;Ennadai,61.13,100.88;Arviat,61.11,94.06;Iqaluit,63.75,68.52;Alert,82.5,62.37;
Igloolik,69.38,81.8;Gjoa Haven,68.63,95.88;Pond Inlet,72.7,77.96;Kimmirut,62.85,69.87;Resolute,74.7,94.83;
Rankin Inlet,62.82,92.08;Sanikiluaq,56.53,79.23;

on-1;le parc Algonquin/parc algonquin brent/algonquin,46.03,78.48;;Belleville,44.26,77.37;Brampton,43.69,79.76;
Guelph,43.54,80.23;;Owen Sound,44.57,80.93;Brockville,44.6,75.69;Bracebridge,45.03,79.19;;Chatham-Kent,42.43,82.13;
Fort Erie,42.92,79.02;Orillia,44.6,79.42;Welland,43,79.23;Woodstock,43.14,80.74;Walkerton,44.13,81.15;
Tillsonburg,42.87,80.73;Strathroy,42.96,81.62;Port Elgin,44.44,81.39;;Blind River,46.19,82.96;
Temiskaming Shores,47.49,79.72;Leamington,42.1,82.56;Mississauga,43.59,79.66;Newmarket,44.06,79.46;
Nipigon,48.98,88.33;Picton/prince edward picton/prince edward county,44.02,77.26;Kincardine,44.17,81.63;
le parc Algonquin/parc algonquin lake of two rivers,45.58,78.48;Apsley,44.76,78.09;
Burks Falls/burk s falls,45.63,79.4;Caledon,43.87,79.86;Cochrane,49.17,81.06;Dorion,48.79,88.65;Dunchurch,45.65,79.85;
Dundalk,44.17,80.39;Gogama,47.67,81.73;Gravenhurst,44.87,79.34;Greater Napanee,44.24,76.97;
le Grand Sudbury/greater sudbury,46.58,81.07;Gull Bay,49.8,89.11;Haldimand County,42.99,79.85;Kaladar,44.65,77.12;
Fenelon Falls/kawartha lakes fenelon falls,44.54,78.74;
le parc provincial du Lac-Supérieur/lac superieur parc provincial,47.6,84.74;Lambton Shores,43.18,81.9;
Lincoln,43.15,79.42;Mine Centre,48.77,92.62;New Tecumseth,44.08,79.77;Norfolk,42.8,80.41;North Perth,43.73,80.97;;
Oxtongue Lake,45.36,78.92;Pickering,43.91,79.13;Pikangikum,51.81,93.99;Port Carling,45.12,79.58;
Quinte Ouest/quinte west,44.2,77.58;Renfrew,45.47,76.68;Richmond Hill,43.87,79.44;Saugeen Shores,44.41,81.37;
Sharbot Lake,44.77,76.69;South Bruce Peninsula,44.71,81.22;Sydenham,44.41,76.6;Vaughan,43.85,79.54;
Nipissing Ouest/west nipissing,46.45,80.04;Westport,44.68,76.4;White River,48.58,85.26;Halton Hills,43.63,79.95;
Kingston,44.31,76.42;;Hawkesbury,45.61,74.6;Dryden,49.78,92.77;Hearst,49.69,83.65;Kemptville,45.02,75.64;
Cobourg,43.96,78.16;Kirkland Lake,48.15,80.03;Hamilton,43.24,79.99;Hornepayne,49.25,84.78;Oakville,43.46,79.71;
Port Colborne,42.92,79.19;Cambridge,43.4,80.31;Kitchener-Waterloo,43.42,80.47;Deep River,46.05,77.42;
Shelburne,44.08,80.2;Markham,43.88,79.26;Brantford,43.16,80.26;Lansdowne House,52.22,87.89;Huntsville,45.31,79.28;
Mount Forest,43.98,80.74;Gananoque,44.33,76.16;Chapleau,47.84,83.4;Morrisburg,44.9,75.18;Muskoka,44.91,79.37;
Windsor,42.3,82.99;Burlington,43.37,79.81;Kenora,49.82,94.44;;Saint Thomas,42.78,81.19;Peawanuck,55.02,85.42;
Thunder Bay,48.4,89.27;Ogoki,51.63,85.95;Bancroft,45.06,77.76;Parry Sound,45.35,80.04;Red Lake,51.1,93.72;
Sachigo Lake,53.87,92.17;Smiths Falls,44.9,76.02;Saint Catharines,43.17,79.25;Marathon,48.72,86.38;
Vineland,43.15,79.39;Wingham,43.89,81.31;Armstrong,50.3,89.04;Petawawa,45.91,77.27;Moosonee,51.33,80.72;
Alliston,44.15,79.86;Stirling,44.3,77.55;Stratford,43.37,80.98;Oshawa,43.9,78.86;
Ottawa/ottawa kanata orleans/kanata,45.33,75.58;Whitby,43.93,78.95;Pickle Lake,51.47,90.2;Peterborough,44.3,78.33;
Alexandria,45.31,74.63;Terrace Bay,48.8,87.1;Big Trout Lake,53.75,90;Niagara Falls,43.06,79.11;Trenton,44.11,77.58;
Timmins,48.47,81.33;Toronto Island,43.63,79.37;Sandy Lake,53.06,93.32;Wiarton,44.74,81.14;Pembroke,45.82,77.11;
Webequie,52.99,87.36;Barrys Bay/barry s bay,45.49,77.68;Savant Lake,50.24,90.71;Sioux Lookout,50.09,92;
Earlton,47.71,79.82;London,42.97,81.23;Wawa,47.99,84.77;North Bay,46.31,79.46;Orangeville,43.92,80.11;
le parc provincial Rondeau/rondeau/rondeau parc provincial,42.3,81.89;Kapuskasing,49.42,82.42;Toronto,43.74,79.37;
Gore Bay,45.92,82.46;Kakabeka Falls,48.41,89.62;Killarney,46.06,80.98;Sarnia,42.98,82.32;Atikokan,48.76,91.61;
Port Perry,44.1,78.95;Collingwood,44.5,80.24;Barrie,44.37,79.68;Cornwall,45.03,74.73;
Beardmore/greenstone beardmore/greenstone,49.6,87.96;Upsala,49.06,90.5;Winchester,45.09,75.35;Ignace,49.41,91.68;
Tobermory,45.25,81.66;Wunnummin Lake,52.94,89.3;Fort Frances,48.61,93.39;Goderich,43.74,81.7;Simcoe,42.84,80.31;
Sault-Sainte-Marie/sault sainte marie/sault saint marie,46.56,84.35;Montreal River Harbour,47.24,84.65;
Attawapiskat,52.92,82.43;Haliburton,45.05,78.51;Sioux Narrows,49.41,94.1;Ear Falls,50.64,93.24;
Lindsay/kawartha lakes lindsay/kawartha lakes,44.36,78.74;Midland,44.75,79.88;Elliot Lake,46.38,82.66;
Fort Severn,56,87.62;Rodney,42.57,81.68;Fort Albany,52.21,81.68;Sudbury/sudbury grand,46.58,81.07;on-52;
Ottawa/ottawa richmond metcalfe/metcalfe,45.24,75.47;on-70;Geraldton/greenstone geraldton/greenstone,49.72,86.95;
on-97;Nakina/greenstone nakina/greenstone,50.18,86.71;

pe-1;North Cape,47.07,64;Maple Plains,46.28,63.57;Summerside,46.4,63.79;Saint Peters Bay,46.42,62.58;
Charlottetown,46.24,63.13;East Point,46.45,62;

qc-2;Drummondville,45.88,72.48;;;Granby,45.4,72.73;;;;;;La Malbaie,47.65,70.15;;Saint-Jérôme,45.78,74;
Lachute,45.65,74.33;Matane,48.85,67.53;Murdochville,48.97,65.5;Papineau,45.88,75.05;Percé,48.53,64.22;
le Pontiac,46.05,76.92;Pointe-à-la-Croix,48.02,66.68;Richelieu,45.45,73.25;Saint-Hyacinthe,45.62,72.95;;
Trois-Pistoles,48.12,69.18;Berthierville,46.08,73.18;les Escoumins,48.42,69.42;Forestville,48.73,69.08;
Saint-Jean-sur-Richelieu,45.32,73.27;Fermont,52.78,67.08;
la réserve faunique de La Vérendrye/la verendrye reserve faunique/la verendrye/parc de la verendrye,47.33,77;;;
Sainte-Agathe,46.05,74.28;;le Témiscouata,47.68,68.88;Akulivik,60.8,78.2;;Val-des-Sources,45.77,71.93;;
Puvirnituq,60.03,77.28;Vanier,46.82,71.26;Val-des-Monts,45.65,75.67;;;La Sarre,48.8,79.2;Contrecœur,45.85,73.23;
Mont-Laurier,46.55,75.5;Beauceville,46.2,70.78;Beauharnois,45.32,73.87;Bécancour,46.33,72.43;Bernières,46.69,71.36;
Blainville,45.67,73.88;Boisbriand,45.62,73.83;Bonaventure,48.05,65.48;Candiac,45.38,73.52;Carignan,45.45,73.3;
Carleton-sur-Mer,48.1,66.13;Chambly,45.45,73.28;Chelsea,45.5,75.78;Coaticook,45.13,71.8;Cowansville,45.2,72.75;
Delson,45.37,73.55;Deux-Montagnes,45.53,73.88;Dolbeau-Mistassini,48.88,72.23;Donnacona,46.67,71.75;
Vaudreuil-Dorion,45.4,74.03;Forillon,48.84,64.34;Huntingdon,45.08,74.17;la Baie-James,52,76;Kamouraska,47.57,69.87;
La Prairie,45.42,73.5;Lac-Mégantic,45.58,70.88;le Lac-Saint-Jean,48.57,72.23;Lanaudière,46.3,73.2;;Laval,45.58,73.75;
L'Islet,47.1,70.35;Lévis,46.8,71.18;;;Lorraine,45.68,73.78;;Magog,45.27,72.15;Marieville,45.43,73.17;
Mascouche,45.75,73.6;;;;la Mauricie,46.8,72.97;Mingan,50.3,64.03;;Mont-Saint-Hilaire,45.57,73.2;
Otterburn Park,45.53,73.22;le parc national de la Gaspésie/gaspesie parc national/parc de la gaspesie,48.93,66.28;
le parc national de Forillon/forillon parc national/parc national forillon/parc forillon,48.9,64.35;
Pincourt,45.38,73.98;Port-Cartier,50.03,66.87;Prévost,45.87,74.08;Lac Raglan,61.66,73.26;La Grande-Quatre,53.83,73.53;
Gaspé,48.83,64.48;Maniwaki,46.38,75.97;les Îles-de-la-Madeleine/iles,47.4,61.78;Havre-Saint-Pierre,50.23,63.6;
Kuujjuarapik,55.28,77.75;Quaqtaq,61.05,69.63;Tadoussac,48.15,69.72;Rivière-du-Loup,47.83,69.53;Longueuil,45.53,73.52;
Nicolet,46.22,72.62;New Carlisle,48.02,65.33;Ivujivik,62.42,77.92;
la réserve faunique des Laurentides/laurentides reserve faunique/parc des laurentides,47.75,71.25;Parent,47.92,74.62;
Schefferville,54.8,66.83;Waskaganish,51.2,78.77;Aupaluk,59.3,69.6;Kangiqsualujjuaq,58.69,65.95;Charlevoix,47.48,70.48;
Cap-Chat,49.1,66.68;Chibougamau,49.92,74.37;Umiujaq,56.56,76.55;Mirabel,45.65,74.08;Montmagny,46.98,70.55;
Natashquan,50.19,61.82;Gatineau,45.48,75.65;Mont-Joli,48.58,68.18;Salluit,62.2,75.63;Matagami,49.75,77.63;
Trois-Rivières,46.35,72.58;Inukjuak,58.45,78.1;Shawinigan,46.57,72.75;Québec,46.82,71.22;Roberval,48.52,72.27;
Sutton,45.1,72.62;Sherbrooke,45.4,71.9;Joliette,46.02,73.45;Rimouski,48.45,68.53;le Témiscamingue,47.55,79.23;
Farnham,45.28,72.98;Sept-Îles,50.2,66.38;Port-Menier,49.82,64.35;Salaberry-de-Valleyfield,45.25,74.13;
Alma,48.55,71.65;Tasiujaq,58.7,69.93;Amqui,48.47,67.43;Montréal,45.52,73.65;Rouyn-Noranda,48.23,79.02;
Val-d'Or,48.1,77.78;Kuujjuaq,58.1,68.4;Matapédia,47.97,66.95;Chevery,50.47,59.6;Manicouagan,50.64,68.74;
La Tuque,47.43,72.78;Kangiqsujuaq,61.6,71.96;L'Assomption,45.83,73.42;Victoriaville,46.05,71.97;
La Grande Rivière,53.63,77.7;Kangirsuk,60.02,70.03;Baie-Comeau,49.22,68.15;Bagotville,48.35,70.88;
Varennes,45.68,73.43;Blanc-Sablon,51.42,57.13;;Baie-Saint-Paul,47.45,70.5;Saguenay,48.42,71.07;
Mont-Tremblant,46.12,74.6;Amos,48.57,78.12;Grande-Vallée,49.22,65.13;

qc-a0;Repentigny,45.73,73.47;le réservoir Gouin/gouin reservoir/gouin,48.63,74.9;Rigaud,45.48,74.3;
Rosemère,45.63,73.8;;Saint-Amable,45.65,73.3;Saint-Basile-le-Grand,45.53,73.28;Saint-Constant,45.37,73.57;
Sainte-Anne-des-Monts,49.13,66.5;Sainte-Anne-des-Plaines,45.77,73.82;

qc-b0;Sainte-Catherine,45.4,73.58;Sainte-Julie,45.58,73.33;Sainte-Sophie,45.82,73.9;Sainte-Thérèse,45.63,73.85;
Saint-Eustache,45.57,73.9;Saint-Félicien,48.65,72.45;Saint-Georges,46.12,70.67;Saint-Lazare,45.4,74.13;
Saint-Lin-Laurentides,45.85,73.77;Saint-Luc,45.35,73.3;

qc-c0;Saint-Michel-des-Saints,46.68,73.92;Saint-Nicéphore,45.83,72.42;Saint-Rémi,45.27,73.62;Saint-Sauveur,45.9,74.17;
Saint-Timothée,45.29,74.04;;Sorel-Tracy,46.03,73.12;Terrebonne,45.7,73.63;Thetford Mines,46.1,71.3;Tracy,46.03,73.14;

qc-d0;la Vallée-de-la-Matapédia,48.17,67.14;;Louiseville,46.25,72.95;Le Gardeur,45.75,73.47;Chandler,48.35,64.68;

sk-1;Rosthern,52.66,106.33;Biggar,52.06,107.98;Canora,51.64,102.43;Carlyle,49.64,102.27;Fort Qu'Appelle,50.77,103.79;
Humboldt,52.2,105.12;Kamsack,51.56,101.9;Melville,50.93,102.81;Moosomin,50.14,101.67;Oxbow,49.23,102.17;
Shaunavon,49.65,108.42;Tisdale,52.85,104.05;La Loche,56.49,109.4;Lucky Lake,50.99,107.13;Waskesiu Lake,53.92,106.08;
Maple Creek,49.91,109.48;Hudson Bay,52.84,102.38;Elbow,51.12,106.6;Wynyard,51.77,104.18;Key Lake,57.22,105.63;
Kindersley,51.47,109.16;Meadow Lake,54.12,108.44;Rosetown,51.55,107.99;Moose Jaw,50.39,105.55;Spiritwood,53.37,107.52;
Scott,52.37,108.83;Prince Albert,53.22,105.71;Val Marie,49.25,107.73;
le parc provincial Cypress Hills/cypress hills/cypress hills parc provincial,49.63,109.75;Collins Bay,58.28,103.63;
Weyburn,49.66,103.85;Regina,50.45,104.61;Yorkton,51.21,102.46;North Battleford,52.76,108.29;
le sanctuaire de Last Mountain Lake/last mountain lake/last mountain lake sanctuaire,51.37,105.23;
Stony Rapids,59.25,105.84;Outlook,51.49,107.05;La Ronge,55.12,105.29;Buffalo Narrows,55.88,108.52;
Saskatoon,52.14,106.69;Swift Current,50.29,107.79;Coronach,49.11,105.51;Indian Head,50.53,103.67;
Uranium City,59.57,108.61;Eastend,49.52,108.82;Melfort,52.86,104.61;Nipawin,53.36,104.02;Broadview,50.38,102.58;
Watrous,51.69,105.46;Southend Reindeer,56.32,103.27;Assiniboia,49.63,105.99;Leader,50.89,109.55;Estevan,49.14,102.99;
Rockglen,49.18,105.95;Pelican Narrows,55.19,102.93;Lloydminster,53.28,109.98;

yt-1;Lac Kluane/kluane lake,61.26,138.77;Carcross,60.17,134.71;Rancheria,60.09,130.6;
la route Dempster/dempster/dempster route,66.16,137.15;Haines Junction,60.75,137.51;Dawson,64.06,139.43;
Burwash Landing,61.36,138.99;Ross River,61.98,132.43;Rock River,66.98,136.22;Mayo,63.59,135.9;Old Crow,67.57,139.84;
Faro,62.23,133.36;Watson Lake,60.06,128.7;Teslin,60.17,132.72;Beaver Creek,62.38,140.88;Whitehorse,60.7,135.08;
Carmacks,62.09,136.3`;

/** Pages named after a region or a park: they answer for their name, never as the nearest site of somewhere else. */
const REGION_PAGES = new Set(
  "qc-119 qc-74 qc-89 qc-73 qc-17 qc-19 qc-35 qc-153 qc-69 qc-d0 qc-30 qc-113 qc-94 qc-95 qc-a1".split(" "),
);

/**
 * More places of Québec, of a thousand people or so: « site>how far it is in km,name/other names,latitude,longitude west ».
 * Source: GeoNames, CC BY 4.0, without its double of Pont-Rouge.
 */
const PLACE_ROWS = `qc-147>3,Saint-Laurent,45.5,73.67;qc-41>12,La Haute-Saint-Charles,46.89,71.37;qc-147>9,Saint-Léonard,45.59,73.6;
qc-71>4,Brossard,45.45,73.47;qc-147>6,Notre-Dame-de-Grâce,45.48,73.61;qc-166>13,Jonquière,48.42,71.25;
qc-63>6,Dollard-des-Ormeaux/ddo,45.49,73.82;qc-49>12,Châteauguay,45.38,73.75;qc-b1>8,Boucherville,45.59,73.44;
qc-136>9,Rock Forest,45.36,72.0;qc-147>6,Côte-Saint-Luc,45.47,73.67;qc-63>10,Pointe-Claire,45.45,73.82;
qc-b1>5,Saint-Bruno-de-Montarville/saint bruno,45.53,73.35;qc-147>6,Westmount,45.48,73.6;
qc-63>9,Kirkland,45.45,73.87;qc-96>11,Beaconsfield,45.43,73.87;qc-147>0,Mont-Royal,45.52,73.65;
qc-92>0,Belœil,45.57,73.21;qc-147>11,Dorval,45.45,73.75;qc-143>9,les Coteaux,45.28,74.23;
qc-51>9,Saint-Augustin-de-Desmaures/saint augustin,46.74,71.45;qc-42>21,Buckingham,45.59,75.42;
qc-41>8,L'Ancienne-Lorette,46.79,71.35;qc-59>7,le Plateau,45.44,75.78;qc-154>50,Laurentides,47.13,72.28;
qc-48>32,Sainte-Marie,46.43,71.01;qc-160>8,Hauterive,49.2,68.26;qc-63>4,Sainte-Marthe-sur-le-Lac,45.53,73.93;
qc-123>7,Saint-Canut,45.72,74.08;qc-c3>6,Sainte-Adèle,45.95,74.13;qc-59>7,Cantley,45.57,75.78;
qc-49>9,Mercier,45.32,73.75;qc-96>2,L'Île-Perrot,45.38,73.95;qc-96>4,Notre-Dame-de-l'Île-Perrot,45.37,73.93;
qc-46>6,Lavaltrie,45.88,73.28;qc-65>10,Pont-Rouge,46.75,71.7;qc-81>3,Bois-des-Filion,45.67,73.75;
qc-137>4,Notre-Dame-des-Prairies,46.05,73.43;qc-98>9,Saint-Hippolyte,45.93,74.02;
qc-c3>0,Saint-Sauveur-des-Monts,45.9,74.17;qc-38>0,Asbestos,45.77,71.93;qc-144>11,Pointe-du-Lac,48.5,71.78;
qc-143>7,Coteau-du-Lac,45.3,74.18;qc-147>4,Hampstead,45.48,73.66;qc-143>9,Saint-Zotique,45.25,74.25;
qc-157>25,Plessisville,46.22,71.76;qc-14>8,Brownsburg-Chatham,45.68,74.42;qc-63>7,Pointe-Calumet,45.5,73.97;
qc-b4>9,Saint-Joseph-du-Lac/saint joseph,45.53,74.0;qc-137>17,Saint-Félix-de-Valois,46.17,73.43;
qc-33>0,Sainte-Agathe-des-Monts,46.05,74.28;qc-157>15,Princeville,46.17,71.87;qc-135>15,Lac-Brome,45.22,72.52;
qc-a0>2,Charlemagne,45.72,73.48;qc-22>13,Saint-Pie,45.5,72.91;qc-136>20,Windsor,45.57,72.0;
qc-96>4,Sainte-Anne-de-Bellevue,45.41,73.95;qc-137>21,Rawdon,46.05,73.72;qc-147>7,Montréal-Ouest,45.45,73.65;
qc-c1>23,Acton Vale,45.65,72.57;qc-b7>6,Hudson,45.45,74.15;qc-41>20,Shannon,46.88,71.51;
qc-78>15,Saint-Henri,46.69,71.07;qc-65>23,Sainte-Catherine-de-la-Jacques-Cartier,46.85,71.62;
qc-51>10,Breakeyville,46.68,71.22;qc-b8>26,Chertsey,46.07,73.89;qc-156>5,L'Épiphanie,45.85,73.48;
qc-70>26,La Pocatière,47.37,70.03;qc-b2>5,Lac-Alouette,45.82,73.96;
qc-48>13,Saint-Joseph-de-Beauce/saint joseph,46.3,70.87;qc-c9>9,Lanoraie,45.97,73.22;
qc-98>1,Terrasse-des-Pins,45.86,74.07;qc-167>39,Rivière-Rouge,46.42,74.87;
qc-144>18,Métabetchouan-Lac-à-la-Croix,48.41,71.78;qc-5>18,Waterloo,45.35,72.52;qc-156>8,Verchères,45.78,73.35;
nl-11>107,Saint-Augustin,51.23,58.65;qc-c3>6,Morin-Heights,45.9,74.25;qc-96>6,Baie-D'Urfé,45.41,73.92;
qc-5>11,Bromont,45.32,72.65;qc-162>8,Montréal-Est,45.63,73.51;qc-84>13,Saint-Césaire,45.42,73.0;
qc-57>21,New Richmond,48.16,65.86;qc-149>26,Malartic,48.13,78.13;qc-33>10,Saint-Adolphe-d'Howard,45.97,74.33;
qc-65>13,Neuville,46.7,71.58;qc-136>20,East Angus,45.48,71.67;qc-78>15,L'Ange-Gardien,46.92,71.08;
qc-78>21,Château-Richer,46.96,71.03;qc-70>8,Saint-Pascal,47.52,69.8;qc-38>21,Richmond,45.67,72.15;
qc-2>8,Saint-Germain-de-Grantham,45.83,72.57;qc-61>8,Dunham,45.13,72.8;qc-157>11,Warwick,45.95,71.98;
qc-77>14,Saint-Jean-Port-Joli,47.21,70.27;qc-129>91,Lebel-sur-Quévillon,49.05,76.98;
qc-b8>14,Sainte-Julienne,45.97,73.72;qc-147>7,Saint-Raymond,45.47,73.61;qc-108>51,Cabano,47.68,68.88;
qc-137>8,Saint-Thomas,46.02,73.35;qc-28>18,Napierville,45.19,73.4;qc-65>11,Portneuf,46.69,71.89;
qc-28>8,Mont-Saint-Grégoire,45.33,73.17;qc-139>18,Saint-Bruno-de-Guigues,47.47,79.43;
on-131>29,Fort-Coulonge,45.85,76.73;qc-25>29,Saint-Gabriel,46.3,73.38;qc-121>65,Mistissini,50.42,73.88;
on-22>28,Ville-Marie,47.33,79.43;qc-124>27,Beaupré,47.04,70.9;qc-33>9,Val-Morin,46.0,74.18;
qc-108>47,Pohénégamook,47.46,69.23;qc-b5>21,Normandin,48.83,72.53;qc-c3>3,Piedmont,45.9,74.13;
qc-140>18,Bedford,45.12,72.98;qc-65>3,Cap-Santé,46.67,71.79;qc-c8>18,Adstock,46.05,71.08;
qc-144>9,Saint-Bruno,48.47,71.65;qc-49>5,Melocheville,45.32,73.94;qc-c9>10,Saint-Joseph,45.96,73.22;
qc-78>25,Saint-Anselme,46.63,70.97;qc-49>10,Sainte-Martine,45.25,73.8;qc-b8>5,Lac-Lapierre,45.9,73.77;
qc-42>33,Thurso,45.6,75.25;qc-132>23,Saint-Tite,46.73,72.57;qc-83>29,Valcourt,45.5,72.32;
qc-51>16,Saint-Lambert-de-Lauzon,46.59,71.21;qc-140>9,Ange-Gardien,45.35,72.93;
qc-65>23,Saint-Marc-des-Carrières,46.68,72.05;qc-166>13,Saint-Honoré,48.53,71.08;qc-137>6,Crabtree,45.97,73.47;
qc-149>52,Senneterre,48.39,77.24;qc-c8>23,Disraeli,45.9,71.35;qc-b6>13,Saint-Côme-Linière,46.07,70.52;
qc-134>25,Métabetchouan,48.37,72.02;qc-47>17,Ferme-Neuve,46.7,75.45;qc-d2>33,Mandeville,46.37,73.35;
qc-160>21,Chute-aux-Outardes,49.12,68.4;qc-42>13,Wakefield,45.67,75.83;
qc-65>25,Fossambault-sur-le-Lac,46.88,71.62;qc-92>9,Sainte-Madeleine,45.6,73.1;
qc-48>22,Vallée-Jonction,46.37,70.92;qc-108>10,Cacouna,47.92,69.5;on-71>38,Saint-André-Avellin,45.72,75.07;
qc-107>11,Sacré-Cœur,48.23,69.8;qc-62>6,Saint-Mathieu,45.32,73.52;qc-144>10,Saint-Gédéon,48.5,71.77;
on-139>53,Témiscaming,46.72,79.1;qc-137>24,Sainte-Béatrix,46.2,73.62;qc-c8>21,East Broughton,46.21,71.08;
qc-121>38,Chapais,49.78,74.85;qc-22>15,Saint-Liboire,45.65,72.76;qc-134>18,Chambord,48.43,72.07;
qc-38>7,Danville,45.78,72.02;qc-68>15,Ormstown,45.13,74.0;qc-96>3,Saint-Jean-Baptiste,45.38,74.01;
qc-68>21,Franklin,45.03,73.92;qc-144>23,Saint-Ambroise,48.55,71.33;qc-c2>9,Saint-Édouard,45.23,73.52;
qc-b9>12,Saint-Jacques-le-Mineur,45.28,73.42;qc-137>10,Saint-Ambroise,46.08,73.56;qc-c0>70,Manawan,47.22,74.39;
on-71>32,Papineauville,45.62,75.02;qc-136>21,Cookshire-Eaton,45.42,71.63;qc-45>16,Macamic,48.75,79.0;
qc-137>11,Sainte-Élisabeth,46.1,73.35;qc-147>6,Saint-Michel,45.57,73.62;qc-140>25,Venise-en-Québec,45.08,73.13;
qc-28>27,Lacolle,45.08,73.37;qc-114>43,Leblanc,48.27,74.35;qc-c7>6,Saint-Charles,45.7,73.55;
qc-84>9,Rougemont,45.43,73.05;qc-38>14,Kingsey Falls,45.85,72.07;qc-129>105,Waswanipi,49.73,76.17;
qc-65>13,Saint-Antoine-de-Tilly,46.66,71.57;qc-c4>1,les Cèdres,45.3,74.05;qc-29>133,Godefroy,51.75,68.08;
qc-61>8,Sainte-Croix,45.13,72.8;qc-22>12,Saint-Barnabé-Sud,45.73,72.92;qc-b6>24,Linière,46.0,70.42;
qc-48>20,Saint-Éphrem-de-Beauce,46.07,70.95;qc-22>10,Saint-Damase,45.53,73.0;qc-132>14,Hérouxville,46.67,72.63;
qc-26>8,les Escoumins,48.35,69.41;qc-110>24,Saint-Léonard-d'Aston,46.1,72.37;qc-132>33,Sainte-Thècle,46.82,72.5;
qc-c8>16,Saint-Joseph-de-Coleraine,45.97,71.37;qc-157>21,Daveluyville,46.2,72.13;qc-141>14,Maliotenam,50.21,66.18;
qc-59>2,Saint-Alexandre,45.5,75.75;qc-108>26,Saint-Siméon,47.84,69.88;qc-167>8,La Conception,46.15,74.7;
qc-2>7,Saint-Cyrille-de-Wendover,45.93,72.43;qc-b7>8,Oka,45.46,74.09;qc-167>12,Lac-Simon,46.16,74.74;
qc-d2>9,Yamachiche,46.27,72.83;qc-167>21,Labelle,46.28,74.73;qc-167>29,La Minerve,46.25,74.93;
qc-109>9,Saint-Victor,45.61,73.52;qc-33>30,Saint-Donat-de-Montcalm,46.32,74.22;qc-98>9,Lac-Connelly,45.9,73.97;
qc-33>5,Val-David,46.03,74.22;on-58>21,Shawville,45.6,76.48;on-139>58,Notre-Dame-du-Lac,46.75,79.05;
qc-149>39,Barraute,48.43,77.63;qc-144>15,L'Ascension-de-Notre-Seigneur,48.68,71.67;
qc-28>3,Parc-Boutin,45.29,73.26;qc-57>14,Maria,48.17,65.99;qc-139>14,Saint-Isidore,47.43,79.3;
qc-110>22,Pierreville,46.07,72.81;qc-138>15,le Bic,48.38,68.69;qc-102>15,Saint-Raphaël,46.25,76.02;
qc-138>14,Luceville,48.54,68.4;qc-d2>6,Maskinongé,46.23,73.02;qc-57>2,Carleton,48.1,66.1;
qc-97>1,Saint-Alexandre,50.03,66.86;qc-167>39,Notre-Dame-du-Mont-Carmel,46.02,75.08;qc-64>16,Albanel,48.88,72.45;
qc-70>19,Saint-Pacôme,47.4,69.95;qc-46>10,Saint-Denis-sur-Richelieu,45.78,73.15;
qc-25>14,Saint-Norbert,46.17,73.31;qc-38>37,Weedon/weedon centre,45.71,71.46;qc-76>3,Saint-Elzéar,45.6,73.73;
qc-114>63,Wemotaci/weymontachie,47.9,73.78;qc-102>13,Saint-Boniface,46.5,75.98;qc-136>21,Cookshire,45.42,71.63;
qc-134>8,Saint-Prime,48.58,72.33;qc-123>10,Saint-Colomban,45.73,74.13;qc-137>12,Saint-Jacques,45.95,73.57;
qc-144>8,Saint-Nazaire,48.59,71.55;qc-55>4,Saint-Philippe/saint philippe de la prairie,45.36,73.48;
qc-2>25,Saint-Pie-de-Guire/saint pie v,46.0,72.75;qc-50>26,Saint-Pierre-les-Becquets,46.5,72.2;
qc-143>14,Saint-Polycarpe,45.3,74.3;qc-38>14,Saint-Rémi-de-Tingwick,45.87,71.82;
qc-108>9,Saint-Antonin,47.76,69.48`;

/** Ours, same shape: towns that the rows above lack. Most have a namesake there, less known: a question is asked. */
const TOWN_ROWS = `qc-65>25,Saint-Raymond/saint raymond de portneuf,46.89,71.83;qc-147>0,Saint-Henri,45.47,73.6;
qc-124>26,Saint-Raphaël/saint raphael de bellechasse,46.8,70.76;qc-132>9,Saint-Boniface,46.5,72.82;
qc-132>11,Notre-Dame-du-Mont-Carmel,46.49,72.67;qc-48>11,Saint-Victor/saint victor de beauce,46.15,70.9;
qc-51>23,Saint-Isidore/saint isidore de beauce,46.58,71.1;
qc-65>6,Sainte-Croix/sainte croix de lotbiniere,46.62,71.73;qc-93>8,Saint-Jean-Baptiste,45.52,73.12;
qc-140>12,Saint-Alexandre/saint alexandre d iberville,45.23,73.12;
qc-108>18,Saint-Alexandre-de-Kamouraska/saint alexandre,47.68,69.63;qc-42>19,L'Ange-Gardien,45.58,75.45;
qc-137>4,Saint-Charles-Borromée/saint charles,46.05,73.47;
qc-78>18,Saint-Charles-de-Bellechasse/saint charles,46.77,70.95;qc-109>3,Saint-Lambert,45.5,73.51;
qc-158>19,Radisson,53.79,77.62;qc-167>10,Tremblant,46.21,74.58;qc-147>0,Côte-des-Neiges,45.5,73.62;
qc-147>0,Pierrefonds,45.49,73.85;qc-147>0,Pointe-aux-Trembles,45.65,73.5;
qc-147>0,Rivière-des-Prairies,45.65,73.55`;

/**
 * Boroughs, old and familiar names, regions: « site*km,name/other names ». They win over the rows above, where a few
 * homonyms lurk. Without a name: the site's own is spoken. 1 km: a region, for which one town answers.
 */
const ALIAS_ROWS = `qc-147*0,/mtl;qc-147*0,le Plateau-Mont-Royal/le plateau/plateau;qc-147*0,Rosemont;qc-147*0,Verdun;qc-147*0,Lachine;
qc-147*0,LaSalle/la salle;qc-147*0,Outremont;qc-147*0,Villeray;qc-147*0,Hochelaga;qc-147*0,Ahuntsic;qc-147*0,Anjou;
qc-147*0,Ville-Marie;qc-147*0,Montréal-Nord;qc-147*0,Saint-Laurent;qc-147*0,Saint-Léonard;
qc-147*0,Notre-Dame-de-Grâce/ndg;qc-147*0,l'île de Montréal;qc-133*0,/quebec city;qc-133*0,le Vieux-Québec;
qc-133*0,Sainte-Foy;qc-133*0,Beauport;qc-133*0,Charlesbourg;qc-133*0,Limoilou;qc-133*0,Cap-Rouge;qc-133*0,Val-Bélair;
qc-133*0,Loretteville;qc-133*0,La Haute-Saint-Charles;qc-133*0,L'Ancienne-Lorette;qc-133*0,Wendake;
qc-166*0,Chicoutimi;qc-166*0,Jonquière;qc-166*0,La Baie;qc-166*0,Arvida;qc-166*1,le Saguenay;qc-73*0,/le lac;
qc-126*0,Hull;qc-126*0,Aylmer;qc-126*0,Buckingham;qc-126*0,Masson-Angers;qc-126*1,l'Outaouais;qc-109*0,Saint-Hubert;
qc-109*0,Greenfield Park;qc-109*0,le Vieux-Longueuil;qc-109*1,la Rive-Sud;qc-76*0,Chomedey;qc-76*0,Sainte-Rose;
qc-76*0,Vimont;qc-78*0,Charny;qc-78*0,Saint-Romuald;qc-78*0,Saint-Nicolas;qc-78*0,Lauzon;
qc-78*1,Chaudière-Appalaches;qc-130*0,Cap-de-la-Madeleine;qc-130*0,Pointe-du-Lac;qc-130*0,/trois rivieres;
qc-136*0,Lennoxville;qc-136*0,Fleurimont;qc-136*0,Rock Forest;qc-136*1,l'Estrie;qc-136*1,les Cantons-de-l'Est;
qc-13*1,les Laurentides/laurentides;qc-101*1,la Gaspésie;qc-b6*1,la Beauce;qc-138*1,le Bas-Saint-Laurent;
qc-148*1,l'Abitibi;qc-148*1,l'Abitibi-Témiscamingue;qc-2*1,le Centre-du-Québec;qc-28*1,la Montérégie;
qc-28*0,/saint jean;qc-160*1,la Côte-Nord;qc-121*1,le Nord-du-Québec;qc-150*1,le Nunavik;qc-103*0,/les iles;
qc-103*0,Cap-aux-Meules;qc-38*0,/asbestos;qc-33*0,Sainte-Agathe-des-Monts;qc-143*0,/valleyfield;qc-108*0,/rdl;
qc-35*0,Notre-Dame-du-Lac;qc-35*0,Cabano;qc-35*0,Témiscouata-sur-le-Lac;qc-c6*0,/sorel;
qc-148*0,/rouyn;qc-c8*0,/thetford;qc-64*0,/dolbeau/mistassini;qc-167*0,Saint-Jovite;qc-78*0,/levy/levi;
qc-147*0,le Vieux-Montréal;qc-147*0,Hochelaga-Maisonneuve;qc-147*0,L'Île-des-Sœurs;qc-166*1,le Saguenay-Lac-Saint-Jean;
qc-133*1,la Capitale-Nationale;qc-35*0,Saint-Louis-du-Ha-Ha`;
// From what a person said to a place on the map. The tables answer for nearly all of Québec without any call.

/** One page of Environment Canada's « villes ». `region` pages are named after a region, never a nearest site. */
interface Site {
  id: string;
  name: string;
  lat: number;
  lon: number;
  province: string;
  region: boolean;
}

/**
 * Where a question is about. `at`: « à Montréal », « aux Escoumins », « en Gaspésie ». `zone`: IANA. `province`: two
 * letters, null abroad. `site`: the official page that answers for it, null abroad; `km`: how far that site is, 0 for
 * its own page and for a borough of its town, at least 1 for a region that a town answers for.
 */
interface Place {
  name: string;
  at: string;
  lat: number;
  lon: number;
  zone: string;
  province: string | null;
  site: Site | null;
  km: number;
}

/** A row of the tables. `alias`: a name that wins over its homonyms. */
interface Spot {
  name: string;
  lat: number;
  lon: number;
  province: string;
  site: Site;
  km: number;
  alias: boolean;
}

/**
 * The tables in one text, as written and as people type them: without case or accents, letter for letter. A name is looked
 * for in the second and its row read in the first; an index of all the names would cost an isolate's first request more.
 */
interface Atlas {
  text: string;
  folded: string;
}

let atlas: Atlas | null = null;

/** The pages, each with its id: « ab-1,Cochrane,51.21,114.47 ». */
function siteRows(): string[] {
  const rows: string[] = [];
  let [group, number] = ["", 0];
  for (const row of SITE_ROWS.replaceAll("\n", "").split(";")) {
    const opens = row !== "" && !row.includes(",");
    if (opens) [group, number] = [row.replace(/\d+$/, ""), Number(/\d+$/.exec(row))];
    else if (row !== "") rows.push(`${group}${number},${row}`);
    if (!opens) number++;
  }
  return rows;
}

/** Opened at the first question of an isolate, never at load time. */
function openAtlas(): Atlas {
  if (atlas !== null) return atlas;
  const rows = siteRows().join(";");
  const text = `;${[rows, PLACE_ROWS, TOWN_ROWS, ALIAS_ROWS].join(";").replaceAll("\n", "")};`;
  // What `fold` does to French letters, in half its time, letter for letter: half a millisecond is a lot here.
  const folded = text.toLowerCase().replace(/[\u00e0-\u00ff]/g, (letter) => letter.normalize("NFD")[0]);
  atlas = { text, folded };
  return atlas;
}

/** The longest name of the tables has seven words. */
const WORDS_LIMIT = 8;

/**
 * The rows that bear a name, as `keyOf` spells it; for want of one, those that bear it after an article: « Ange-Gardien »
 * is a town of its own before it is L'Ange-Gardien, Saguenay before it is le Saguenay.
 */
function rowsNamed(key: string): string[] {
  const kept = NAMED.get(key);
  if (kept !== undefined) return kept;
  const rows = searchRows(key);
  if (NAMED.size >= CACHE_LIMIT) NAMED.clear();
  NAMED.set(key, rows);
  return rows;
}

/** The names looked for so far: one question looks for the same one several times. */
const NAMED = new Map<string, string[]>();

function searchRows(key: string): string[] {
  const { text, folded } = openAtlas();
  const words = key.split(" ");
  const isThere = (word: string) => word.split("oe").every((part) => folded.includes(part));
  if (key === "" || words.length > WORDS_LIMIT || !words.every(isThere)) return [];
  const name = words.join("[-' ]+").replaceAll("oe", "(?:oe|œ)");
  const found = [...folded.matchAll(new RegExp(`[,/](les? |la |l')?${name}(?=[,/;])`, "g"))];
  const bare = found.filter(([, article]) => article === undefined);
  return [...new Set((bare.length > 0 ? bare : found).map(({ index }) => rowAt(index, text)))];
}

function rowAt(index: number, text: string): string {
  return text.slice(text.lastIndexOf(";", index) + 1, text.indexOf(";", index));
}

/** The rows read so far. */
const SPOTS = new Map<string, Spot>();

function spotOf(row: string): Spot {
  const kept = SPOTS.get(row);
  if (kept !== undefined) return kept;
  const [source, names, lat, west] = row.split(",");
  const [label] = names.split("/");
  const [id, far] = source.split(/[>*]/);
  const site = far === undefined ? siteIn(row) : siteOf(id);
  const point = lat === undefined ? ownPoint(label, site) : { lat: Number(lat), lon: -Number(west) };
  const province = far === undefined ? site.province : "QC";
  const name = label === "" ? site.name : label;
  const spot = { name, ...point, province, site, km: Number(far ?? 0), alias: source.includes("*") };
  SPOTS.set(row, spot);
  return spot;
}

function siteIn(row: string): Site {
  const [id, names, lat, west] = row.split(",");
  const [name] = names.split("/");
  const region = REGION_PAGES.has(id);
  return { id, name, lat: Number(lat), lon: -Number(west), province: id.slice(0, 2).toUpperCase(), region };
}

/** Only a row of the sites has nothing but an id before its comma. */
function siteOf(id: string): Site {
  const { text } = openAtlas();
  return siteIn(rowAt(text.indexOf(`;${id},`) + 1, text));
}

/** A borough's own point when the tables have it, else its town's: an alert is in force at a point. */
function ownPoint(label: string, site: Site): Point {
  const twins = rowsNamed(keyOf(label))
    .filter((row) => !row.includes("*"))
    .map(spotOf);
  const { lat, lon } = twins.find((spot) => distance(spot, site) < SAME_KM) ?? site;
  return { lat, lon };
}

/** Two points of the same name this near are one place. */
const SAME_KM = 40;
const ARTICLE = /^(?:le|la|les|l) /;

/** A word of what was said, as the tables spell it, and where it stands in the text. */
interface Word {
  plain: string;
  start: number;
  end: number;
}

function wordsIn(text: string): Word[] {
  return [...text.matchAll(/[0-9a-z\u00c0-\u024f]+/gi)].flatMap(({ 0: word, index }) => {
    const plain = keyOf(word);
    return plain === "" ? [] : [{ plain, start: index, end: index + word.length }];
  });
}

/** « Saint-Jérôme » and « ST JEROME » are « saint jerome »: what the index and the geocoders' answers are compared by. */
function keyOf(text: string): string {
  const plain = fold(text).replaceAll("œ", "oe");
  const key = plain.replace(/[^a-z0-9]+/g, " ").trim();
  return key.replace(/\b(?:ste?|mt|[237])\b/g, (word) => SPELLED[word]);
}

/** What a keyboard or a voice recogniser shortens: « St-Jérôme », « 3-Rivières », « mt tremblant ». */
const SPELLED: Record<string, string> = {
  ...{ st: "saint", ste: "sainte", mt: "mont" },
  ...{ "2": "deux", "3": "trois", "7": "sept" },
};

/** What may stand before a name: « du côté de », « la ville de », « dans », « aux ». */
const LEAD = new RegExp(
  "^(?:(?:(?:tout )?pres|proche|autour|du cote|a cote|(?:la |une )?ville|(?:la )?municipalite|(?:la )?paroisse|(?:la )?mrc|(?:le )?village|(?:le )?secteur|" +
    "(?:le )?quartier|(?:l )?arrondissement|(?:la )?region|(?:le )?coin|(?:le )?bout|(?:les )?(?:environs|alentours)|" +
    "(?:le )?centre ville|(?:l )?aeroport|(?:la )?meteo) (de|d|du|des)|" +
    "(a|en|dans|sur|pour|vers|chez|partout|toute?|(?:le )?(?:secteur|quartier)|(?:la )?meteo|aux?)) ",
);

/** « du Bic », « de Montréal », « Ville Saint-Laurent »: for the tables only, since « Des Moines » and « Ville-Émard » are names. */
const OF = /^(?:(de|d|ville)|(du|des)) /;

/** The article that a contraction holds. */
const HELD: Record<string, string> = { du: "le ", au: "le ", des: "les ", aux: "les " };

/** What the tables may call it: as said, without what leads to it, without its article. `name`: what to look for elsewhere. */
function formsOf(plain: string): { forms: string[]; name: string } {
  const forms = [plain];
  let name = plain;
  while (LEAD.test(name)) {
    name = withoutLead(name, LEAD);
    forms.push(name);
  }
  const rest = withoutLead(name, OF);
  return { forms: [...forms, rest, rest.replace(ARTICLE, "")], name };
}

function withoutLead(plain: string, lead: RegExp): string {
  return plain.replace(lead, (_, one: string | undefined, other: string | undefined) => HELD[one ?? other ?? ""] ?? "");
}

function spotsOf(plain: string): Spot[] {
  const direct = rowsNamed(plain);
  const rows =
    direct.length > 0
      ? direct
      : formsOf(plain)
          .forms.map(rowsNamed)
          .find((one) => one.length > 0);
  return (rows ?? []).map(spotOf);
}

/** Two letters: its name with its preposition, the code that geogratis gives it, what people call it. */
const PROVINCES: Record<string, [at: string, code: number, names: string]> = {
  QC: ["au Québec", 24, "quebec,qc,que,pq,p q"],
  ON: ["en Ontario", 35, "ontario,on,ont"],
  NB: ["au Nouveau-Brunswick", 13, "nouveau brunswick,new brunswick,nb,n b"],
  NS: ["en Nouvelle-Écosse", 12, "nouvelle ecosse,nova scotia,ns,n s,n e"],
  PE: ["à l'Île-du-Prince-Édouard", 11, "ile du prince edouard,prince edward island,ipe,i p e,pe,pei,p e i"],
  NL: [
    "à Terre-Neuve-et-Labrador",
    10,
    "terre neuve et labrador,newfoundland and labrador,newfoundland,terre neuve,labrador,nl,t n l",
  ],
  MB: ["au Manitoba", 46, "manitoba,mb,man"],
  SK: ["en Saskatchewan", 47, "saskatchewan,sk,sask"],
  AB: ["en Alberta", 48, "alberta,ab,alb,alta"],
  BC: ["en Colombie-Britannique", 59, "colombie britannique,british columbia,bc,b c,cb,c b"],
  YT: ["au Yukon", 60, "yukon,yt"],
  NT: ["dans les Territoires du Nord-Ouest", 61, "territoires du nord ouest,northwest territories,tno,t n o,nt,nwt"],
  NU: ["au Nunavut", 62, "nunavut,nu"],
};

/** Countries that people name, by their two letters. */
const COUNTRIES =
  "CA canada,US etats unis,US usa,US us,US u s a,US amerique,FR france,MX mexique,CU cuba,DO republique dominicaine," +
  "HT haiti,GP guadeloupe,MQ martinique,JM jamaique,BS bahamas,BM bermudes,BB barbade,CR costa rica,PA panama," +
  "CO colombie,PE perou,BR bresil,AR argentine,CL chili,ES espagne,IT italie,PT portugal,GB royaume uni,GB angleterre," +
  "GB grande bretagne,GB ecosse,GB pays de galles,IE irlande,DE allemagne,BE belgique,CH suisse,AT autriche,NL pays bas," +
  "NL hollande,GR grece,TR turquie,PL pologne,UA ukraine,RU russie,RO roumanie,HR croatie,SE suede,NO norvege," +
  "DK danemark,FI finlande,IS islande,MA maroc,DZ algerie,TN tunisie,EG egypte,SN senegal,CI cote d ivoire,CM cameroun," +
  "CD congo,LB liban,IL israel,JP japon,CN chine,IN inde,VN vietnam,TH thailande,PH philippines,AU australie," +
  "NZ nouvelle zelande";

/** States of the neighbour that people name, in French and as the geocoder may write them. */
const STATES =
  "vermont,maine,new hampshire,massachusetts,connecticut,rhode island,new york=etat de new york,new jersey,pennsylvanie=pennsylvania," +
  "floride=florida,georgie=georgia,caroline du nord=north carolina,caroline du sud=south carolina,virginie=virginia," +
  "louisiane=louisiana,texas,californie=california,nevada,arizona,colorado,hawai=hawaii,alaska,washington,oregon,michigan," +
  "ohio,illinois,tennessee,minnesota,maryland";

/** What narrows a name: a province, a country, or a state or region by one of its names. */
interface Bounds {
  province: string | null;
  country: string | null;
  region: string[] | null;
}

const BOUNDS = new Map<string, Bounds>([
  ...STATES.split(",").flatMap((row) => {
    const region = row.split("=");
    return region.map((name): [string, Bounds] => [name, { province: null, country: "US", region }]);
  }),
  ...COUNTRIES.split(",").map((row): [string, Bounds] => {
    return [row.slice(3), { province: null, country: row.slice(0, 2), region: null }];
  }),
  ...Object.entries(PROVINCES).flatMap(([province, [, , names]]) => {
    return names.split(",").map((name): [string, Bounds] => [name, { province, country: "CA", region: null }]);
  }),
]);

/** A name being looked for, and what was said around it; `near`: « Saint-Ambroise, près de Joliette ». */
interface Wanted extends Bounds {
  /** All that was said, to be quoted. */
  said: string;
  /** As the tables spell it, without what narrows it, and what it may be called there. */
  plain: string;
  forms: string[];
  /** As written, without what leads to it: for a geocoder. */
  text: string;
  near: Spot | null;
}

/** A whole name first: « Venise-en-Québec » is a town. Then what narrows it comes off its end. */
function understand(said: string): Wanted {
  const words = wordsIn(said);
  const bounds: Bounds = { province: null, country: null, region: null };
  let end = words.length;
  while (spotsOf(joinWords(words, 0, end)).length === 0 && !BOUNDS.has(joinWords(words, 0, end))) {
    const size = [4, 3, 2, 1].find((one) => one < end && BOUNDS.has(joinWords(words, end - one, end)));
    if (size === undefined) break;
    let left = end - size;
    // « la Rive-Sud de Québec » is beside the city, « Montréal et Québec » are two: the province is « du Québec ».
    if (/^(?:et|ou|de|d)$/.test(words[left - 1].plain) && joinWords(words, left, end) === "quebec") break;
    while (left > 0 && LINKS.has(words[left - 1].plain)) left--;
    if (left === 0 || /^(?:et|ou|nouvelle|nouveau)$/.test(words[left - 1].plain)) break;
    const { province, country, region } = BOUNDS.get(joinWords(words, end - size, end)) as Bounds;
    bounds.province ??= province;
    bounds.country ??= country;
    bounds.region ??= region;
    end = left;
  }
  const split = splitNear(said, words, end);
  const plain = joinWords(words, 0, split.end);
  const { forms, name } = formsOf(plain);
  const article = ARTICLE.exec(name)?.[0] ?? "";
  const kept = words.slice(0, split.end).slice(-name.replace(ARTICLE, "").split(" ").length);
  const text = kept.length === 0 ? "" : said.slice(kept[0].start, kept[kept.length - 1].end);
  const region = bounds.region ?? split.region;
  return { ...bounds, region, said, plain, forms, text: `${article.replace("l ", "l'")}${text}`, near: split.near };
}

function joinWords(words: Word[], start: number, end: number): string {
  return words
    .slice(start, end)
    .map(({ plain }) => plain)
    .join(" ");
}

const LINKS = new Set("a au aux en dans de du d des la le les l".split(" "));
const NEARNESS = new Set("pres proche a au aux dans en de du d".split(" "));

/** « Verdun, Montréal », « Saint-Michel à Montréal », « Saint-Tite près de Shawinigan »; after a comma, any region. */
function splitNear(
  said: string,
  words: Word[],
  end: number,
): { end: number; near: Spot | null; region: string[] | null } {
  const whole = { end, near: null, region: null };
  if (spotsOf(joinWords(words, 0, end)).length > 0) return whole;
  for (let index = 1; index < end; index++) {
    const comma = /[,(;]/.test(said.slice(words[index - 1].end, words[index].start));
    if (!comma && !NEARNESS.has(words[index].plain)) continue;
    const tail = joinWords(words, index, end);
    const [near] = spotsOf(tail).toSorted((one, other) => Number(other.alias) - Number(one.alias));
    if (near === undefined && comma) return { end: index, near: null, region: [tail] };
    if (near === undefined) continue;
    // « La Guadeloupe en Beauce », « Sainte-Marie de Beauce »; but « Saint-Gédéon-de-Beauce » is not Saint-Gédéon.
    const isRegion = near.alias && near.km > 0;
    const head = spotsOf(joinWords(words, 0, index));
    if (!comma && /^(?:en|dans) /.test(tail) && isRegion) return { end: index, near, region: null };
    if (!comma && /^(?:de|du|d) /.test(tail) && (!isRegion || nearestOf(head, near) === null)) continue;
    // « Rivière-à-Pierre », « Lac-à-Beauce »: a preposition alone divides two known names only.
    const sure = comma || /^(?:pres|proche|a cote) /.test(tail) || head.length > 0;
    if (sure) return { end: index, near, region: null };
  }
  return whole;
}

/** How a person says that the question is about where they are. */
const HERE = new Set(
  (
    "ici,icitte,par ici,nous,nous autres,moi,la maison,maison,dehors,mon coin,notre coin,le coin,ma ville,notre ville,mon village," +
    "mon quartier,ma region,notre region,ou je suis,la ou je suis,ma place,la meteo,meteo,domicile,mon domicile,ma position"
  ).split(","),
);

/**
 * The place that was said, or the deployment's own when none was; a `Refusal` that asks which when nothing or several
 * things are understood. Never another town than the one meant. Two geocoding calls at most.
 */
async function findPlace(lieu: unknown, deps: Deps): Promise<Place> {
  const said = typeof lieu === "string" ? cleanText(lieu).slice(0, SAID_LIMIT) : "";
  if (!isHere(said)) return findSaid(said, deps);
  const home = typeof deps.env.DEFAULT_PLACE === "string" ? cleanText(deps.env.DEFAULT_PLACE).slice(0, SAID_LIMIT) : "";
  if (isHere(home)) throw new Refusal(NO_PLACE);
  return findSaid(home, deps);
}

/** What a voice recogniser catches around a name. */
const POLITE = /^\s*(?:euh|heu)(?:,| )+|(?:,| )+(?:s['’ ]il (?:te|vous) pla[iî]t|stp|svp|merci)[ .!?]*$/gi;

/** What a person may say of a place, in characters; the door's schemas say the same. */
const SAID_LIMIT = 80;

function isHere(said: string): boolean {
  const key = keyOf(said);
  return said === "" || (rowsNamed(key).length === 0 && formsOf(key).forms.some((form) => HERE.has(form)));
}

async function findSaid(words: string, deps: Deps): Promise<Place> {
  const said = words
    .replace(/[«»"“”]/g, " ")
    .replace(POLITE, "")
    .trim();
  if (/\d/.test(said)) {
    const point = parsePoint(said);
    if (point !== null) return placeOfPoint(point, null);
    const area = parsePostalArea(said);
    // Montréal and Laval have the letter H to themselves; the page nearest to some of their areas is across the river.
    if (area?.startsWith("H")) return placeOfSpot(spotsOf(area[1] === "7" ? "laval" : "montreal")[0]);
    if (area !== null) return fetchPostalArea(area, said, deps);
  }
  const [only, ...others] = rowsNamed(keyOf(said));
  if (only !== undefined && others.length === 0) return placeOfSpot(spotOf(only));
  const wanted = understand(said);
  if (isTooWide(said, wanted)) throw new Refusal(sayTooWide(said));
  const spot = findSpot(spotsOf(wanted.plain), wanted);
  if (spot !== null) return placeOfSpot(spot);
  const close = findClose(wanted);
  const sure =
    close !== null && (close.province === "QC" || wanted.province !== null || CANADIAN_CITIES.has(keyOf(close.name)));
  return sure ? placeOfSpot(close) : fetchPlace(wanted, deps);
}

/** « le Québec », « en Ontario », « la Floride »: not one weather. « à Québec », « à New York »: towns. */
function isTooWide(said: string, { plain, forms, province, near }: Wanted): boolean {
  const whole = formsOf(keyOf(said)).forms;
  if (whole.includes("le quebec")) return true;
  if ([...whole, ...forms].some((form) => /^(?:la |ma |notre )?province(?: (?:de|du) quebec)?$/.test(form)))
    return true;
  // « La Guadeloupe au Québec », or « en Beauce », is a village.
  const named = (province === null && near === null) || whole.some((form) => BOUNDS.has(form));
  return named && spotsOf(plain).length === 0 && forms.some((form) => BOUNDS.has(form) && !GREAT_CITIES.has(form));
}

/** Among the rows that bear the name: the bounds said, else Québec first, an alias first. Asks when several remain. */
function findSpot(spots: Spot[], wanted: Wanted): Spot | null {
  const { province, country, region, near } = wanted;
  if ((country !== null && country !== "CA") || region !== null) return null;
  const kept = spots.filter((spot) => province === null || spot.province === province);
  if (near !== null) return nearestOf(kept, near);
  const local = kept.filter((spot) => spot.province === "QC");
  const first = local.length > 0 ? local : kept;
  const known = first.filter(({ alias }) => alias);
  const choices = distinct(known.length > 0 ? known : first);
  if (choices.length > 1) throw new Refusal(sayChoices(wanted, choices));
  return choices[0] ?? null;
}

/** « Saint-Tite, Shawinigan » is no further than this from Shawinigan, in km. */
const NEAR_KM = 120;

function nearestOf<T extends Point>(points: T[], near: Point): T | null {
  const [first] = points.toSorted((one, other) => distance(one, near) - distance(other, near));
  return first !== undefined && distance(first, near) <= NEAR_KM ? first : null;
}

/** One of each place: two rows of a province this near are the same. */
function distinct<T extends Point & { province: string | null }>(points: T[]): T[] {
  return points.filter((point, index) => {
    return !points.slice(0, index).some((one) => one.province === point.province && distance(one, point) <= SAME_KM);
  });
}

/** A slip of a letter, or an end cut short; never when the word is also the name of a place that the tables lack. */
function findClose(wanted: Wanted): Spot | null {
  const { name } = formsOf(wanted.plain);
  if (name.length < 5 || OTHER_TOWNS.has(name) || GREAT_CITIES.has(name)) return null;
  const names = allNames().filter((key) => isClose(name, key));
  const close = [...new Set(names)].flatMap(rowsNamed).map(spotOf);
  return new Set(close.map((spot) => spot.name)).size === 1 ? findSpot(close, wanted) : null;
}

/** Beyond Québec, a slip is believed on these only: « Alexandrie » is not Alexandria, nor « Saint-Alban » St. Alban's. */
const CANADIAN_CITIES = new Set(
  (
    "toronto,ottawa,mississauga,hamilton,winnipeg,saskatoon,calgary,edmonton,vancouver,moncton,fredericton,halifax,charlottetown," +
    "edmundston,bathurst,thunder bay,kelowna,whitehorse,yellowknife,iqaluit"
  ).split(","),
);

let spelled: string[] | null = null;

/** Every name of the tables, as `keyOf` spells it, with and without its article: for mistakes only, since it takes long. */
function allNames(): string[] {
  spelled ??= openAtlas()
    .folded.split(";")
    .flatMap((row) => row.split(",", 2)[1]?.split("/") ?? [])
    .map((name) => name.replaceAll("œ", "oe").replace(/[-' ]+/g, " "))
    .flatMap((name) => (ARTICLE.test(name) ? [name, name.replace(ARTICLE, "")] : [name]));
  return spelled;
}

/** « Drumonville », « Saint-Hyacint », « Toronot »: one letter added, changed or swapped, one or two missing. */
function isClose(said: string, key: string): boolean {
  const missing = key.length - said.length;
  if (said[0] !== key[0] || missing > 2 || missing < -1) return false;
  let start = 0;
  while (start < said.length && said[start] === key[start]) start++;
  let end = 0;
  while (end < Math.min(said.length, key.length) - start && said.at(-1 - end) === key.at(-1 - end)) end++;
  const [left, right] = [said.slice(start, said.length - end), key.slice(start, key.length - end)];
  if (Math.max(left.length, right.length) <= 1) return true;
  if (left.length === 2 && right.length === 2) return left[0] === right[1] && left[1] === right[0];
  return missing === 2 && said.length >= 9 && !right.includes(" ") && isWithin(left, right);
}

/** The letters of `part`, in their order, are in `whole`. */
function isWithin(part: string, whole: string): boolean {
  let index = 0;
  for (const letter of whole) if (letter === part[index]) index++;
  return index === part.length;
}

/** Towns outside the tables whose names are a slip away from one inside: they go to the geocoders. */
const OTHER_TOWNS = new Set(
  "vitoria,beeton,cariboo,gibbons,pictou,provost,rouge,sidney,saint andre,saint simon,indian river,arles,esher,durham,vittoria,trento,doral,naperville,leander,fargo,clifton,edison,altoona,fremont,victorville,vista,villeroy,saint aubert,saint come,saint leandre".split(
    ",",
  ),
);

/** Abroad, and meant by anyone who says the name alone: the hamlets of the same name must not win. */
const GREAT_CITIES = new Set(
  (
    "paris,londres,new york,miami,miami beach,rome,boston,plattsburgh,cancun,punta cana,la havane,varadero,orlando,lisbonne,barcelone," +
    "tokyo,madrid,berlin,bruxelles,geneve,venise,florence,athenes,prague,vienne,amsterdam,dublin,marseille,lyon,nice,bordeaux," +
    "toulouse,nantes,rouen,chicago,washington,philadelphie,los angeles,san francisco,las vegas,seattle,houston,dallas,nashville," +
    "nouvelle orleans,la nouvelle orleans,fort lauderdale,hollywood,tampa,old orchard beach,ogunquit,lake placid,mexico,playa del carmen," +
    "cayo coco,holguin,puerto plata,port au prince,casablanca,marrakech,alger,tunis,dakar,beyrouth,pekin,hong kong,dubai," +
    "new york city,delhi,new delhi,bombay,canton,lima,moscou,odessa,milan,turin,naples,palerme,verone,zurich,berne,copenhague,stockholm," +
    "oslo,dresde,manchester,glasgow,edimbourg,cardiff,belfast,melbourne,cleveland,detroit,atlanta,denver,phoenix,baltimore,le caire"
  ).split(","),
);

interface Point {
  lat: number;
  lon: number;
}

/** Kilometres between two points of the globe. */
function distance(one: Point, other: Point): number {
  const radians = Math.PI / 180;
  const [south, north] = [one.lat * radians, other.lat * radians];
  const rise = Math.sin((north - south) / 2) ** 2;
  const run = Math.cos(south) * Math.cos(north) * Math.sin(((other.lon - one.lon) * radians) / 2) ** 2;
  return 12_742 * Math.asin(Math.min(1, Math.sqrt(rise + run)));
}

let sites: Site[] | null = null;

function allSites(): Site[] {
  sites ??= siteRows().map(siteIn);
  return sites;
}

/** The official page nearest to a point: of its province, unless another's is 30 km closer. */
function nearestSite(lat: number, lon: number, province: string | null): { site: Site; km: number } {
  let [any, own]: ({ site: Site; km: number } | null)[] = [null, null];
  for (const site of allSites()) {
    if (site.region) continue;
    const km = distance(site, { lat, lon });
    if (any === null || km < any.km) any = { site, km };
    if (site.province === province && (own === null || km < own.km)) own = { site, km };
  }
  const nearest = any as { site: Site; km: number };
  const { site, km } = own !== null && own.km - nearest.km < 30 ? own : nearest;
  return { site, km: Math.round(km) };
}

function placeOfSpot(spot: Spot): Place {
  const { name, lat, lon, province, site, km } = spot;
  const key = keyOf(name);
  const namesake = rowsNamed(key)
    .map(spotOf)
    .some((one) => one.province !== province && keyOf(one.name) === key);
  const at = namesake || KNOWN_ELSEWHERE.has(key) ? `${sayAt(name)} ${PROVINCES[province][0]}` : sayAt(name);
  return { name, at, lat, lon, zone: zoneOf(province, lat, lon), province, site, km };
}

/** Towns with a namesake that people know as well, in Québec or anywhere else: the province is said. */
const KNOWN_ELSEWHERE = new Set(
  (
    "burlington,sydney,cambridge,perth,hope,mayo,stratford,nelson,london,liverpool,kingston,norfolk,alexandria,trenton,princeton,amherst," +
    "scott,dorion,grand etang,waterloo,saint quentin,melville,cornwall,bathurst,bristol,dundee,montpellier,namur,inverness,oxford"
  ).split(","),
);

/** A point that has no name of its own is told by the town nearby. `province`: null when only the point is known. */
function placeOfPoint({ lat, lon }: Point, province: string | null): Place {
  const { site, km } = nearestSite(lat, lon, province);
  const name = km > SECTOR_KM ? "l'endroit demandé" : `le secteur ${de(site.name)}`;
  const at = km > SECTOR_KM ? "à l'endroit demandé" : `dans ${name}`;
  if (province !== null || isCanadian({ lat, lon })) {
    const [where, zone] = [province ?? site.province, zoneOf(province ?? site.province, lat, lon)];
    return { name, at, lat, lon, zone, province: where, site, km };
  }
  const abroad = { name: "l'endroit demandé", at: "à l'endroit demandé" };
  return { ...abroad, lat, lon, zone: zoneAbroad(lat, lon), province: null, site: null, km: 0 };
}

/** Further, « le secteur de » would be untrue, in km. */
const SECTOR_KM = 60;

/** The southern edge of Canada, « longitude latitude » from west to east, within some ten kilometres. */
const SOUTH_EDGE = (
  "-141 60.3,-137.5 59,-135.5 59.8,-133.5 58.4,-131.8 56.6,-130 55.9,-130 54.7,-134 54.7,-134 48.2,-123.6 48.25,-123.1 48.4,-123 49,-95.2 49," +
  "-94.6 48.7,-92 48.3,-89.5 48,-88.4 48.3,-84.9 46.9,-84.3 46.5,-83.5 45.9,-82.5 45.3,-82.5 42.6,-83.15 42.2,-82.5 41.7,-81.2 42.2," +
  "-79 42.8,-79.05 43.3,-78.7 43.6,-76.8 43.6,-76.3 44.2,-75.3 44.85,-74.7 45,-71.5 45,-70.8 45.4,-70.3 45.9,-70 46.7,-69.2 47.45," +
  "-68.3 47.36,-67.8 47.07,-67.8 45.7,-67.4 45.2,-67 44.8,-66.9 44,-59 43,-52 46,-52 54,-61 61,-61 67,-73 76,-73 78.5,-60 82.5,-60 84,-141 84"
)
  .split(",")
  .map((pair) => pair.split(" ").map(Number));

/** Inside the outline: as many edges to the east as an odd number. */
function isCanadian({ lat, lon }: Point): boolean {
  let inside = false;
  SOUTH_EDGE.forEach(([x, y], index) => {
    const [px, py] = SOUTH_EDGE.at(index - 1) as number[];
    if (y > lat !== py > lat && lon < ((px - x) * (lat - y)) / (py - y) + x) inside = !inside;
  });
  return inside;
}

/** « 45.5, -73.6 », « 45,5 -73,6 », « 45.5N 73.6O »; `null` when it isn't a point of the globe. */
function parsePoint(said: string): Point | null {
  const plain = fold(said)
    .replaceAll("−", "-")
    .replace(/\bmoins /g, "-")
    .replace(/\b(?:latitude|longitude|lat|lon|long)\b/g, " ")
    .replace(/[°():=]/g, " ")
    .trim();
  const found = /^([-+]?\d{1,3}(?:[.,]\d{1,9})?) ?([ns]?)(?: ?[,;] ?| +)([-+]?\d{1,3}(?:[.,]\d{1,9})?) ?([eow]?)$/.exec(
    plain.replace(/ +/g, " "),
  );
  if (found === null) return null;
  const [, north, south, east, west] = found;
  const lat = Number(north.replace(",", ".")) * (south === "s" ? -1 : 1);
  const size = Number(east.replace(",", "."));
  const lon = west === "o" || west === "w" ? -Math.abs(size) : size;
  return isPoint({ lat, lon }) ? { lat, lon } : null;
}

function isPoint({ lat, lon }: Point): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
}

/** The first three characters of a postal code: all that ever leaves. */
function parsePostalArea(said: string): string | null {
  const { forms } = formsOf(keyOf(said).replace(/^(?:le |mon |notre )?code postal /, ""));
  const found = forms
    .map((form) => /^([abceghj-nprstvxy]\d[a-z]) ?(?:\d[a-z]\d)?$/.exec(form))
    .find((one) => one !== null);
  return found?.[1].toUpperCase() ?? null;
}

/** The province of a postal code, by its first letter; X is two territories. */
const POSTAL_PROVINCES: Record<string, string> = {
  ...{ A: "NL", B: "NS", C: "PE", E: "NB", G: "QC", H: "QC", J: "QC", K: "ON", L: "ON", M: "ON", N: "ON", P: "ON" },
  ...{ R: "MB", S: "SK", T: "AB", V: "BC", Y: "YT" },
};

/** What a geocoder found. `name` as it wrote it: compared, and cleaned before it is said. `zone`: null when unknown. */
interface Hit extends Point {
  name: string;
  country: string;
  province: string | null;
  areas: string[];
  people: number;
  zone: string | null;
  /** The country abroad, or the state, as people would add it. */
  land?: string;
}

/** What a geocoder knows of an address of it, or `null` when it is down. A town does not move: 30 days. */
async function fetchHits(
  path: string,
  origin: "GEO_API" | "GEO_WORLD_API",
  deps: Deps,
  parse: (body: Json) => Hit[],
): Promise<Hit[] | null> {
  const ttl = (hits: Hit[]) => (hits.length > 0 ? MONTH_HOURS * HOUR : 5 * MINUTE);
  const reading = await attempt(
    read(addressOf(path, origin, deps), deps, ttl, GEOCODER_TIMEOUT_MS, parse, undefined, MONTH_HOURS * HOUR),
  );
  return reading === null ? null : reading.data;
}

const MONTH_HOURS = 720;
/** Two of them, then the weather: well within the budget of a call. */
const GEOCODER_TIMEOUT_MS = 2000;

async function fetchPostalArea(area: string, said: string, deps: Deps): Promise<Place> {
  const province = POSTAL_PROVINCES[area[0]] ?? null;
  const path = `/services/geolocation/fr/locate?q=${area}`;
  const hits = await fetchHits(path, "GEO_API", deps, ({ items }) => parseAreas(items, area, province));
  if (hits === null) throw new Refusal(sayPlacesDown(said));
  if (hits.length === 0) throw new Refusal(sayUnknownPlace(said));
  return placeOfPoint(hits[0], province ?? nearestSite(hits[0].lat, hits[0].lon, null).site.province);
}

function parseAreas(items: unknown, area: string, province: string | null): Hit[] {
  return list(items).flatMap(({ title, geometry }) => {
    const { coordinates } = object(geometry);
    const [lon, lat] = Array.isArray(coordinates) ? coordinates : [];
    if (typeof title !== "string" || !title.toUpperCase().startsWith(area)) return [];
    return hitOf({ name: area, lat, lon, country: "CA", province, areas: [], people: 0, zone: null });
  });
}

/** Canada's own names first, then the world's; a great city abroad is asked of the world only, in two spellings. */
async function fetchPlace(wanted: Wanted, deps: Deps): Promise<Place> {
  const { country, province, region, forms, said, text } = wanted;
  if (!/[a-z]/.test(keyOf(text))) throw new Refusal(sayUnknownPlace(said));
  const great = country === null && region === null && forms.some((form) => GREAT_CITIES.has(form));
  const abroad = great || region !== null || (country !== null && country !== "CA");
  const spellings = spellingsOf(text);
  let down = false;
  if (!abroad) {
    const where = province ?? "QC";
    const concise = "&concise=CITY,TOWN,VILG,HAM,UNP,MUN1&num=5";
    const query = `q=${encodeURIComponent(spellings[0])}&province=${PROVINCES[where][1]}${concise}`;
    const hits = await fetchHits(`/services/geoname/fr/geonames.json?${query}`, "GEO_API", deps, ({ items }) => {
      return list(items).flatMap(({ name, latitude, longitude }) => {
        return hitOf({
          name,
          lat: latitude,
          lon: longitude,
          country: "CA",
          province: where,
          areas: [],
          people: 0,
          zone: null,
        });
      });
    });
    down = hits === null;
    const hit = findHit(hits ?? [], wanted);
    if (hit !== null) return placeOfHit(hit, text);
  }
  for (const spelling of abroad ? spellings : spellings.slice(0, 1)) {
    const path = `/v1/search?name=${encodeURIComponent(spelling)}&count=10&language=fr&format=json`;
    const hits = await fetchHits(path, "GEO_WORLD_API", deps, ({ results }) => list(results).flatMap(parseWorld));
    const hit = findWorldHit(hits ?? [], wanted, great, down);
    if (hit !== null) return placeOfHit(hit, text);
    if (hits === null) throw new Refusal(sayPlacesDown(said));
  }
  throw new Refusal(down ? sayPlacesDown(said) : sayUnknownPlace(said));
}

/** The world's geocoder is fussy about hyphens: as said, then the other way. Saints of Québec have theirs. */
function spellingsOf(text: string): string[] {
  const saint = /^(?:st|ste|saint|sainte|notre)[-. ]/i.test(text);
  const full = text.replace(/^(?:st|saint)[-. ]+/i, "Saint-").replace(/^(?:ste|sainte)[-. ]+/i, "Sainte-");
  const [spaced, hyphened] = [full.replaceAll("-", " "), full.replace(/ +/g, "-")];
  if (saint) return [hyphened, spaced];
  if (spaced === hyphened) return [full];
  return full.includes("-") ? [full, spaced] : [full, hyphened];
}

function hitOf(hit: { [key in keyof Hit]: unknown }): Hit[] {
  const { name, lat, lon } = hit;
  if (typeof name !== "string" || typeof lat !== "number" || typeof lon !== "number" || !isPoint({ lat, lon }))
    return [];
  return [{ ...(hit as unknown as Hit), name: name.slice(0, 2 * NAME_LIMIT) }];
}

function parseWorld({ name, latitude, longitude, country_code, country, admin1, population, timezone }: Json): Hit[] {
  const areas = [country, admin1].filter((area) => typeof area === "string").map((area) => keyOf(area.slice(0, 80)));
  const province = country_code === "CA" ? (BOUNDS.get(areas.at(-1) ?? "")?.province ?? null) : null;
  const people = typeof population === "number" ? population : 0;
  const zone = typeof timezone === "string" && isZone(timezone) ? timezone : null;
  const land = country_code === "US" ? admin1 : country;
  return hitOf({ name, lat: latitude, lon: longitude, country: country_code, province, areas, people, zone, land });
}

/** The same name, or else the same words and more: « Sainte-Anne » for « Sainte-Anne-du-Lac ». Asks between two far apart. */
function findHit(hits: Hit[], wanted: Wanted): Hit | null {
  const { forms, near } = wanted;
  const same = hits.filter(({ name }) => isNamed(name, forms));
  // With its article: « le Havre » is not the beginning of Havre-Saint-Pierre.
  const longer = hits.filter(({ name }) => {
    return forms.slice(0, -1).some((form) => isWhole(form) && keyOf(name).startsWith(`${form} `));
  });
  const kept = same.length > 0 ? same : longer;
  if (near !== null) return nearestOf(kept, near);
  const choices = distinct(kept);
  if (choices.length > 1) throw new Refusal(sayChoices(wanted, choices));
  return choices[0] ?? null;
}

function isNamed(name: string, forms: string[]): boolean {
  const key = keyOf(name);
  return forms.includes(key) || forms.includes(key.replace(ARTICLE, ""));
}

/** More than the first word of hundreds of names. */
function isWhole(form: string): boolean {
  return (
    form.length >= 5 && !/^(?:saint|sainte|notre|notre dame|riviere|pointe|grand|grande|petit|petite|santa)$/.test(form)
  );
}

/** Within the bounds said; a great city is the most peopled, any other name is Québec's, then Canada's, then that. */
function findWorldHit(hits: Hit[], wanted: Wanted, great: boolean, down: boolean): Hit | null {
  const { forms, province, country, region, near } = wanted;
  const named = hits.filter(({ name, people }, index) => {
    const key = keyOf(name);
    const kin = (one: string, other: string) => isWhole(other) && `${one} `.startsWith(`${other} `);
    const alike = index === 0 && people >= 100_000 && forms.some((form) => kin(key, form) || kin(form, key));
    return isNamed(name, forms) || alike;
  });
  const kept = named.filter((hit) => {
    if (province !== null && hit.province !== province) return false;
    if (country !== null && hit.country !== country) return false;
    if (region !== null && !region.some((one) => hit.areas.includes(one))) return false;
    // A hamlet abroad is nobody's first thought, and less so while Canada's names are out of reach.
    const least = down ? 100_000 : 2000;
    return great || country !== null || region !== null || hit.country === "CA" || hit.people >= least;
  });
  if (near !== null) return nearestOf(kept, near);
  const peopled = kept.toSorted((one, other) => other.people - one.people);
  if (great) return peopled[0] ?? null;
  const canadian = peopled.filter((hit) => hit.country === "CA");
  const local = distinct(canadian.filter((hit) => hit.province === "QC"));
  const choices = local.length > 0 ? local : distinct(canadian);
  if (choices.length > 1 && choices[0].people < 10 * choices[1].people) throw new Refusal(sayChoices(wanted, choices));
  return choices[0] ?? peopled[0] ?? null;
}

function placeOfHit(hit: Hit, said: string): Place {
  const { lat, lon } = hit;
  const name = sayPlaceName(hit.name) ?? sayPlaceName(said) ?? "l'endroit demandé";
  if (hit.country !== "CA") {
    // Anyone knows where Paris is; another Boston is told by its country.
    const isKnown = hit.people >= 100_000 && GREAT_CITIES.has(keyOf(name));
    const added = isKnown || typeof hit.land !== "string" ? null : sayPlaceName(hit.land);
    const land = added === null || keyOf(added) === keyOf(name) ? null : added;
    return {
      name,
      at: joinParts([sayAt(name), land ?? ""], ", "),
      lat,
      lon,
      zone: hit.zone ?? zoneAbroad(lat, lon),
      province: null,
      site: null,
      km: 0,
    };
  }
  const { site, km } = nearestSite(lat, lon, hit.province);
  const province = hit.province ?? site.province;
  const local = province === "QC" && !KNOWN_ELSEWHERE.has(keyOf(name));
  const at = local ? sayAt(name) : `${sayAt(name)} ${PROVINCES[province][0]}`;
  return { name, at, lat, lon, zone: zoneOf(province, lat, lon), province, site, km };
}

/** The longest name that is said, or quoted from a person, in characters. */
const NAME_LIMIT = 60;

/** A name from outside, fit to be heard: letters, spaces, hyphens, apostrophes, nothing shortened; else `null`. */
function sayPlaceName(text: string): string | null {
  const name = cleanText(text)
    .replace(/[’‘ʼ]/g, "'")
    .replace(/[‐‑–—]/g, "-")
    .replace(/(?<!\p{L})St(e?)(?:\. ?|(?=[- ]))/giu, "Saint$1")
    .replace(/(?<!\p{L})(Sainte?)(?=\p{Lu})/gu, "$1 ")
    .replace(/'s(?!\p{L})/gu, "s")
    .replace(/\p{Lu}{2,}/gu, (capitals) => `${capitals[0]}${capitals.slice(1).toLowerCase()}`)
    .replace(/^Les? (?=\p{L})/u, (article) => article.toLowerCase())
    .replace(/^(?!les? )\p{Ll}/u, (letter) => letter.toUpperCase());
  const plain = /^\p{L}[\p{L}\p{M}]*(?:[ '-]\p{L}[\p{L}\p{M}]*)*$/u.test(name);
  return name.length <= NAME_LIMIT && plain && !SHORTENED.test(name) ? name : null;
}

/** A letter alone, or letters that a voice reads as a unit or spells. */
const SHORTENED = /(?<!\p{L})(?!à|y)(?:\p{L}|ste?|[ckm]m|kg|min|vs|etc|cf|pp|no|so|ot|ott|tor|mtl|mme)(?![\p{L}'])/iu;

/** Regions and quarters that « à » doesn't suit. */
const PREPOSITIONS: Record<string, string[]> = {
  en: "la Gaspésie,l'Estrie,l'Outaouais,la Beauce,l'Abitibi,l'Abitibi-Témiscamingue,la Montérégie,la Mauricie".split(
    ",",
  ),
  dans: (
    "les Laurentides,Lanaudière,Charlevoix,le Bas-Saint-Laurent,le Centre-du-Québec,Chaudière-Appalaches,le Nord-du-Québec," +
    "le Vieux-Québec,le Vieux-Montréal,le Vieux-Longueuil,la Capitale-Nationale,le Pontiac,Papineau,les Cantons-de-l'Est,la Vallée-de-la-Matapédia"
  ).split(","),
  sur: "la Côte-Nord,la Rive-Sud,le Plateau-Mont-Royal,l'île de Montréal,la route Dempster".split(","),
};

/** « à Montréal », « aux Escoumins », « au Bic », « en Gaspésie », « dans Lanaudière », « sur la Côte-Nord ». */
function sayAt(name: string): string {
  const preposition = Object.keys(PREPOSITIONS).find((one) => PREPOSITIONS[one].includes(name)) ?? "à";
  if (preposition === "en") return `en ${name.replace(/^(?:la |l')/, "")}`;
  if (preposition !== "à") return `${preposition} ${name}`;
  if (name.startsWith("les ")) return `aux ${name.slice(4)}`;
  return name.startsWith("le ") ? `au ${name.slice(3)}` : `à ${name}`;
}

/** The IANA zone of a point of Canada: by province, but where a province has more than one. */
function zoneOf(province: string, lat: number, lon: number): string {
  if (province === "QC" && lat < 48.1 && lon > -62.5) return "America/Halifax";
  if (province === "QC" && lat > 49.8 && lon > -61.7) return "America/Blanc-Sablon";
  // Labrador, but its south-eastern coast lives at Newfoundland's hour.
  if (province === "NL" && lat > 51.8 && (lat > 52.9 || lon < -57.2)) return "America/Goose_Bay";
  if (province === "ON" && Math.abs(lat - 48.76) < 0.5 && Math.abs(lon + 91.62) < 0.5) return "America/Atikokan";
  if (province === "ON" && (lon < -90.55 || (lat > 52.5 && lon < -89))) return "America/Winnipeg";
  if (province === "SK" && lon < -109.85 && Math.abs(lat - 53.28) < 0.2) return "America/Edmonton";
  if (province === "BC" && lat > 55 && lon > -125.5) return "America/Dawson_Creek";
  if (province === "BC" && lat < 52.5 && (lon > -116.3 || (lat > 50.5 && lon > -117.1))) return "America/Edmonton";
  // The nearest page of the Yukon's Arctic coast is of the Northwest Territories.
  if (province === "NT" && lon < -136.45) return "America/Whitehorse";
  if (province === "NU" && (lon < -102 || (lat > 67 && lat < 72 && lon < -88))) return "America/Cambridge_Bay";
  if (province === "NU" && lon < -86) return "America/Rankin_Inlet";
  return ZONES[province];
}

const ZONES: Record<string, string> = {
  ...{
    QC: "America/Toronto",
    ON: "America/Toronto",
    NB: "America/Halifax",
    NS: "America/Halifax",
    PE: "America/Halifax",
  },
  ...{ NL: "America/St_Johns", MB: "America/Winnipeg", SK: "America/Regina", AB: "America/Edmonton" },
  ...{ BC: "America/Vancouver", YT: "America/Whitehorse", NT: "America/Yellowknife", NU: "America/Iqaluit" },
};

/** A point abroad that no one gave a zone: the neighbour's by meridian, else the hour of its longitude. */
function zoneAbroad(lat: number, lon: number): string {
  if (lat > 24 && lat < 49.5 && lon > -125 && lon < -66.5) {
    const zones = ["America/Los_Angeles", "America/Denver", "America/Chicago", "America/New_York"];
    return zones[[-114.5, -101.5, -86].filter((edge) => lon > edge).length];
  }
  const hours = Math.round(lon / 15);
  // The sign of these names is the other way round.
  return hours === 0 ? "Etc/GMT" : `Etc/GMT${hours > 0 ? "-" : "+"}${Math.abs(hours)}`;
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

const NO_PLACE =
  "Aucun endroit n'a été nommé, et je n'en ai pas par défaut. Ça ne veut pas dire que la météo n'est pas disponible. " +
  "Demande à la personne dans quelle ville elle veut la météo, et rappelle avec cette ville.";

/** « Xyzville » between its marks, cut short, without a mark of its own. */
function sayQuoted(said: string): string {
  const bare = cleanText(said.replace(/[«»"“”„‹›<>`*_#|[\]{}\\]/g, " "));
  const short = [...bare].slice(0, NAME_LIMIT).join("").trim();
  return short === "" ? "cet endroit" : `« ${short} »`;
}

function sayUnknownPlace(said: string): string {
  return (
    `Je n'ai pas trouvé ${sayQuoted(said)}. De quelle ville près de toi s'agit-il ? ` +
    "Ça ne veut pas dire que l'endroit n'existe pas : demande à la personne une ville plus grande à côté, et rappelle avec elle."
  );
}

function sayTooWide(said: string): string {
  return (
    `${sayQuoted(said)}, c'est trop grand pour une seule météo. De quelle ville s'agit-il ? ` +
    "Ça ne veut pas dire que la météo n'est pas disponible : demande une ville à la personne, et rappelle avec elle."
  );
}

function sayPlacesDown(said: string): string {
  return (
    `La recherche d'endroits ne répond pas en ce moment, et ${sayQuoted(said)} n'est pas dans ma liste. ` +
    "Ça dure d'habitude quelques minutes, et ça ne veut pas dire que l'endroit n'existe pas. " +
    "Demande à la personne une ville plus grande à côté, et rappelle avec elle."
  );
}

/** Each choice can be said back as it is: « Cochrane en Alberta », « Saint-Ambroise près de Joliette ». */
function sayChoices(
  wanted: Wanted,
  choices: (Point & { name: string; province: string | null; site?: Site })[],
): string {
  const provinces = new Set(choices.map(({ province }) => province));
  const labels = choices.slice(0, 4).map((choice) => {
    const name = sayPlaceName(choice.name) ?? sayPlaceName(wanted.text) ?? "cet endroit";
    if (provinces.size > 1 && choice.province !== null) return `${name} ${PROVINCES[choice.province][0]}`;
    const { site } =
      choice.site === undefined ? nearestSite(choice.lat, choice.lon, choice.province) : { site: choice.site };
    return isNamed(name, wanted.forms) ? `${name} près ${de(site.name)}` : name;
  });
  return (
    `Il y a plus d'un endroit de ce nom : ${[...new Set(labels)].join(", ou ")}. De quel endroit s'agit-il ? ` +
    "Ça ne veut pas dire que la météo n'est pas disponible. Demande à la personne de choisir, et rappelle avec son choix."
  );
}

// What the sources send: every field optional, numbers at times as text, « calme » for a speed.

/** Scalars come as `{ en, fr }`; in a page that was merged badly `fr` is missing. */
function local(value: unknown): unknown {
  return isObject(value) ? (value.fr ?? value.en) : value;
}

const PLAIN_FRENCH = /^[!-~À-ÿ]+(?: [!-~À-ÿ]+)*$/;

/** French or nothing: English is not spoken here. `limit` in characters: past it, the source is mistaken. */
function frenchOf(value: unknown, limit = 2_000): string | null {
  const text = isObject(value) ? value.fr : value;
  if (typeof text !== "string" || text.length > limit) return null;
  // Nearly all of a page needs no cleaning, and cleaning it all would cost a millisecond.
  const clean = PLAIN_FRENCH.test(text) ? text : cleanText(text);
  return clean === "" || /^(?:nan|null|undefined|none)$/i.test(clean) ? null : clean;
}

/** A name or a short condition, spoken unquoted: one phrase, whatever follows its full stop. */
function phraseOf(value: unknown): string | null {
  const text = frenchOf(value, 200);
  if (text === null || !/[.!?;]/.test(text)) return text;
  const [phrase = ""] = text.split(/(?<!\b(?:Ste?|incl|Mt|[A-Z]))[.!?;](?= |$)/);
  return phrase === "" ? null : phrase;
}

function englishOf(value: unknown): string {
  const { en } = object(value);
  return typeof en === "string" ? en : "";
}

/** A number, or `null`: an empty text is not zero. */
function number(value: unknown): number | null {
  const figure =
    typeof value === "string" && /^\s*-?\d+([.,]\d+)?\s*$/.test(value) ? Number(value.replace(",", ".")) : value;
  return typeof figure === "number" && Number.isFinite(figure) ? figure : null;
}

/** A number within reason; beyond, it is a mistake of the source. */
function between(value: unknown, low: number, high: number): number | null {
  const figure = number(value);
  return figure !== null && figure >= low && figure <= high ? figure : null;
}

/** The number of a quantity, `{ units, value: { en, fr } }`. */
function quantity(value: unknown, low: number, high: number): number | null {
  return between(local(object(value).value), low, high);
}

function celsius(value: unknown): number | null {
  return quantity(value, -80, 60);
}

function instant(value: unknown): number | null {
  const text = local(value);
  const at = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

const DIRECTIONS = "N NNE NE ENE E ESE SE SSE S SSO SO OSO O ONO NO NNO".split(" ");

/** « NNO », also from the English « NNW »; `null` for anything else. */
function direction(value: unknown): string | null {
  const code = typeof value === "string" ? value.trim().toUpperCase().replaceAll("W", "O") : "";
  return code === "VR" || code === "VAR" || code === "VRB" ? "VR" : DIRECTIONS.includes(code) ? code : null;
}

function parsePage(body: Json, zone: string, now: number): Page {
  const page = object(body.properties);
  if (Object.keys(page).length === 0) throw new Refusal(SOURCE_DOWN);
  const group = object(page.forecastGroup);
  const updated = instant(page.lastUpdated);
  const hours = list(object(page.hourlyForecastGroup).hourlyForecasts).flatMap(parseHour);
  return {
    updated,
    current: parseCurrent(page.currentConditions),
    periods: parsePeriods(list(group.forecasts), localTime(instant(group.timestamp) ?? updated ?? now, zone).day),
    hours: hours.toSorted((one, other) => one.at - other.at),
    normals: parseNormals(object(group.regionalNormals)),
  };
}

function parseCurrent(value: unknown): Current | null {
  const { timestamp, condition, temperature, dewpoint, wind } = object(value);
  const current = {
    at: instant(timestamp),
    sky: phraseOf(condition),
    temperature: celsius(temperature),
    dewpoint: celsius(dewpoint),
    wind: parseWind(wind),
  };
  const { temperature: degrees, sky, wind: blowing } = current;
  return degrees === null && sky === null && blowing === null ? null : current;
}

function parseWind(value: unknown): Wind | null {
  const { speed: rawSpeed, gust, direction: rawDirection } = object(value);
  const said = local(object(rawSpeed).value);
  const isCalm = typeof said === "string" && /^cal(?:me?)?$/i.test(said.trim());
  const speed = isCalm ? 0 : between(said, 0, 400);
  if (speed === null) return null;
  const from = object(rawDirection);
  // An object of its own in the conditions, a plain `{ en, fr }` in the forecasts.
  return { speed, gust: quantity(gust, 0, 500), direction: speed === 0 ? null : direction(local(from.value ?? from)) };
}

const WEEKDAYS_EN = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/**
 * Periods carry no date: the English name of the weekday is their only key, today's and tonight's included. The first one
 * is the nearest such day to that of the issue, the others follow it.
 */
function parsePeriods(forecasts: Json[], issued: string): Period[] {
  const periods: Period[] = [];
  let day = "";
  for (const forecast of forecasts) {
    const { value, textForecastName } = object(forecast.period);
    const name = `${englishOf(value)} ${englishOf(textForecastName)}`.toLowerCase();
    const french = fold(`${frenchOf(value) ?? ""} ${frenchOf(textForecastName) ?? ""}`);
    const text = frenchOf(forecast.textSummary) ?? frenchOf(forecast.cloudPrecip);
    const weekday = weekdayIn(name, WEEKDAYS_EN) ?? weekdayIn(french, WEEKDAYS);
    const night = /night/.test(name) || /\bnuit\b/.test(french);
    const today = /\btoday\b|\btonight\b/.test(name) || /aujourd'hui|ce soir|cette nuit/.test(french);
    if (text === null || !/[A-Za-zÀ-ÿ]/.test(text) || (weekday === null && !today)) continue;
    if (weekday === null) day ||= issued;
    else if (day === "") day = nearestWeekday(issued, weekday);
    else day = addDays(day, (weekday - weekdayOf(day) + 7) % 7);
    // The page once gave each of them twice.
    if (periods.some((one) => one.day === day && one.night === night)) continue;
    periods.push({ ...parsePeriod(forecast), day, night, text });
  }
  return periods;
}

function weekdayIn(text: string, names: string[]): number | null {
  const found = names.findIndex((name) => text.includes(name));
  return found === -1 ? null : found;
}

/** The page is amended at any time, and its issue may be dated of the evening before. */
function nearestWeekday(day: string, weekday: number): string {
  const ahead = (weekday - weekdayOf(day) + 7) % 7;
  return addDays(day, ahead > 3 ? ahead - 7 : ahead);
}

function parsePeriod(forecast: Json): Pick<Period, "high" | "low" | "wind" | "uv"> {
  const degrees = (kind: string) => {
    const found = list(object(forecast.temperatures).temperature).find(
      (one) => local(one.class) === kind || englishOf(one.class) === kind,
    );
    return celsius(found);
  };
  const [wind = null] = list(object(forecast.winds).periods).map(parseWind);
  const uv = between(local(object(forecast.uv).index), 0, 20);
  return {
    high: degrees("high"),
    low: degrees("low"),
    wind,
    uv: uv === null ? null : Math.round(uv),
  };
}

function parseHour(hour: Json): Hour | [] {
  const at = instant(hour.timestamp);
  if (at === null) return [];
  const { index } = object(hour.uv);
  return {
    at,
    sky: phraseOf(hour.condition),
    temperature: celsius(hour.temperature),
    chance: roundTen(quantity(hour.lop, 0, 100)),
    feels: celsius(hour.windChill) ?? celsius(hour.humidex),
    wind: parseWind(hour.wind),
    uv: quantity(index, 0, 20) ?? between(local(index), 0, 20),
    water: null,
    snow: null,
  };
}

function parseNormals({ temperature }: Json): Page["normals"] {
  const degrees = (kind: string) => {
    return celsius(list(temperature).find((one) => local(one.class) === kind || englishOf(one.class) === kind));
  };
  return { high: degrees("high"), low: degrees("low") };
}

const ALERT_TYPES: Record<string, string> = {
  warning: "avertissement",
  watch: "veille",
  advisory: "avis",
  statement: "bulletin météorologique spécial",
};
const COLOURS = ["rouge", "orange", "jaune"];

/** Every alert at the point, ended ones aside; a list that can't be read in full is a failure, never « none ». */
function parseAlerts({ features, numberMatched }: Json, lat: number, lon: number): Alert[] {
  if (!Array.isArray(features)) throw new Refusal(ALERTS_DOWN);
  let unread = 0;
  const here = features.filter((feature) => {
    const { geometry, properties } = object(feature);
    const holds = isObject(properties) ? holdsPoint(object(geometry), lon, lat) : null;
    if (holds === null) unread++;
    return holds === true;
  });
  const alerts = here.flatMap((feature) => parseAlert(object(object(feature).properties)));
  // What was read is said; nothing read is not « none ».
  const isWhole = unread === 0 && (number(numberMatched) ?? 0) <= features.length;
  if (alerts.length === 0 && !isWhole) throw new Refusal(ALERTS_DOWN);
  for (const alert of alerts) alert.partial = !isWhole;
  return alerts.toSorted((one, other) => one.rank - other.rank || (other.published ?? 0) - (one.published ?? 0));
}

/** An alert comes once for each zone, and again with each of its bulletins: the first one, which is the newest. */
function onePerName(alerts: Alert[]): Alert[] {
  const seen = new Set<string>();
  return alerts.filter(({ name, colour }) => {
    const key = `${name} ${colour}`;
    return !seen.has(key) && seen.add(key);
  });
}

function parseAlert(alert: Json): Alert | [] {
  const status = `${alert.status_en} ${alert.status_fr}`.toLowerCase();
  const title = (phraseOf(alert.alert_name_fr) ?? "").replace(/ en vigueur$/i, "");
  if (/\b(ended|cancell?ed|expired)\b|termin|annul|expir/.test(status) || /\b(?:termin|annul)[ée]+/i.test(title))
    return [];
  const type = ALERT_TYPES[String(alert.alert_type)] ?? null;
  const text = typeof alert.alert_text_fr === "string" ? alert.alert_text_fr : "";
  const found = COLOURS.find((one) => fold(`${alert.risk_colour_fr}`) === one);
  // « AVERTISSEMENT JAUNE - FROID » as well as « avertissement de froid ».
  const heading = /^([A-Za-zÀ-ÿ][A-Za-zÀ-ÿ ]*?)(?: (jaune|orange|rouge))? [-–—:] (.+)$/i.exec(title);
  const colour = found ?? heading?.[2]?.toLowerCase() ?? null;
  const plain = heading === null ? title : `${heading[1]} ${de(heading[3].toLowerCase())}`;
  const name = sayOfficialName(plain.replace(/ (?:jaune|orange|rouge)\b/i, ""), type);
  const kind = Object.values(ALERT_TYPES).findIndex((one) => fold(name).startsWith(fold(one).split(" ")[0]));
  return {
    name,
    colour,
    zone: phraseOf(alert.feature_name_fr),
    published: instant(alert.publication_datetime),
    expires: instant(alert.expiration_datetime),
    starts: instant(alert.validity_datetime),
    ends: instant(alert.event_end_datetime),
    text,
    partial: false,
    rank: (colour === null ? COLOURS.length : COLOURS.indexOf(colour)) * 10 + (kind === -1 ? 9 : kind),
  };
}

/** An alert is over once its bulletin has expired and its event has ended, whichever comes last. */
function isInForce({ expires, ends }: Alert, now: number): boolean {
  return (expires === null && ends === null) || Math.max(expires ?? 0, ends ?? 0) > now;
}

/** Whether a polygon, or one of several, holds a point; `null` when it can't be told. */
function holdsPoint({ type, coordinates }: Json, x: number, y: number): boolean | null {
  if (!Array.isArray(coordinates) || coordinates.length === 0) return null;
  if (type === "MultiPolygon") {
    const held = coordinates.map((one) => holdsPoint({ type: "Polygon", coordinates: one }, x, y));
    return held.includes(true) || (held.includes(null) ? null : false);
  }
  if (type !== "Polygon") return null;
  const [outer, ...holes] = coordinates.map((ring) => isInRing(ring, x, y));
  return outer === null ? null : outer && !holes.includes(true);
}

function isInRing(ring: unknown, x: number, y: number): boolean | null {
  if (!Array.isArray(ring) || ring.length < 3) return null;
  let inside = false;
  let [before] = ring.slice(-1);
  for (const point of ring) {
    const [[x1, y1], [x2, y2]] = [before, point].map((one) => (Array.isArray(one) ? one.map(number) : []));
    if (x1 == null || y1 == null || x2 == null || y2 == null) return null;
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
    before = point;
  }
  return inside;
}

/** Observations and forecasts of the air; the bulletins by period, which name no hour, are left aside. */
function parseAirReadings({ features }: Json): AirReading[] {
  if (!Array.isArray(features)) throw new Refusal(AIR_DOWN);
  return list(features).flatMap(({ geometry, properties }) => {
    const reading = object(properties);
    const { coordinates } = object(geometry);
    const [lon = null, lat = null] = Array.isArray(coordinates) ? coordinates.map(number) : [];
    const at = instant(reading.forecast_datetime ?? reading.observation_datetime);
    const value = between(reading.aqhi, 0.01, 500);
    if (at === null || value === null) return [];
    const published = instant(reading.publication_datetime) ?? at;
    const location = String(reading.location_id ?? "");
    return {
      location,
      where: /^[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ' -]{1,60}$/.exec(frenchOf(reading.location_name_fr) ?? "")?.[0] ?? null,
      point: lat === null || lon === null ? null : { lat, lon },
      at,
      published,
      value: Math.max(1, Math.round(value)),
    };
  });
}

/** What the model's codes (WMO 4677, the few that it uses) are called, by day and by night. */
const WMO: Record<number, [day: string, night?: string]> = {
  0: ["Ensoleillé", "Dégagé"],
  1: ["Généralement ensoleillé", "Généralement dégagé"],
  2: ["Alternance de soleil et de nuages", "Passages nuageux"],
  3: ["Nuageux"],
  45: ["Brouillard"],
  48: ["Brouillard givrant"],
  51: ["Bruine faible"],
  53: ["Bruine"],
  55: ["Bruine forte"],
  56: ["Bruine verglaçante"],
  57: ["Bruine verglaçante"],
  61: ["Pluie faible"],
  63: ["Pluie"],
  65: ["Pluie forte"],
  66: ["Pluie verglaçante"],
  67: ["Pluie verglaçante"],
  71: ["Neige faible"],
  73: ["Neige"],
  75: ["Neige forte"],
  77: ["Neige en grains"],
  80: ["Averses"],
  81: ["Averses"],
  82: ["Averses fortes"],
  85: ["Averses de neige"],
  86: ["Averses de neige"],
  95: ["Orages"],
  96: ["Orages avec grêle"],
  99: ["Orages avec grêle"],
};

/** From this code on, something falls. */
const FALLING_CODE = 51;
const CLOUDY_CODE = 3;

interface ModelHour extends Hour {
  day: string;
  hour: number;
  code: number | null;
}

/** The provider once changed the units of all its answers. */
const MODEL_UNITS: Record<string, string> = {
  temperature_2m: "°C",
  wind_speed_10m: "km/h",
  wind_gusts_10m: "km/h",
  precipitation: "mm",
  snowfall: "cm",
};

function parseModel(
  body: Json,
  { lat, lon, zone }: Point & { zone: string },
  now: number,
): { page: Page; zone: string } {
  const { current, current_units, hourly, hourly_units, daily, timezone } = body;
  for (const units of [object(current_units), object(hourly_units)]) {
    const isOther = ([name, unit]: [string, string]) => units[name] !== undefined && units[name] !== unit;
    if (Object.entries(MODEL_UNITS).some(isOther)) throw new Refusal(MODEL_DOWN);
  }
  const there = typeof timezone === "string" && isZone(timezone) ? timezone : zone;
  // « Ensoleillé » is said of the hours that have a sun.
  const isDay = (at: number) => isSunUp(at, { lat, lon });
  const hours = parseModelHours(object(hourly), there, isDay);
  const page = {
    updated: null,
    current: parseModelCurrent(object(current), there, isDay),
    periods: modelPeriods(hours, object(daily), now),
    hours,
    normals: { high: null, low: null },
  };
  if (page.current === null && page.periods.length === 0) throw new Refusal(MODEL_DOWN);
  return { page, zone: there };
}

function skyOf(code: number | null, isDay: boolean): string | null {
  const [day = null, night = day] = WMO[code ?? -1] ?? [];
  return isDay ? day : night;
}

function modelWind(speed: unknown, degrees: unknown, gust: unknown): Wind | null {
  const [blowing, from] = [between(speed, 0, 400), between(degrees, 0, 360)];
  if (blowing === null) return null;
  const rounded = Math.round(blowing);
  const code = from === null ? null : DIRECTIONS[Math.round(from / 22.5) % 16];
  return { speed: rounded, gust: between(gust, 0, 500), direction: rounded === 0 ? null : code };
}

function parseModelCurrent(now: Json, zone: string, isDay: (at: number) => boolean): Current | null {
  const temperature = between(now.temperature_2m, -80, 60);
  if (temperature === null) return null;
  const [day, hour] = localHour(now.time);
  const humidity = between(now.relative_humidity_2m, 1, 100);
  const at = day === null ? null : instantAt(day, hour, zone);
  return {
    at,
    sky: skyOf(number(now.weather_code), at === null || isDay(at)),
    temperature,
    dewpoint: humidity === null ? null : dewpointOf(temperature, humidity),
    wind: modelWind(now.wind_speed_10m, now.wind_direction_10m, now.wind_gusts_10m),
  };
}

/** Magnus: °C from °C and percent. */
function dewpointOf(temperature: number, humidity: number): number {
  const gamma = Math.log(humidity / 100) + (17.625 * temperature) / (243.04 + temperature);
  return (243.04 * gamma) / (17.625 - gamma);
}

/** The model's times are local and say no zone: they are read as written. */
function localHour(value: unknown): [day: string | null, hour: number] {
  const [, day = "", hour, minute] = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d)/.exec(String(value)) ?? [];
  return Number.isNaN(Date.parse(day)) ? [null, 0] : [day, Number(hour) + Number(minute) / 60];
}

function parseModelHours(hourly: Json, zone: string, isDay: (at: number) => boolean): ModelHour[] {
  const column = (name: string) => (Array.isArray(hourly[name]) ? (hourly[name] as unknown[]) : []);
  const columns = Object.fromEntries(
    "temperature_2m precipitation_probability precipitation snowfall weather_code wind_speed_10m wind_direction_10m wind_gusts_10m"
      .split(" ")
      .map((name) => [name, column(name)]),
  );
  const hours: ModelHour[] = [];
  for (const [index, time] of column("time").entries()) {
    const [day, hour] = localHour(time);
    if (day === null) continue;
    const first = instantAt(day, hour, zone);
    const last = hours.at(-1);
    // The hour that an autumn night has twice comes twice; the one that a spring night hasn't is the next one.
    const isSecond = last !== undefined && last.day === day && last.hour === hour;
    const at = isSecond ? last.at + HOUR : first;
    if (last !== undefined && at === last.at) hours.pop();
    const code = number(columns.weather_code[index]);
    const said = roundTen(between(columns.precipitation_probability[index], 0, 100));
    // The model's rain beside a small probability is not the likely thing.
    const isDoubtful = code !== null && code >= FALLING_CODE && said !== null && said < LIKELY;
    hours.push({
      at,
      day,
      hour,
      code,
      sky: skyOf(isDoubtful ? CLOUDY_CODE : code, isDay(at)),
      temperature: between(columns.temperature_2m[index], -80, 60),
      chance: isDoubtful ? Math.max(10, said) : said,
      feels: null,
      wind: modelWind(columns.wind_speed_10m[index], columns.wind_direction_10m[index], columns.wind_gusts_10m[index]),
      uv: null,
      water: between(columns.precipitation[index], 0, 500),
      snow: between(columns.snowfall[index], 0, 500),
    });
  }
  return hours;
}

/** To the nearest ten, as Environment Canada says its chances. */
function roundTen(chance: number | null): number | null {
  return chance === null ? null : Math.round(chance / 10) * 10;
}

/** Half-days made of the model's hours, told in the official manner so that one set of sentences reads both. */
function modelPeriods(hours: ModelHour[], daily: Json, now: number): Period[] {
  const halves = new Map<string, ModelHour[]>();
  for (const hour of hours) {
    const night = hour.hour < MORNING || hour.hour >= EVENING;
    const key = `${hour.hour < MORNING ? addDays(hour.day, -1) : hour.day} ${night ? "night" : "day"}`;
    halves.set(key, [...(halves.get(key) ?? []), hour]);
  }
  const days = Array.isArray(daily.time) ? daily.time : [];
  const uvs = Array.isArray(daily.uv_index_max) ? daily.uv_index_max : [];
  return [...halves]
    .map(([key, half]) => {
      const [day, part] = key.split(" ");
      const uv = between(uvs[days.indexOf(day)], 0, 20);
      return modelPeriod(half, day, part === "night", uv, now);
    })
    .filter(({ text }) => text !== "");
}

function modelPeriod(hours: ModelHour[], day: string, night: boolean, uv: number | null, now: number): Period {
  const degrees = hours.flatMap(({ temperature }) => temperature ?? []);
  // The extremes are of the whole half-day, the sky of what is left of it.
  const left = hours.filter(({ at }) => at + HOUR > now);
  const chances = left.flatMap(({ chance }) => chance ?? []);
  const codes = left.flatMap(({ code }) => code ?? []);
  // The most frequent sky, unless something falls: that is what one wants to know.
  const falling = codes.filter((code) => code >= FALLING_CODE);
  const skies = falling.length > 0 ? falling : codes;
  const count = (code: number) => skies.filter((one) => one === code).length;
  const [code = null] = skies.toSorted((one, other) => count(other) - count(one) || other - one);
  const sky = skyOf(code, !night);
  const chance = chances.length === 0 ? null : Math.max(...chances);
  const kind = falling.length > 0 && sky !== null ? de(sky.toLowerCase()) : "de précipitations";
  const likely = falling.length > 0 && (chance === null || chance >= 80);
  const dry = skyOf(falling.length > 0 ? CLOUDY_CODE : code, !night);
  const chanced = `${dry ?? "Nuageux"} avec ${chance} pour cent de probabilité ${kind}`;
  const weather = likely || (chance ?? 0) < 30 ? (likely ? sky : dry) : chanced;
  const [high, low] = [
    degrees.length === 0 ? null : Math.max(...degrees),
    degrees.length === 0 ? null : Math.min(...degrees),
  ];
  const extreme = night ? low : high;
  const heat = extreme === null ? "" : `${night ? "Minimum" : "Maximum"} ${sayFigure(extreme)}.`;
  const winds = left.flatMap(({ wind }) => wind ?? []);
  const [wind = null] = winds.toSorted((one, other) => other.speed - one.speed);
  return {
    day,
    night,
    text: joinParts([weather === null ? "" : `${weather}.`, heat], " "),
    high: night ? null : high,
    low: night ? low : null,
    wind,
    uv: uv === null || night ? null : Math.round(uv),
  };
}

/** So many cm of snow melt into a mm of water. */
const SNOW_OF_WATER = 0.7;

/** « environ 4 centimètres de neige et environ 8 millimètres de pluie », of the model; under half of one, a trace. */
function sayModelAmounts(hours: Hour[]): string {
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const snow = sum(hours.map(({ snow }) => snow ?? 0));
  // Snow that wasn't measured as such is not rain.
  const isSnow = ({ sky, snow }: Hour) => snow == null && sky !== null && /neige/.test(kindOf(sky) ?? "");
  const rain = sum(
    hours.map((one) => (isSnow(one) ? 0 : Math.max(0, (one.water ?? 0) - (one.snow ?? 0) / SNOW_OF_WATER))),
  );
  const about = (kind: Amount["kind"], unit: Amount["unit"], size: number) => {
    return `environ ${sayAmount([{ kind, low: Math.round(size), high: Math.round(size), unit, near: "" }])}`;
  };
  const said = [
    snow >= 0.5 ? about("neige", "cm", snow) : snow > 0 ? "une trace de neige" : "",
    rain >= 1 ? about("pluie", "mm", rain) : rain > 0 && snow < 0.5 ? "moins d'un millimètre de pluie" : "",
  ].filter((one) => one !== "");
  return said.length === 0 ? "" : `on annonce ${joinList(said)}`;
}

// <source>
// The reader of a source, polite and patient. Besides the core and MINUTE it reads four things that each door declares:
//   ORIGINS        the origins of its sources, by the name of the variable that replaces each
//   STALE_MS       how old an answer may be, in ms, when its source is down
//   SOURCE_DOWN    the sentence of a source that doesn't answer, or that answers nonsense
//   SOURCE_EMPTY   the sentence of an address that its source doesn't know

/** Bursts of slow answers were reported up to 10 s; two calls of 4 s would already fill the budget. */
const TIMEOUT_MS = 4_000;
/** What only adds to an answer that is already good waits less: it is spoken within a second or two. */
const EXTRA_TIMEOUT_MS = 1_500;
/** An answer this young is still news: it judges the next one, and stands in for it when it is slow. */
const RECENT_MS = 2 * MINUTE;
/** The largest real payload is about a tenth of it. */
const PAYLOAD_LIMIT = 2_000_000;
const REDIRECT_LIMIT = 3;
/** After a failure the address rests: no storm of retries on a source that is down. */
const PAUSE_MS = 5_000;
/** After a 429 the whole source rests: what it asks for, within reason, or this. */
const THROTTLE_MS = 30_000;
const THROTTLE_LIMIT_MS = 5 * MINUTE;
/** Some hundred addresses at most are ever asked for at once; the least recently used goes first. */
const CACHE_LIMIT = 500;

/** The address of a path of a source; `origin` is the name of the variable that replaces its own in development. */
function addressOf(path: string, origin: keyof typeof ORIGINS, { env }: Deps): string {
  const home = parseUrl(typeof env[origin] === "string" ? env[origin] : ORIGINS[origin]) as URL;
  return `${home.origin}${path}`;
}

/** What was read and when (ms since 1970); `stale` when the source could not be reached and an older answer serves. */
interface Reading<T> {
  data: T;
  at: number;
  stale: boolean;
}

interface Kept {
  data: unknown;
  at: number;
}

/** Good answers only, by address: all that was asked is part of it. */
const CACHE = new Map<string, Kept>();
const FLIGHTS = new Map<string, Promise<Kept>>();
/** Address, or origin after a 429, and until when it is left alone. */
const PAUSES = new Map<string, { until: number; why: Refusal }>();

/**
 * Reads one address of the source: from memory while it is fresh, else over the network, one call at a time whoever
 * asks. When the network fails, the last good answer serves for `keep` ms with its age; then a `Refusal`.
 * `refused(data, before)` tells an answer that cannot be true after the one before. `parse` also gets the address that
 * answered: a redirect may say what was found.
 */
async function read<T>(
  url: string,
  deps: Deps,
  ttl: (data: T) => number,
  wait: number,
  parse: (body: Json, address: string) => T,
  refused?: (data: T, before: T) => boolean,
  keep = STALE_MS,
): Promise<Reading<T>> {
  const now = deps.now();
  const kept = CACHE.get(url) as { data: T; at: number } | undefined;
  // An answer may be some moments younger than the question that waited for it; more, and a clock has gone back.
  const age = kept === undefined || kept.at > now + MINUTE ? Infinity : Math.max(0, now - kept.at);
  if (kept !== undefined && age < ttl(kept.data)) {
    CACHE.delete(url);
    CACHE.set(url, kept);
    return { ...kept, stale: false };
  }
  const recent = age <= RECENT_MS ? kept : undefined;
  try {
    const flight =
      FLIGHTS.get(url) ??
      takeOff(url, deps, (body, address) => {
        const data = parse(body, address);
        if (recent !== undefined && refused?.(data, recent.data)) throw new Refusal(SOURCE_DOWN);
        return data;
      });
    // With a good answer of a moment ago in hand, nobody waits long for the next one: it serves the next question.
    const { data, at } = await within(flight, recent === undefined ? wait : EXTRA_TIMEOUT_MS, SOURCE_DOWN);
    return { data: data as T, at, stale: false };
  } catch (error) {
    if (error instanceof Refusal && kept !== undefined && age <= keep) return { ...kept, stale: true };
    throw error;
  }
}

/** The one call that everybody waits for. It ends in plain data, under `waitUntil`: whoever asked first may hang up. */
function takeOff(url: string, deps: Deps, parse: (body: Json, address: string) => unknown): Promise<Kept> {
  const now = deps.now();
  const pause = pauseOf(url, now) ?? pauseOf(new URL(url).origin, now);
  if (pause !== undefined) return Promise.reject(pause);
  const flight = fetchKept(url, deps, parse).finally(() => FLIGHTS.delete(url));
  FLIGHTS.set(url, flight);
  deps.waitUntil(flight.catch(() => {}));
  return flight;
}

/** Why an address or an origin is left alone at that instant; `undefined` when it may be asked. */
function pauseOf(key: string, now: number): Refusal | undefined {
  const pause = PAUSES.get(key);
  // A clock that went back is not a reason to wait longer than the longest pause.
  return pause !== undefined && now < pause.until && now >= pause.until - THROTTLE_LIMIT_MS ? pause.why : undefined;
}

async function fetchKept(url: string, deps: Deps, parse: (body: Json, address: string) => unknown): Promise<Kept> {
  try {
    const { body, address } = await fetchJson(url, deps);
    const kept = { data: parse(body, address), at: deps.now() };
    CACHE.delete(url);
    CACHE.set(url, kept);
    if (CACHE.size > CACHE_LIMIT) CACHE.delete([...CACHE.keys()][0]);
    PAUSES.delete(url);
    return kept;
  } catch (why) {
    if (PAUSES.size > CACHE_LIMIT) PAUSES.clear();
    if (why instanceof Refusal) PAUSES.set(url, { until: deps.now() + PAUSE_MS, why });
    throw why;
  }
}

/**
 * A JSON object from the source, and the address that gave it; or a `Refusal`: its errors are HTML pages, its redirects
 * must stay at home. An array comes as `{ items }`.
 */
async function fetchJson(url: string, deps: Deps): Promise<{ body: Json; address: string }> {
  try {
    const { text, address } = await fetchText(url, deps, AbortSignal.timeout(TIMEOUT_MS));
    const body: unknown = JSON.parse(text);
    if (Array.isArray(body)) return { body: { items: body }, address };
    if (isObject(body)) return { body, address };
  } catch (error) {
    if (error instanceof Refusal) throw error;
  }
  throw new Refusal(SOURCE_DOWN);
}

async function fetchText(url: string, deps: Deps, signal: AbortSignal): Promise<{ text: string; address: string }> {
  const { origin } = new URL(url);
  const agent = `mcp-doors/${SERVER.version} (${deps.env.PUBLIC_URL ?? SERVER.name})`;
  let address = url;
  for (let hops = 0; hops <= REDIRECT_LIMIT; hops++) {
    const headers = { accept: "application/json", "user-agent": agent };
    const response = await deps.fetch(address, { redirect: "manual", signal, headers });
    const { status } = response;
    const location = isRedirect(response) ? response.headers.get("location") : null;
    if (location === null && status === 200 && /\bjson\b/i.test(response.headers.get("content-type") ?? "")) {
      return { text: await readPayload(response), address };
    }
    await response.body?.cancel();
    if (status === 429 || status === 503) rest(origin, response.headers.get("retry-after"), status, deps);
    if (location === null) throw new Refusal(status === 404 ? SOURCE_EMPTY : SOURCE_DOWN);
    address = new URL(location, address).href;
    if (new URL(address).origin !== origin) break;
    // Another call may have been told to leave the source alone since this one began.
    const pause = pauseOf(origin, deps.now());
    if (pause !== undefined) throw pause;
  }
  throw new Refusal(SOURCE_DOWN);
}

function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400;
}

/** The source asked to be left alone, in seconds or until a date; a 503 that asks for nothing is an ordinary failure. */
function rest(origin: string, retryAfter: string | null, status: number, deps: Deps): void {
  const seconds = Number(retryAfter || Number.NaN);
  const asked = Number.isNaN(seconds) ? Date.parse(retryAfter ?? "") - deps.now() : seconds * 1000;
  if (Number.isNaN(asked) && status === 503) return;
  const pause = Number.isNaN(asked) ? THROTTLE_MS : Math.min(Math.max(asked, PAUSE_MS), THROTTLE_LIMIT_MS);
  PAUSES.set(origin, { until: deps.now() + pause, why: new Refusal(SOURCE_DOWN) });
}

async function readPayload(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > PAYLOAD_LIMIT) {
      await reader.cancel();
      throw new Refusal(SOURCE_DOWN);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** `null` for what failed: the caller has another way, and the failures in order if it has none. */
async function attempt<T>(work: Promise<T>, failures: Refusal[] = []): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    failures.push(error);
    return null;
  }
}

/** The same work; a `Refusal` of the source then says `why`: its own may speak of something else. */
async function orRefuse<T>(work: Promise<T>, why: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(why) : error;
  }
}

type Json = Record<string, unknown>;

function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

// </source>

// ── 5. The core ──────────────────────────────────────────────────────────────
// The same bytes in every door: `npm run core` copies the block, `npm run core -- --check` refuses a drift.
// It reads SERVER and TOOLS, at request time only, and names no door.
// <core>
import { Hono } from "hono/tiny";

/** A block of a tool's answer, as MCP defines it. Text is spoken; `data` is base64. */
type Content = { type: "text"; text: string } | { type: "image" | "audio"; data: string; mimeType: string };

/** The part of JSON Schema that `readArguments` implements and that every known client accepts. */
interface Schema {
  type: "object" | "string" | "number" | "integer" | "boolean" | "array";
  description?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: false;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: string | number | boolean;
  items?: Schema;
}

/** Bindings and variables of a deployment; what only one door knows arrives as `unknown`. */
interface Env {
  [name: string]: unknown;
  PUBLIC_URL?: string;
  CLOCK?: string;
  BRAKE?: { limit(options: { key: string }): Promise<{ success: boolean }> };
}

/** All that a tool may touch: the network, the time (ms since 1970), its deployment, work that outlives the answer. */
interface Deps {
  fetch(url: string, init?: RequestInit): Promise<Response>;
  now(): number;
  env: Env;
  waitUntil(work: Promise<unknown>): void;
}

type Args = Record<string, unknown>;

interface Tool {
  title: string;
  description: string;
  inputSchema: Schema;
  /** The four hints of MCP. Without them: `READ_ONLY`. */
  annotations?: typeof READ_ONLY;
  /** `args` has been through `readArguments`. A `Refusal` thrown here is spoken; anything else is a bug. */
  run(args: Args, deps: Deps): Promise<string | Content[]>;
}

type Tools = Record<string, Tool>;

interface Server {
  name: string;
  title: string;
  version: string;
  /** At most 512 characters; or what makes them and never fails, for a door that learns a part of them once deployed. */
  instructions: string | ((deps: Deps) => Promise<string>);
  /** Which tools this deployment lists and calls. Without it: all of them. */
  open?(tool: string, env: Env): boolean;
  /** Which `Origin` values may call. Without it: https from anywhere, http from loopback. */
  origins?(origin: string): boolean;
  /** Who may share a cached list. Without it: `public`. */
  cacheScope?: "public" | "private";
  /** What a person who opens the door in a browser gets, or null where nothing is. Without it: nothing anywhere. */
  page?(request: Request, deps: Deps): Promise<Response | null>;
  /** Its icons, `src` being a path of `page`. A client fetches them, so only a door that has an https address tells. */
  icons?: readonly { src: string; mimeType: string; sizes: readonly string[] }[];
}

/**
 * A sentence for the model, returned with `isError: true`. Four parts: what usually happens, how long it
 * lasts, what it does not mean, what to do instead.
 */
class Refusal extends Error {}

/** An error of the protocol: HTTP status, JSON-RPC code, and the request's id once it has been read. */
class RpcError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    public id?: Id,
    readonly data?: Record<string, unknown>,
  ) {
    super(message);
  }
}

type Id = string | number;
type Message =
  | { kind: "request"; id: Id; method: string; params: Args }
  | { kind: "notification"; method: string; params: Args }
  | { kind: "response" };
type Call = Extract<Message, { kind: "request" }>;

/** What the headers of a POST say, for all of its messages. */
interface Asked {
  version: string | null;
  headers: Headers;
}

/** One POST: what its messages have in common. `deadline` (ms since 1970) is for all of them together. */
interface Turn extends Asked {
  deadline: number;
  deps: Deps;
}

const MODERN = "2026-07-28";
/** Newest first: `initialize` answers the first one to a version it doesn't know. */
const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/** Versions under which an array of messages is legal; arrays left the protocol on 2025-06-18. */
const BATCH_VERSIONS = [null, "2025-03-26", "2024-11-05"];
const BATCH_LIMIT = 20;
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";
const CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo";
/** 256 KiB: a coding agent's `_meta` grows with its workspace, while our arguments stay under 1 kB. */
const BODY_LIMIT = 262_144;
/** Home Assistant gives up at 10 s, its connection included; the house allows 8. */
const BUDGET_MS = 7_500;
const TOO_SLOW =
  "La source est trop lente en ce moment. Ça dure d'habitude quelques minutes, et ça ne veut pas dire qu'il n'y a pas de réponse. Redemande dans une minute.";
/** How long a client may keep our list: a deploy that changes the tools is seen within the hour. */
const LIST_TTL_MS = 3_600_000;
/** Names that come back in an error: long enough to see a typing mistake, too short to carry a text. */
const ECHO_LIMIT = 128;
const ID_LIMIT = 256;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
/** What every tool that only looks something up declares. */
const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
const CORS = { "access-control-allow-origin": "*" };
const BARE_HEADERS = { ...CORS, "cache-control": "no-store" };
const JSON_HEADERS = { ...BARE_HEADERS, "content-type": "application/json", "x-content-type-options": "nosniff" };
/** Built once: a runtime copies `Headers` ten times as fast as it reads the names of an object. */
const ANSWER_HEADERS = new Headers(JSON_HEADERS);
const PREFLIGHT_HEADERS = {
  ...CORS,
  "access-control-allow-methods": "POST, OPTIONS",
  "access-control-allow-headers":
    "content-type, accept, authorization, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id",
  "access-control-max-age": "86400",
};
/** Headers that go with a status, whatever the reason for it. */
const STATUS_HEADERS: Record<number, Record<string, string>> = {
  405: { allow: "POST, OPTIONS" },
  429: { "retry-after": "10", "access-control-expose-headers": "retry-after" },
};

const app = new Hono<{ Bindings: Env }>({
  // The raw pathname: hono's own reading would decode `/%6dcp`. No redirect: clients lose the body on the way.
  getPath: (request) => {
    const path = parseUrl(request.url)?.pathname ?? "";
    return path === "/mcp/" ? "/mcp" : path;
  },
});
app.options("*", () => new Response(null, { status: 204, headers: PREFLIGHT_HEADERS }));
app.post("/mcp", (c) => answer(c.req.raw, c.env, c.executionCtx));
app.all("/mcp", () => refuse(new RpcError(405, -32600, "Cette adresse ne répond qu'aux requêtes POST.")));
app.get("*", async (c) => (await SERVER.page?.(c.req.raw, depsOf(c.env, c.executionCtx))) ?? notFound());
app.onError((error) => refuse(asRpcError(error)));
app.notFound(notFound);

/** The whole door: HTTP in, HTTP out. Never throws and never answers 5xx. */
function serve(request: Request, env: Env, ctx: Parameters<typeof app.fetch>[2]): Response | Promise<Response> {
  // workerd passes on a Host that no URL can hold.
  const url = parseUrl(request.url);
  if (url === null) return refuse(new RpcError(400, -32600, "L'en-tête Host est mal formé."));
  const home = env.PUBLIC_URL === undefined || parseUrl(env.PUBLIC_URL)?.host === url.host;
  if (!home && !LOOPBACK.test(url.hostname)) {
    return refuse(new RpcError(403, -32600, "Cette porte ne répond pas à ce nom d'hôte."));
  }
  const origin = request.headers.get("origin");
  if (origin !== null && !(SERVER.origins ?? isPublicOrigin)(origin)) {
    return refuse(new RpcError(403, -32600, "Cette porte ne répond pas à cette origine."));
  }
  return app.fetch(request, env, ctx);
}

/** An origin as browsers write it: https, or http on the caller's own machine. `null` and the rest are refused. */
function isPublicOrigin(origin: string): boolean {
  const url = parseUrl(origin);
  if (url?.origin !== origin) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
}

/** What was worked out, by text: an isolate meets the same few addresses, clients and headers again and again. */
type Known<T> = Map<string, T>;
const KNOWN_LIMIT = 50;

function lookUp<T>(known: Known<T>, text: string, work: (text: string) => T): T {
  const kept = known.get(text);
  if (kept !== undefined) return kept;
  const made = work(text);
  if (known.size >= KNOWN_LIMIT) known.clear();
  known.set(text, made);
  return made;
}

/** Never changed once parsed. */
const URLS: Known<URL | null> = new Map();
function parseUrl(text: string): URL | null {
  return lookUp(URLS, text, () => (URL.canParse(text) ? new URL(text) : null));
}

function notFound(): Response {
  return new Response('{"error":"not_found"}', { status: 404, headers: JSON_HEADERS });
}

function refuse(error: RpcError): Response {
  return new Response(errorBody(error), {
    status: error.status,
    headers: { ...JSON_HEADERS, ...STATUS_HEADERS[error.status] },
  });
}

function errorBody({ id, code, message, data }: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
}

/** One POST on /mcp: what the transport asks first, then a message or an array of them. */
async function answer(request: Request, env: Env, ctx: Pick<Deps, "waitUntil">): Promise<Response> {
  try {
    checkMedia(request.headers);
    const value = await readJson(request);
    const version = readVersion(request.headers, value);
    const messages = Array.isArray(value) ? readBatch(value, version) : [readMessage(value)];
    for (const message of messages) checkOneWay(message, version);
    const calls = messages.filter((message) => message.kind === "request");
    if (calls.length === 0) return new Response(null, { status: 202, headers: BARE_HEADERS });
    const asked: Asked = { version, headers: request.headers };
    await brake(calls, asked, env);
    const turn: Turn = {
      ...asked,
      deadline: Date.now() + BUDGET_MS,
      deps: depsOf(env, ctx),
    };
    if (!Array.isArray(value)) return new Response(await handle(calls[0], turn), { headers: ANSWER_HEADERS });
    const bodies: string[] = [];
    for (const call of calls) bodies.push(await handle(call, turn).catch(errorBody));
    return new Response(`[${bodies.join(",")}]`, { headers: ANSWER_HEADERS });
  } catch (error) {
    return refuse(asRpcError(error));
  }
}

function depsOf(env: Env, ctx: Pick<Deps, "waitUntil">): Deps {
  return {
    fetch: (url, init) => fetch(url, init),
    now: clockOf(env),
    env,
    waitUntil: (work) => ctx.waitUntil(work),
  };
}

/** A bug of ours becomes a generic error: the details are for the log, never for the caller. */
function asRpcError(error: unknown, id?: Id): RpcError {
  if (error instanceof RpcError) return error;
  console.error(error);
  return new RpcError(200, -32603, "Cette porte a un défaut. Redemande dans une minute.", id);
}

function checkMedia(headers: Headers): void {
  const type = headers.get("content-type") ?? "";
  if (type !== "application/json" && !isJson(type)) {
    throw new RpcError(415, -32600, "Ajoute l'en-tête « content-type: application/json ».");
  }
  if (!/^(identity)?$/i.test(headers.get("content-encoding") ?? "")) {
    throw new RpcError(415, -32600, "Envoie le corps sans compression.");
  }
  if (!lookUp(ACCEPTED, headers.get("accept") ?? "", acceptsJson)) {
    throw new RpcError(406, -32600, "Cette porte répond en JSON : accepte « application/json ».");
  }
}

function isJson(type: string): boolean {
  const known = /^application\/json[ \t]*(?:;(.*))?$/i.exec(type);
  const charset = /(?:^|;)\s*charset\s*=\s*"?([^";\s]*)/i.exec(known?.[1] ?? "")?.[1];
  return known !== null && /^(utf-?8)?$/i.test(charset ?? "");
}

const ACCEPTED: Known<boolean> = new Map();
/** Content negotiation of RFC 9110: the most precise range that covers JSON decides. Empty or absent means anything. */
function acceptsJson(accept: string): boolean {
  if (accept.trim() === "") return true;
  const ranges = new Map(
    accept.split(",").map((range) => {
      const [type, ...parameters] = range.toLowerCase().split(";");
      return [type.trim(), !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter))];
    }),
  );
  return ranges.get("application/json") ?? ranges.get("application/*") ?? ranges.get("*/*") ?? false;
}

/** The body, at most `BODY_LIMIT` bytes of strict UTF-8 (a leading BOM is dropped), parsed. */
async function readJson(request: Request): Promise<unknown> {
  const length = request.headers.get("content-length");
  if (Number(length) > BODY_LIMIT) throw tooLarge();
  // The runtime holds a body to the length it says; one that says none is counted as it comes.
  const whole = length === null ? readBytes(request) : request.arrayBuffer().catch(() => Promise.reject(unreadable()));
  const bytes = await whole;
  if (bytes.byteLength > BODY_LIMIT) throw tooLarge();
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    throw unreadable();
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

async function readBytes({ body }: Pick<Request, "body">): Promise<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) throw unreadable();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => Promise.reject(unreadable()));
    if (done) return chunks.length === 1 ? chunks[0] : new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > BODY_LIMIT) {
      await reader.cancel().catch(() => {});
      throw tooLarge();
    }
    chunks.push(value);
  }
}

function tooLarge(): RpcError {
  return new RpcError(413, -32600, "Le corps dépasse 256 kibioctets.");
}

function unreadable(): RpcError {
  return new RpcError(400, -32700, "Le corps n'est pas du JSON valide en UTF-8.");
}

/** The version header, once: fetch joins repeated headers with commas, and one client repeats the same value. */
function readVersion(headers: Headers, value: unknown): string | null {
  const raw = headers.get("mcp-protocol-version") ?? "";
  if (raw === MODERN || LEGACY.includes(raw)) return raw;
  const versions = new Set(raw.split(",").flatMap((version) => version.trim() || []));
  const [version = null, second] = versions;
  if (second !== undefined) throw headerMismatch("MCP-Protocol-Version", idOf(value));
  return version;
}

function isObject(value: unknown): value is Args {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The id if it can be echoed faithfully: a short string or a safe integer. */
function idOf(value: unknown): Id | undefined {
  const id = isObject(value) ? value.id : undefined;
  if (typeof id === "string") return id.length <= ID_LIMIT ? id : undefined;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** One JSON-RPC message, or what is wrong with it. */
function readMessage(value: unknown): Message {
  const id = idOf(value);
  const invalid = (what: string) => new RpcError(400, -32600, `Requête invalide : ${what}.`, id);
  if (!isObject(value)) throw invalid("il faut un objet JSON-RPC");
  const posted = !Object.hasOwn(value, "method") && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"));
  if (posted && !Object.hasOwn(value, "jsonrpc")) return { kind: "response" };
  if (value.jsonrpc !== "2.0") throw invalid("« jsonrpc » doit être « 2.0 »");
  if (posted) return { kind: "response" };
  if (typeof value.method !== "string") throw invalid("« method » doit être un texte");
  if (Object.hasOwn(value, "id") && id === undefined) throw invalid("« id » doit être un texte ou un entier");
  const params = value.params ?? {};
  if (!isObject(params)) throw invalid("« params » doit être un objet");
  return id === undefined
    ? { kind: "notification", method: value.method, params }
    : { kind: "request", id, method: value.method, params };
}

/** All of a batch or nothing of it: a refused one has executed nothing. */
function readBatch(values: unknown[], version: string | null): Message[] {
  const refused = (why: string) => new RpcError(400, -32600, `Lot refusé : ${why}.`);
  if (!BATCH_VERSIONS.includes(version)) throw refused("cette version du protocole n'en a pas");
  if (values.length === 0 || values.length > BATCH_LIMIT) throw refused(`de 1 à ${BATCH_LIMIT} messages`);
  return values.map((value) => {
    let message: Message;
    try {
      message = readMessage(value);
    } catch {
      throw refused("un élément n'est pas un message JSON-RPC");
    }
    if (message.kind !== "response" && (message.method === "initialize" || claimedVersion(message) !== undefined)) {
      throw refused("« initialize » et les messages à enveloppe vont seuls");
    }
    return message;
  });
}

/** Notifications and posted responses: nothing is executed, but a version we can't speak is said. */
function checkOneWay(message: Message, version: string | null): void {
  if (message.kind === "request") return;
  if (message.kind === "response" && version === MODERN) {
    throw new RpcError(400, -32600, "Requête invalide : cette version n'a pas de réponse à recevoir.");
  }
  if (version !== null && version !== MODERN && !LEGACY.includes(version)) throw unsupported(version);
}

/** The version inside a request's `_meta`; `undefined` when it has none, as in every legacy request. */
function claimedVersion({ params }: { params: Args }): unknown {
  return isObject(params._meta) && Object.hasOwn(params._meta, VERSION_KEY) ? params._meta[VERSION_KEY] : undefined;
}

function unsupported(requested: string, id?: Id): RpcError {
  return new RpcError(400, -32022, "Version du protocole inconnue.", id, {
    supported: [MODERN],
    requested: clip(requested),
  });
}

function headerMismatch(name: string, id?: Id): RpcError {
  return new RpcError(400, -32020, `En-tête absent, répété ou différent du corps : ${name}.`, id);
}

/** The era of a request. `Mcp-Method` and `Mcp-Name` prove nothing: one client sends them on legacy traffic. */
function isModern(call: Call, header: string | null): boolean {
  const claimed = claimedVersion(call);
  if (claimed === undefined && call.method === "initialize") return false;
  if (LEGACY.some((version) => version === claimed) && (header === null || header === claimed)) return false;
  if (claimed !== undefined || header === MODERN) return true;
  if (header !== null && !LEGACY.includes(header)) throw unsupported(header, call.id);
  return false;
}

/** What a modern request must carry, in the order of the reference servers. */
function checkEnvelope(call: Call, header: string | null, headers: Headers): void {
  const { id, method, params } = call;
  const meta = isObject(params._meta) ? params._meta : {};
  const claimed = claimedVersion(call);
  const missing = [
    ...(typeof claimed === "string" ? [] : [VERSION_KEY]),
    ...(isObject(meta[CAPABILITIES_KEY]) ? [] : [CAPABILITIES_KEY]),
  ];
  if (typeof claimed !== "string" || missing.length > 0) {
    throw new RpcError(400, -32602, `Il manque dans params._meta : ${missing.join(", ")}.`, id);
  }
  // Reported of a hosted connector's proxy: the envelope is modern, the header still says 2025-11-25.
  const proxied = header === LEGACY[0] && claimed === MODERN;
  if (header !== null && header !== claimed && !proxied) throw headerMismatch("MCP-Protocol-Version", id);
  if (claimed !== MODERN) throw unsupported(claimed, id);
  if (header === null) throw headerMismatch("MCP-Protocol-Version", id);
  const agrees = (sent: string | null | undefined, body: string) => sent === body || (proxied && sent === null);
  if (!agrees(headers.get("mcp-method"), method)) throw headerMismatch("Mcp-Method", id);
  const named = decodeHeader(headers.get("mcp-name"));
  if (method === "tools/call" && typeof params.name === "string" && !agrees(named, params.name)) {
    throw headerMismatch("Mcp-Name", id);
  }
}

/** A header value, or the UTF-8 text it wraps as `=?base64?…?=`; `undefined` when the wrapping is broken. */
function decodeHeader(value: string | null): string | null | undefined {
  const wrapped = /^=\?base64\?(.*)\?=$/.exec(value ?? "")?.[1];
  if (wrapped === undefined) return value;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(wrapped)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(wrapped), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The brake counts tool calls only: one spoken question of Home Assistant is three requests. */
async function brake(calls: Call[], asked: Asked, { BRAKE }: Env): Promise<void> {
  if (BRAKE === undefined) return;
  const key = asked.headers.get("cf-connecting-ip") ?? "local";
  for (const call of calls) {
    if (call.method !== "tools/call") continue;
    const { success } = await BRAKE.limit({ key }).catch((error) => {
      // A brake that is broken must not silence the door.
      console.error(error);
      return { success: true };
    });
    if (success) continue;
    log(call, asked, "brake", 0);
    throw new RpcError(429, -32600, "Trop de questions en peu de temps. Attends dix secondes et redemande.", call.id);
  }
}

/** All that is kept of a tool's call: nothing of what was asked, nothing of where it came from. */
function log(call: Call, { version, headers }: Asked, outcome: string, ms: number): void {
  if (call.method !== "tools/call") return;
  const { name } = call.params;
  // A name that isn't ours is a text of the caller's.
  const tool = typeof name === "string" && Object.hasOwn(TOOLS, name) ? name : null;
  const [door, era, client] = [SERVER.name, eraOf(call, version), clientOf(call, headers)];
  console.log(JSON.stringify({ door, tool, era, client, outcome, ms }));
}

function eraOf(call: Call, version: string | null): "modern" | "legacy" | null {
  try {
    return isModern(call, version) ? "modern" : "legacy";
  } catch {
    return null;
  }
}

/** A program's name: three words, two digits at most. A sentence, an address or a number that is put there isn't one. */
const CLIENT_NAME = /^(?!.{41})(?!(?:.*\d){3})@?[a-z][\w./-]*(?: [\w./-]+){0,2}$/i;

/** The client's own name, or the program's: a legacy client said its own in another request, and nothing remembers. */
function clientOf({ params }: Call, headers: Headers): string | null {
  const info = isObject(params._meta) ? params._meta[CLIENT_INFO_KEY] : undefined;
  const name = isObject(info) && typeof info.name === "string" ? info.name : "";
  if (name !== "") return nameOfProgram(name);
  return lookUp(AGENTS, headers.get("user-agent") ?? "", (agent) => nameOfProgram(/^[^\s/(]*/.exec(agent)?.[0] ?? ""));
}

const AGENTS: Known<string | null> = new Map();
function nameOfProgram(text: string): string | null {
  const said = cleanText(clip(text.trim()));
  return CLIENT_NAME.test(said) ? said : null;
}

/** `CLOCK` moves the door's clock in development: it starts at that instant when first read, then runs. */
const CLOCK_SHIFTS = new WeakMap<Env, number>();
function clockOf(env: Env): () => number {
  if (env.CLOCK === undefined) return Date.now;
  const shift = CLOCK_SHIFTS.get(env) ?? Date.parse(env.CLOCK) - Date.now();
  CLOCK_SHIFTS.set(env, shift);
  return () => Date.now() + shift;
}

/** One request, answered as the text of a JSON-RPC response. Throws only an `RpcError` that carries the id. */
async function handle(call: Call, turn: Turn): Promise<string> {
  try {
    const modern = isModern(call, turn.version);
    if (modern) checkEnvelope(call, turn.version, turn.headers);
    return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":${await resultOf(call, modern, turn)}}`;
  } catch (error) {
    const known = asRpcError(error);
    known.id = call.id;
    log(call, turn, `error ${known.code}`, 0);
    throw known;
  }
}

async function resultOf(call: Call, modern: boolean, turn: Turn): Promise<string> {
  const { method, params } = call;
  if (method === "tools/call") return JSON.stringify({ ...(await callTool(call, turn)), ...(modern && modernTail()) });
  if (method === "tools/list") return listTools(params, modern, turn.deps.env);
  if (method === "initialize" && !modern) return JSON.stringify(await initialize(params, turn.deps));
  if (method === "ping" && !modern) return "{}";
  if (method === "server/discover" && modern) return JSON.stringify(await discover(turn.deps));
  throw new RpcError(modern ? 404 : 200, -32601, `Méthode inconnue : ${clip(method)}`);
}

async function discover(deps: Deps) {
  const instructions = await instructionsFor(deps);
  const capabilities = { tools: {} };
  const tail = modernTail(serverInfo(deps.env));
  return { supportedVersions: [MODERN], capabilities, instructions, ...cacheHints(), ...tail };
}

async function instructionsFor(deps: Deps): Promise<string> {
  const { instructions } = SERVER;
  return typeof instructions === "string" ? instructions : await instructions(deps);
}

function clip(name: string): string {
  return name.slice(0, ECHO_LIMIT).toWellFormed();
}

function serverNames() {
  return { name: SERVER.name, title: SERVER.title, version: SERVER.version };
}

/** Its names, and its icons where a client can fetch them. */
function serverInfo({ PUBLIC_URL = "" }: Env) {
  const home = parseUrl(PUBLIC_URL);
  if (SERVER.icons === undefined || home?.protocol !== "https:") return serverNames();
  const icons = SERVER.icons.map((icon) => ({ ...icon, src: new URL(icon.src, home).href }));
  return { ...serverNames(), icons };
}

function cacheHints() {
  return { ttlMs: LIST_TTL_MS, cacheScope: SERVER.cacheScope ?? "public" };
}

/** Every result carries the names alone: a client hands them to the model each time. Discovery adds the icons. */
function modernTail(info: object = serverNames()) {
  return { resultType: "complete", _meta: { [SERVER_INFO_KEY]: info } };
}

async function initialize({ protocolVersion }: Args, deps: Deps) {
  if (typeof protocolVersion !== "string") {
    throw new RpcError(200, -32602, "« protocolVersion » doit être un texte, par exemple 2025-11-25.");
  }
  return {
    protocolVersion: LEGACY.includes(protocolVersion) ? protocolVersion : LEGACY[0],
    capabilities: { tools: { listChanged: false } },
    serverInfo: serverInfo(deps.env),
    instructions: await instructionsFor(deps),
  };
}

/** Serialised once per era: a list never changes under a deployment, unless `open` says so. */
const LISTS = new Map<boolean, string>();
function listTools({ cursor }: Args, modern: boolean, env: Env): string {
  if (cursor !== undefined && cursor !== null)
    throw new RpcError(200, -32602, "Curseur inconnu : la liste tient en une page.");
  const kept = LISTS.get(modern);
  if (kept !== undefined) return kept;
  const tools = Object.entries(TOOLS)
    .filter(([name]) => SERVER.open?.(name, env) ?? true)
    .map(([name, { title, description, inputSchema, annotations = READ_ONLY }]) => {
      return { name, title, description, inputSchema, annotations: { title, ...annotations } };
    });
  const list = JSON.stringify({ tools, ...(modern && { ...cacheHints(), ...modernTail() }) });
  if (SERVER.open === undefined) LISTS.set(modern, list);
  return list;
}

/** One tool call. A caller's library that is wrong gets a protocol error; a model that is wrong gets a sentence. */
async function callTool(call: Call, turn: Turn): Promise<{ content: Content[]; isError?: true }> {
  const { deps, deadline } = turn;
  const { name, arguments: given = null } = call.params;
  if (typeof name !== "string") throw new RpcError(200, -32602, "Le nom de l'outil manque.");
  if (!Object.hasOwn(TOOLS, name) || SERVER.open?.(name, deps.env) === false) {
    throw new RpcError(200, -32602, `Outil inconnu : ${clip(name)}`);
  }
  if (given !== null && !isObject(given)) throw new RpcError(200, -32602, "« arguments » doit être un objet.");
  const tool = TOOLS[name];
  const since = Date.now();
  try {
    const work = tool.run(readArguments(tool.inputSchema, given ?? {}), deps);
    const said = await within(work, deadline - Date.now(), TOO_SLOW);
    log(call, turn, "ok", Date.now() - since);
    return { content: typeof said === "string" ? [{ type: "text", text: said }] : said };
  } catch (error) {
    log(call, turn, error instanceof Refusal ? "refusal" : "bug", Date.now() - since);
    return { content: [{ type: "text", text: sayFailure(error) }], isError: true };
  }
}

function sayFailure(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  console.error(error);
  return "Quelque chose s'est brisé de mon côté. C'est rare, et ça ne vient pas de ta question. Redemande dans une minute.";
}

/** What is in memory comes within these turns of the queue of promises; a timer would cost more than all of them. */
const QUEUE_TURNS = 30;

/** `work`, or the `Refusal` that says `late` once `ms` have gone by. */
async function within<T>(work: Promise<T>, ms: number, late: string): Promise<T> {
  let settled = false;
  const watched = work.finally(() => {
    settled = true;
  });
  for (let turn = 0; turn < QUEUE_TURNS && !settled; turn++) await null;
  if (settled) return watched;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal(late)), ms);
  });
  try {
    return await Promise.race([watched, end]);
  } finally {
    clearTimeout(timer);
  }
}

/** The arguments that the schema knows, cleaned; or a `Refusal` that names the parameter and what it accepts. */
function readArguments(schema: Schema, given: Args): Args {
  const args: Args = {};
  for (const [name, rule] of Object.entries(schema.properties ?? {})) {
    const value = readValue(rule, Object.hasOwn(given, name) ? given[name] : undefined);
    if (value === INVALID || (value === undefined && schema.required?.includes(name))) {
      throw new Refusal(
        `L'argument « ${name} » ne convient pas : il faut ${sayExpected(rule)}. Rien n'a été cherché; corrige-le et rappelle l'outil.`,
      );
    }
    if (value !== undefined) args[name] = value;
  }
  return args;
}

const INVALID = Symbol("invalid");

/** One value under one rule. `null` and an empty text are absent; a number may come as text, as models write it. */
function readValue(rule: Schema, raw: unknown): unknown {
  if (raw === undefined || raw === null) return rule.default;
  if (rule.type === "string") {
    if (typeof raw !== "string") return INVALID;
    const text = (rule.maxLength ?? 0) < LONG ? cleanText(raw) : cleanLines(raw);
    if (text === "") return rule.default;
    const { length } = [...text];
    if (length < (rule.minLength ?? 0) || length > (rule.maxLength ?? Infinity)) return INVALID;
    if (rule.enum === undefined) return text;
    return rule.enum.find((choice) => fold(choice) === fold(text)) ?? INVALID;
  }
  if (rule.type === "number" || rule.type === "integer") {
    const number = typeof raw === "string" && raw.trim() !== "" ? Number(raw.replace(",", ".")) : raw;
    if (typeof number !== "number" || !Number.isFinite(number)) return INVALID;
    if (rule.type === "integer" && !Number.isInteger(number)) return INVALID;
    return number >= (rule.minimum ?? -Infinity) && number <= (rule.maximum ?? Infinity) ? number : INVALID;
  }
  if (rule.type === "boolean") return typeof raw === "boolean" ? raw : INVALID;
  const { items } = rule;
  if (rule.type !== "array" || items === undefined || !Array.isArray(raw)) return INVALID;
  const values = raw.map((item) => readValue(items, item) ?? INVALID);
  return values.includes(INVALID) ? INVALID : values;
}

/** Visible ASCII with a space between words: there is nothing to clean. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** Text as a person would have said it: composed accents, no control, no invisible, no broken character. */
function cleanText(text: string): string {
  if (PLAIN.test(text)) return text;
  const printable = text
    .toWellFormed()
    .replace(/\p{Cf}|\uFFFD/gu, "")
    .normalize("NFC");
  return printable.replace(/[\p{Cc}\s]+/gu, " ").trim();
}

/** A text that may be so long is written, not said: its lines are kept. */
const LONG = 1_000;

/** The same, line by line, what is before each one kept. */
function cleanLines(text: string): string {
  const printable = text
    .toWellFormed()
    .replace(/\p{Cf}|\uFFFD/gu, "")
    .normalize("NFC");
  const lines = printable.split(/\r\n?|[\n\u2028\u2029]/);
  return lines
    .map((line) => line.replace(/(?!\t)[\p{Cc}\s]/gu, " ").trimEnd())
    .join("\n")
    .replace(/^\n+|\n+$/g, "");
}

/** Lower case, without accents: for comparing what people say. */
function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("\u2019", "'").toLowerCase();
}

function sayExpected({ type, enum: choices, minimum, maximum, minLength, maxLength, items }: Schema): string {
  if (choices !== undefined) return `une de ces valeurs : ${choices.join(", ")}`;
  if (type === "boolean") return "vrai ou faux";
  if (type === "array" && items !== undefined) return `une liste, et pour chaque élément ${sayExpected(items)}`;
  if (type === "string") {
    if (minLength !== undefined && maxLength !== undefined) return `un texte de ${minLength} à ${maxLength} caractères`;
    if (minLength !== undefined) return `un texte d'au moins ${minLength} caractères`;
    return maxLength === undefined ? "un texte" : `un texte d'au plus ${maxLength} caractères`;
  }
  const kind = type === "integer" ? "un nombre entier" : "un nombre";
  if (minimum !== undefined && maximum !== undefined) return `${kind} de ${minimum} à ${maximum}`;
  if (minimum !== undefined) return `${kind} d'au moins ${minimum}`;
  return maximum === undefined ? kind : `${kind} d'au plus ${maximum}`;
}
// </core>

// <page>
/** What answers come from and under which terms, with an address where there is one. */
interface Source {
  name: string;
  url?: string;
  gives: string;
  terms: string;
  termsUrl?: string;
}

/** What the page tells of a door besides its tools: in French, for a person who reads. */
interface About {
  /** One sentence under the title. */
  lead: string;
  /** Where the answers come from; or what says it and never fails, for a door that learns it once deployed. */
  sources: readonly Source[] | ((deps: Deps) => Promise<readonly Source[]>);
  /** What the door keeps of a question, and who else gets it. */
  logged: string;
  /** The page's one colour, on paper and at night, in hexadecimal: it is text, on both. */
  accent: { light: string; dark: string };
  /** The door's sign: strokes in a square of 64, and the same drawn at 48 pixels: a PNG in base64. */
  icon: { strokes: string; png: string };
}

/** A door that has a page says this in section 1. */
interface Server {
  about: About;
}

/** And this in section 2: the arguments of the last phrase of the description, for the box of the page. */
interface Tool {
  example?: Args;
}

type Made = string | Uint8Array;
const PAGE_FILES: Record<string, [type: string, make: (address: string, deps: Deps) => Made | Promise<Made>]> = {
  "/": ["text/html; charset=utf-8", makePage],
  "/page.css": ["text/css; charset=utf-8", makeStyle],
  "/page.js": ["text/javascript; charset=utf-8", () => PAGE_SCRIPT],
  "/favicon.svg": ["image/svg+xml", makeSvg],
  "/favicon.ico": ["image/x-icon", makeIco],
  "/icon.png": ["image/png", makePng],
};
const PAGE_HEADERS = {
  ...CORS,
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  // Asked again each time, and answered 304: after a deployment the page, its style and its script are of one version.
  "cache-control": "no-cache",
};

/** GET and HEAD on one of the page's files; null elsewhere. */
async function servePage(request: Request, deps: Deps): Promise<Response | null> {
  const url = new URL(request.url);
  if (!Object.hasOwn(PAGE_FILES, url.pathname)) return null;
  const [type, make] = PAGE_FILES[url.pathname];
  const made = await make(pageAddress(url, deps.env), deps);
  const body = typeof made === "string" ? new TextEncoder().encode(made) : made;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  const etag = `"${Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
  // A proxy that compresses makes the tag a weak one, W/"…": it is looked for, not compared.
  const kept = request.headers.get("if-none-match")?.includes(etag) ?? false;
  const headers = { ...PAGE_HEADERS, "content-type": type, etag };
  return new Response(kept ? null : body, { status: kept ? 304 : 200, headers });
}

/** The address to paste: the declared one, or that of the request on one's own machine and where none is declared. */
function pageAddress(url: URL, { PUBLIC_URL = "" }: Env): string {
  const home = parseUrl(PUBLIC_URL);
  const isHome = home !== null && (url.host === home.host || !LOOPBACK.test(url.hostname));
  return `${(isHome ? home : url).origin}/mcp`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A text as French is printed, without markup: spaces that end no line, curved apostrophes. */
function print(text: string): string {
  const spaced = text.replace(/« /g, "«\u00A0").replace(/ ([»:])/g, "\u00A0$1");
  const units = spaced.replace(/ ([?!;])/g, "\u202F$1").replace(/(\d) (?=\p{L})/gu, "$1\u00A0");
  return escapeHtml(units.replaceAll("'", "\u2019"));
}

function quotesOf(text: string): string[] {
  return Array.from(text.matchAll(/« (.+?) »/g), ([, quote]) => quote);
}

/** What a person says for a tool: the end of its description, the phrase of `example` first. */
function phrasesOf({ description }: Tool): string[] {
  const phrases = quotesOf(/Pour « .*$/.exec(description)?.[0] ?? "").map((phrase) => capital(phrase));
  return [...phrases.slice(-1), ...phrases.slice(0, -1)];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The `tools/call` of a tool's example, at the keyboard. */
function curlOf(address: string, name: string): string {
  const params = { name, arguments: TOOLS[name].example ?? {} };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return `curl -s ${address} \\
  -H 'content-type: application/json' \\
  -d '${body.replaceAll("'", "'\\''")}'`;
}

/** A field of the box. Its name is the start of the parameter's description, its help what the rest of it quotes. */
function makeField(tool: string, name: string, rule: Schema, isRequired: boolean): string {
  const { type, description = name, minimum = "", maximum = "", maxLength = "" } = rule;
  const value = TOOLS[tool].example?.[name] ?? rule.default ?? "";
  const quotes = quotesOf(description)
    .filter((quote) => quote !== value)
    .slice(0, 4);
  const said = quotes.length === 0 || type !== "string" ? sayExpected(rule) : `par exemple : ${quotes.join(", ")}`;
  const empty = /À omettre (pour .+)\.$/.exec(description)?.[1];
  const help = empty === undefined ? said : `${said}. Laisse vide ${empty}.`;
  const [id, required] = [`${tool}.${name}`, isRequired ? " required" : ""];
  const kind = type === "string" ? `maxlength="${maxLength}"` : `type="number" min="${minimum}" max="${maximum}"`;
  return `<p class="field">
<label for="${id}">${print(description.split(/[,:.]/)[0].trim())}${isRequired ? "" : " <small>facultatif</small>"}</label>
<input id="${id}" name="${name}" value="${escapeHtml(String(value))}" ${kind}${required} autocomplete="off" aria-describedby="${id}.help">
<small id="${id}.help">${print(capital(help))}</small>
</p>`;
}

function makeFields([tool, { title, inputSchema }]: [string, Tool]): string {
  const fields = Object.entries(inputSchema.properties ?? {}).map(([name, rule]) =>
    makeField(tool, name, rule, inputSchema.required?.includes(name) ?? false),
  );
  return `<fieldset data-tool="${tool}" hidden disabled>
<legend class="unseen">${print(title)}</legend>
${fields.join("\n")}
</fieldset>`;
}

function makeCard([name, tool]: [string, Tool]): string {
  const [first, ...others] = phrasesOf(tool).map(print);
  return `<li>
<h3>${print(tool.title)}</h3>
<ul>
<li data-try="${name}">${first}</li>
${others.map((phrase) => `<li>${phrase}</li>`).join("\n")}
</ul>
</li>`;
}

function makeSource({ name, url, gives, terms, termsUrl }: Source): string {
  const link = (text: string, to?: string) =>
    to === undefined ? print(text) : `<a href="${escapeHtml(to)}">${print(text)}</a>`;
  return `<li><strong>${link(name, url)}</strong> <span>${print(gives)}</span> <small>${link(terms, termsUrl)}</small></li>`;
}

function makeSteps(...steps: string[]): string {
  return `<ol>\n${steps.map((step) => `<li>${print(step)}</li>`).join("\n")}\n</ol>`;
}

/** The whole page. All that belongs to one door comes from SERVER and TOOLS. */
async function makePage(address: string, deps: Deps): Promise<string> {
  const { name, title, version, about } = SERVER;
  const sources = typeof about.sources === "function" ? await about.sources(deps) : about.sources;
  const tools = Object.entries(TOOLS);
  const [asked] = phrasesOf(tools[0][1]);
  const copy = (id: string, what: string) =>
    `<button type="button" data-copy="${id}" aria-label="${print(`Copier ${what}`)}" hidden>Copier</button>`;
  const local =
    "Cette adresse-ci est celle d'une porte locale, que Claude ne voit pas : il lui en faut une publique, en https.";
  return `<!doctype html>
<html lang="fr-CA">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${print(about.lead)}">
<meta name="color-scheme" content="light dark">
<title>${print(title)}</title>
<link rel="icon" href="/favicon.ico" sizes="48x48">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/icon.png">
<link rel="stylesheet" href="/page.css">
<script src="/page.js" defer></script>
</head>
<body>
<main>
<div class="top">
<header>
<img src="/favicon.svg" alt="" width="64" height="64">
<h1>${print(title)}</h1>
<p>${print(about.lead)}</p>
</header>
<section class="box" aria-labelledby="ask">
<h2 id="ask">Essaie la porte</h2>
<noscript><p>${print("La boîte à questions a besoin de JavaScript. Le reste de la page s'en passe, et la ligne de curl, plus bas, pose la première question.")}</p></noscript>
<form id="form" novalidate hidden>
<p class="field">
<label for="tool">Quoi demander</label>
<select id="tool">${tools.map(([tool, { title }]) => `<option value="${tool}">${print(title)}</option>`).join("")}</select>
</p>
${tools.map(makeFields).join("\n")}
<p class="buttons"><button class="main">Demander</button> <button type="button" id="listen" hidden>Écouter</button></p>
<div id="answer" role="status" aria-label="La réponse" tabindex="-1"></div>
</form>
</section>
</div>
<section aria-labelledby="phrases">
<h2 id="phrases">Ce que tu peux demander</h2>
<p id="hint" hidden>Choisis une phrase soulignée : la réponse arrive dans la boîte.</p>
<ul class="cards">
${tools.map(makeCard).join("\n")}
</ul>
</section>
<section aria-labelledby="connect">
<h2 id="connect">Brancher la porte</h2>
<p>${print("Cette porte est un serveur MCP : une adresse que ton assistant appelle pour avoir la réponse. Donne-la à ton assistant; il ne faut ni compte, ni clé, ni mot de passe.")}</p>
<p class="address"><code id="address">${escapeHtml(address)}</code> ${copy("address", "l'adresse")}</p>
<div class="ways">
<section aria-labelledby="claude">
<h3 id="claude">${print("Dans l'application Claude")}</h3>
${makeSteps(
  "Sur le site de Claude ou dans l'application de bureau, ouvre « Personnaliser », puis « Connecteurs », et ajoute un connecteur personnalisé.",
  "Donne-lui un nom, colle l'adresse et laisse vides les champs d'authentification.",
  `Active-le dans une conversation, sur ton téléphone aussi, et demande : « ${asked} »`,
)}
<p class="note">${print("Le forfait gratuit de Claude permet un seul connecteur personnalisé, et son mode vocal ne s'en sert pas toujours.")}</p>
${address.startsWith("https:") ? "" : `<p class="note">${print(local)}</p>`}
</section>
<section aria-labelledby="home">
<h3 id="home">Dans Home Assistant</h3>
${makeSteps(
  "Dans les paramètres, « Appareils et services », ajoute l'intégration « Model Context Protocol », et non celle dont le nom finit par « Server ».",
  "Colle l'adresse, même si l'exemple montré parle de SSE.",
  `Dans les réglages de ton agent de conversation, parmi les outils qu'il peut utiliser, coche aussi « ${name} ».`,
)}
<p class="note">Il faut une version de Home Assistant du printemps 2026 ou plus récente.</p>
</section>
</div>
<section class="curl" aria-labelledby="curl">
<h3 id="curl">Avec curl</h3>
<pre id="line">${escapeHtml(curlOf(address, tools[0][0]))}</pre>
<p>${copy("line", "la ligne de curl")}</p>
<p class="note">${print("La phrase à dire est dans le champ « text ».")}</p>
</section>
</section>
<div class="ends">
<section aria-labelledby="sources">
<h2 id="sources">${print("D'où viennent les réponses")}</h2>
<ul class="sources">
${sources.map(makeSource).join("\n")}
</ul>
</section>
<section aria-labelledby="logged">
<h2 id="logged">Ce qui est noté</h2>
<p>${print(about.logged)}</p>
<p>${print("Cette page ne dépose aucun témoin et ne charge rien qui vienne d'ailleurs.")}</p>
</section>
</div>
</main>
<footer><p>${print(`${title}, version ${version} : un serveur MCP qui répond en phrases faites pour l'oreille.`)}</p></footer>
<p id="told" role="status" class="unseen"></p>
</body>
</html>
`;
}

function makeStyle(): string {
  const { light, dark } = SERVER.about.accent;
  return `:root { --accent: ${light}; --on: #fff; --paper: #faf6ef; --card: #fffdf9; --ink: #28221c; --soft: #695f54; --line: #e4dacb; }
@media (prefers-color-scheme: dark) {
  :root { --accent: ${dark}; --on: #1a1613; --paper: #1a1613; --card: #241f1b; --ink: #ece3d7; --soft: #ac9f91; --line: #3d352e; }
}
${PAGE_STYLE}`;
}

const PAGE_STYLE = `* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { color-scheme: light dark; -webkit-text-size-adjust: 100%; }
body { margin: 0; padding: 0 1.25rem; overflow-wrap: break-word; background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif; }
main, footer { max-width: 68rem; margin: 0 auto; }
h1, h2, h3, header p, #answer { font-family: Charter, "Bitstream Charter", "Iowan Old Style", "Sitka Text", Cambria, Georgia, serif; }
h1, h2, h3 { line-height: 1.15; text-wrap: balance; }
h1 { margin: 1rem 0 0; font-size: clamp(2.5rem, 6vw, 3.75rem); font-weight: 600; letter-spacing: -.02em; }
h2 { margin: 0 0 1.25rem; font-size: 1.75rem; font-weight: 600; letter-spacing: -.01em; }
h3 { margin: 0 0 .75rem; font-size: 1.1875rem; font-weight: 600; }
p { margin: 0 0 1rem; text-wrap: pretty; }
small, .note { color: var(--soft); font-size: .875rem; }
ul { margin: 0; padding: 0; list-style: none; }
ol { margin: 0 0 1rem; padding: 0 0 0 1.25rem; }
ol li { margin-bottom: .5rem; padding-left: .25rem; }
ol li::marker { color: var(--accent); font-weight: 600; }
a { color: var(--accent); text-underline-offset: .2em; overflow-wrap: anywhere; }
code, pre { font: .9375rem/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
main > * { padding: 3rem 0; }
main > * + * { border-top: 1px solid var(--line); }
header img { display: block; }
header p { margin: 1rem 0 0; color: var(--soft); font-size: 1.3125rem; line-height: 1.5; }
.top { display: grid; grid-template-columns: minmax(0, 1fr); gap: 2.5rem; }
.box { padding: 1.75rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
.box h2 { font-size: 1.375rem; }
noscript p, .box > p { margin: 0; }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
.field { margin-bottom: 1rem; }
label { display: block; margin-bottom: .375rem; font-weight: 600; font-size: .9375rem; }
label small { font-weight: 400; }
input, select { display: block; width: 100%; padding: .625rem .75rem; background: var(--paper); color: inherit; font: inherit; border: 1px solid var(--soft); border-radius: .5rem; }
input + small { display: block; margin-top: .375rem; }
button { padding: .4375rem 1rem; background: none; color: var(--accent); font: inherit; font-weight: 600; border: 1px solid currentColor; border-radius: .5rem; cursor: pointer; }
button:hover { background: color-mix(in srgb, var(--accent) 10%, transparent); }
button.main { background: var(--accent); color: var(--on); border-color: var(--accent); }
button.main:hover { background: color-mix(in srgb, var(--accent) 88%, var(--ink)); }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin: .5rem 0 0; }
#answer { margin-top: 1.5rem; padding-left: 1.125rem; border-left: 3px solid var(--accent); font-size: 1.3125rem; line-height: 1.5; white-space: pre-line; }
#answer:empty { margin: 0; border: 0; }
#answer.long { font-size: 1.125rem; }
#answer.waits { color: var(--soft); border-color: var(--line); }
#answer.fails { padding: .75rem 1.125rem; background: var(--paper); border-color: var(--soft); border-left-style: dashed; font: 1rem/1.5 system-ui, sans-serif; }
#answer > * { margin: 0 0 .75rem; }
#answer > :last-child { margin: 0; }
#answer a { font: 1rem/1.5 system-ui, sans-serif; }
.cards { display: grid; gap: 2.25rem 2.5rem; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); }
.cards ul li { padding: .25rem 0; color: var(--soft); }
.cards ul li:first-child { color: var(--ink); }
.cards button { padding: 0; color: inherit; font-weight: 400; text-align: left; border: 0; text-decoration: underline; text-decoration-color: var(--accent); text-underline-offset: .25em; }
.cards button:hover { background: none; color: var(--accent); }
.address { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; }
.address code { font-size: 1.1875rem; }
[data-copy] { padding: .1875rem .75rem; font-size: .875rem; }
.ways { display: grid; grid-template-columns: minmax(0, 1fr); gap: 2.5rem 4rem; }
.ways, .curl { margin-top: 2.5rem; }
.ways p, .curl p { margin: 0 0 .75rem; }
pre { margin: 0 0 1rem; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; font-size: .875rem; white-space: pre-wrap; }
.ends { display: grid; grid-template-columns: minmax(0, 1fr); gap: 3rem; }
.sources li { margin-bottom: 1.25rem; }
.sources > li > * { display: block; }
footer { padding: 1.5rem 0 3rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9375rem; }
footer p { margin: 0; }
@media (min-width: 62rem) {
  .top { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 4rem; padding: 4.5rem 0; align-items: start; }
  .top header { position: sticky; top: 3rem; }
  .ways { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .ends { grid-template-columns: minmax(0, 6fr) minmax(0, 5fr); gap: 4rem; }
}
@media (prefers-reduced-motion: no-preference) {
  html { scroll-behavior: smooth; }
  #answer.waits { animation: waits 1.2s ease-in-out infinite alternate; }
  @keyframes waits { from { opacity: 1; } to { opacity: .55; } }
}
`;

/** The box at work, in the browser. Without it the page is read, and the box isn't there. */
const PAGE_SCRIPT = String.raw`"use strict";
const [form, tool, answer, listen, told] = ["form", "tool", "answer", "listen", "told"].map((id) => document.getElementById(id));
const canSpeak = "speechSynthesis" in window;
// Characters from which an answer is printed smaller.
const LONG = 350;
let [asking, speaking, spoken] = [0, 0, ""];

// Only the fields of the chosen tool are shown and sent.
function choose() {
  for (const part of form.querySelectorAll("fieldset")) part.hidden = part.disabled = part.dataset.tool !== tool.value;
}

// As the page itself is printed: spaces that end no line, curved apostrophes.
function print(text) {
  return text.replace(/« /g, "«\u00A0").replace(/ ([»:])/g, "\u00A0$1").replace(/ ([?!;])/g, "\u202F$1").replace(/(\d) (?=\p{L})/gu, "$1\u00A0").replaceAll("'", "\u2019");
}

function isLink(text) {
  return /^https?:\/\/\S+$/.test(text);
}

// One block of an answer: a sentence, or a link alone, which is shown and not read.
function block(text) {
  const node = document.createElement(isLink(text) ? "a" : "p");
  if (isLink(text)) node.href = node.textContent = text;
  else node.textContent = print(text);
  return node;
}

function show(texts, state = "") {
  answer.className = state;
  answer.setAttribute("aria-busy", state === "waits");
  answer.replaceChildren(...texts.map(block));
}

async function call(name, args) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  const request = { method: "POST", headers: { "content-type": "application/json" }, body, signal: AbortSignal.timeout(15000) };
  const silent = { failure: "La porte ne répond pas. Vérifie que tu es en ligne, et redemande." };
  const response = await fetch("/mcp", request).catch(() => null);
  if (response === null) return silent;
  const read = await response.json().catch((problem) => (problem.name === "SyntaxError" ? {} : undefined));
  if (read === undefined) return silent;
  const { result, error } = read ?? {};
  // A brake in front of the door answers 429 with a page of its own.
  if (response.status === 429) return { failure: "Trop de questions en peu de temps. Attends dix secondes et redemande." };
  const isText = (text) => typeof text === "string" && text !== "";
  const blocks = Array.isArray(result?.content) ? result.content : [];
  const texts = blocks.filter((one) => one?.type === "text" && isText(one.text)).map((one) => one.text);
  if (texts.length > 0) return { texts, isError: result.isError };
  const other = "La porte a répondu autre chose qu'une phrase, avec le code " + response.status + ". Redemande dans une minute.";
  return { failure: isText(error?.message) ? error.message : other };
}

// A field that is wrong is described by what the box says of it, for who doesn't see the box.
function mark(field, isWrong) {
  const help = field.id + ".help";
  field.setAttribute("aria-describedby", isWrong ? "answer " + help : help);
  field.setAttribute("aria-invalid", isWrong);
}

async function ask() {
  hush();
  listen.hidden = true;
  const mine = ++asking;
  const fields = Array.from(form.elements).filter((one) => one.matches("input:enabled"));
  const nameOf = (field) => field.labels[0].firstChild.textContent.trim();
  const missing = fields.find((field) => field.required && field.value.trim() === "");
  const wrong = missing ?? fields.find((field) => !field.validity.valid);
  for (const field of fields) mark(field, field === wrong);
  if (wrong) {
    const range = nameOf(wrong) + " : il faut un nombre entier de " + wrong.min + " à " + wrong.max + ".";
    show([missing ? "Il manque une chose : " + nameOf(wrong).toLowerCase() + "." : range], "fails");
    return wrong.focus();
  }
  show(["Un instant…"], "waits");
  const { texts, isError, failure } = await call(tool.value, Object.fromEntries([...new FormData(form)].filter(([, value]) => value.trim() !== "")));
  if (mine !== asking) return;
  if (failure) return show([failure], "fails");
  show(texts, isError ? "fails" : texts.join().length > LONG ? "long" : "");
  spoken = texts.filter((text) => !isLink(text)).join(" ");
  listen.hidden = !canSpeak || spoken === "";
  answer.scrollIntoView({ block: "nearest" });
}

function hush(label = "Écouter") {
  speaking++;
  if (canSpeak) speechSynthesis.cancel();
  listen.textContent = label;
}

// A sentence at a time: some browsers cut what lasts more than 15 seconds.
function speak() {
  const mine = ++speaking;
  const voices = speechSynthesis.getVoices();
  const isOf = (language) => (voice) => voice.lang.replace("_", "-").startsWith(language);
  const voice = voices.find(isOf("fr-CA")) ?? voices.find(isOf("fr")) ?? null;
  const sentences = spoken.split(/(?<=[.!?]) /);
  listen.textContent = "Arrêter";
  for (const [index, sentence] of sentences.entries()) {
    const utterance = new SpeechSynthesisUtterance(sentence);
    utterance.lang = "fr-CA";
    utterance.voice = voice;
    utterance.onend = () => index === sentences.length - 1 && mine === speaking && hush();
    utterance.onerror = () => {
      if (mine !== speaking) return;
      hush("Aucune voix");
      told.textContent = "La lecture n’a pas marché : ton navigateur n’a peut-être pas de voix française.";
    };
    speechSynthesis.speak(utterance);
  }
}

tool.onchange = choose;
form.onsubmit = (event) => {
  event.preventDefault();
  ask();
};
listen.onclick = () => (listen.textContent === "Arrêter" ? hush() : speak());
// A page that is left goes on speaking otherwise.
window.onpagehide = () => hush();

for (const item of document.querySelectorAll("[data-try]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...item.childNodes);
  button.onclick = () => {
    form.reset();
    tool.value = item.dataset.try;
    choose();
    ask();
    form.scrollIntoView({ block: "center" });
    answer.focus({ preventScroll: true });
  };
  item.append(button);
}
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.onclick = async () => {
    const copied = await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent).then(() => true, () => false);
    told.textContent = button.textContent = copied ? "Copié" : "Copie refusée";
    const label = button.getAttribute("aria-label");
    button.removeAttribute("aria-label");
    await new Promise((resolve) => setTimeout(resolve, 2000));
    if (label !== null) button.setAttribute("aria-label", label);
    button.textContent = "Copier";
    told.textContent = "";
  };
}
choose();
form.hidden = document.getElementById("hint").hidden = false;
`;

function makeSvg(): string {
  const { accent, icon } = SERVER.about;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="16" fill="${accent.light}"/><path d="${icon.strokes}" fill="none" stroke="#fff" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

function makePng(): Uint8Array {
  return Uint8Array.from(atob(SERVER.about.icon.png), (character) => character.charCodeAt(0));
}

/** An icon file may hold a PNG: 22 bytes say that there is one image, its size, its length and where it starts. */
function makeIco(): Uint8Array {
  const png = makePng();
  const [length, start] = [png.length, 22];
  const head = [0, 0, 1, 0, 1, 0, 48, 48, 0, 0, 1, 0, 32, 0, length & 255, length >> 8, 0, 0, start, 0, 0, 0];
  return Uint8Array.from([...head, ...png]);
}
// </page>

export default { fetch: serve };

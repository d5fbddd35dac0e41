// hockey: « c'est quoi le score ? », answered aloud.
//
// An MCP server in one file, for Cloudflare Workers: copy it, `npm i hono`, and it answers. No secret, no state.
//   1. The door        what a model reads before choosing
//   2. The tools       the table of what can be asked
//   3. The sentences   data in, spoken French out
//   4. The data        the only section that knows an address: api-web.nhle.com
//   5. The core        HTTP, JSON-RPC, both protocol eras; the same bytes in every door

// ── 1. The door ──────────────────────────────────────────────────────────────

const SERVER: Server = {
  name: "hockey",
  title: "Hockey canadien",
  version: "1.0.0",
  instructions:
    "Le hockey de la Ligue nationale, les sept équipes canadiennes d'abord, en phrases prêtes à dire à voix haute. " +
    "Un seul appel suffit : lis la réponse telle quelle, sans la mettre en liste ni rien y ajouter. " +
    "Les heures sont celles du Québec. Si la personne ne nomme pas d'équipe, n'en devine pas : la porte connaît la sienne. " +
    "Une réponse marquée comme erreur dit quoi faire. Données : LNH (NHL.com); projet non affilié à la LNH.",
  page: servePage,
  icons: [{ src: "/icon.png", mimeType: "image/png", sizes: ["48x48"] }],
  about: {
    lead: "Le pointage, les prochains matchs, le classement et les joueurs de la Ligue nationale, les équipes canadiennes d'abord. Demande comme tu parles : la réponse s'écoute.",
    sources: [
      {
        name: "LNH, NHL.com",
        url: "https://www.nhl.com/fr",
        gives: "Les matchs, les classements, les joueurs et les séries.",
        terms: "Aucune licence publiée. Ce projet n'est pas affilié à la LNH.",
      },
    ],
    logged:
      "Une ligne par question : la porte, l'outil, la version du protocole, le nom de l'application, comment ça s'est terminé et en combien de temps. Ni ta question, ni la réponse, ni ton adresse IP. Le nom d'un joueur est cherché chez NHL.com, qui ne sait pas de qui il vient.",
    accent: { light: "#a3262f", dark: "#f0a09a" },
    icon: {
      strokes: "M24 14 34 43q2 6 8 6h8M14 49h9",
      png:
        "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwBAMAAAClLOS0AAAAMFBMVEWjJi+jJi+jJi+jJi+jJi+jJi+jJi+tPka3Vl3CbnTM" +
        "hovWn6Pgt7rrz9H15+j////WV92RAAAABnRSTlMAK1WAqtVnAI+sAAABJUlEQVR42nXUvU7DMBQF4BvgATIxMyBmBtQZFamP" +
        "0J3SmkJ/xkpM2bp26yNkzRMgNjZWpkbZOrB046+0B/mGNrE5vksSf4p9YscWEZHTtqlVryllRQ3j1U2scGb+Vce2HxpS5/wF" +
        "feXA0DqRIw6Xcszhej9EP/UG2X1btnagK7u7Yuv2tYcnzDnM8MxhjHcOA3xx6OOHg1khAF6sCrxYFXixKvBiVXCLDQdTYMIh" +
        "Q8ohwSuHET443OObgxurBm6sOjix6pBgyWGITw53WHMwK0w5ZHibOjAEsE3LK1AumJSLB+gyFQoaQf/dxD4udVZs2SnrScvG" +
        "ecnzhfb+8Jjni7n+1A2+PzrhjRPcahGHOLydwwdA8MiQqOW3d+O/4+fCPZaubPsvWprpSlfCOVgAAAAASUVORK5CYII=",
    },
  },
};

// ── 2. The tools ─────────────────────────────────────────────────────────────
// To add one, copy an entry. The description is the prompt: it ends with what a person will say.

const TOOLS: Tools = {
  match_lnh: {
    title: "Le match d'une équipe",
    description:
      "Le match d'une équipe canadienne de la LNH, en ce moment : pointage, période, temps qu'il reste, tirs, qui a marqué et avec l'aide de qui, " +
      "avantage numérique, filet désert, entracte, prolongation, tirs de barrage, match qui vient de commencer. " +
      "S'il n'y a pas de match en cours : le dernier résultat avec les buteurs, puis le prochain match : jour, heure, à domicile ou à l'étranger. " +
      "Dit si le match est remis à plus tard, annulé ou suspendu, et à quel poste il passe, les réseaux francophones d'abord. " +
      "Pour « est-ce que le Canadien joue ce soir ? », « qui a gagné hier ? », « qui a compté ? », « à quel poste ? ». " +
      "Pour « c'est quoi le score ? ».",
    inputSchema: {
      type: "object",
      properties: {
        equipe: {
          type: "string",
          maxLength: 80,
          description:
            "L'équipe, comme la personne l'a dite : « le Canadien », « les Habs », « Ottawa », « les Oilers ». À omettre si elle n'en nomme aucune.",
        },
      },
      additionalProperties: false,
    },
    run: async ({ equipe }, deps) => sayTonight(await fetchTonight(findTeam(equipe, deps.env), deps)),
  },
  soiree_lnh: {
    title: "Tous les matchs d'une soirée",
    description:
      "Toute la LNH en une soirée : chaque match en une courte phrase, les équipes canadiennes d'abord. Pointage et période s'il est en cours; " +
      "résultat s'il est fini, avec la prolongation ou les tirs de barrage; heure du Québec s'il est à venir; remis à plus tard, annulé ou suspendu. " +
      "C'est ce soir si la personne ne dit pas de jour; sinon hier, demain, un jour de la semaine ou une date, passée ou à venir. " +
      "S'il n'y a aucun match, dit quand la ligue joue. " +
      "Ne nomme pas les buteurs, ne donne pas le poste de télé et ne suit pas une équipe : pour le match d'une équipe en ce moment, c'est match_lnh; " +
      "pour les prochains matchs d'une équipe, c'est calendrier_lnh. " +
      "Pour « qui joue ce soir ? », « les résultats d'hier », « il y a quoi comme matchs samedi ? ». " +
      "Pour « c'est quoi les scores dans la ligue ? ».",
    inputSchema: {
      type: "object",
      properties: {
        date: {
          type: "string",
          maxLength: 40,
          description:
            "Le jour, comme la personne l'a dit : « hier », « ce soir », « demain », « samedi » qui vient, « samedi dernier », « le 5 décembre », ou « 2026-12-05 ». À omettre pour ce soir.",
        },
      },
      additionalProperties: false,
    },
    run: async ({ date }, deps) => sayEvening(await fetchEvening(findNight(date, deps.now()), deps)),
  },
  calendrier_lnh: {
    title: "Les prochains matchs d'une équipe",
    description:
      "Les prochains matchs d'une équipe canadienne de la LNH, de 1 à 10, dans l'ordre : jour, heure du Québec et heure sur place si elle diffère, " +
      "adversaire, à domicile ou à l'étranger, poste de télé s'il est connu. " +
      "Dit à leur place les matchs remis à plus tard, annulés, ou dont l'heure est à déterminer. " +
      "Ne donne ni pointage ni résultat, ne cherche pas une date précise, et commence après le match en cours : " +
      "pour le match d'une équipe en ce moment ou son dernier résultat, c'est match_lnh; pour toute la ligue un soir donné, c'est soiree_lnh. " +
      "Pour « c'est quand le prochain match du Canadien ? », « les prochains matchs des Jets ? », « contre qui on joue cette semaine ? ». " +
      "Pour « donne-moi le calendrier des Sénateurs ».",
    inputSchema: {
      type: "object",
      properties: {
        equipe: {
          type: "string",
          maxLength: 80,
          description:
            "L'équipe, comme la personne l'a dite : « le Canadien », « les Habs », « Ottawa », « les Oilers ». À omettre si elle n'en nomme aucune.",
        },
        nombre: {
          type: "integer",
          minimum: 1,
          maximum: 10,
          default: 3,
          description: "Combien de matchs : 1 pour « le prochain match »; 3 si la personne ne le dit pas.",
        },
      },
      additionalProperties: false,
    },
    example: { equipe: "les Sénateurs" },
    run: async ({ equipe, nombre }, deps) =>
      saySchedule(await fetchSchedule(findTeam(equipe, deps.env), Number(nombre), deps)),
  },
  classement_lnh: {
    title: "Le classement",
    description:
      "Le classement de la saison régulière de la LNH. Pour une équipe canadienne : rang dans sa section et dans son association, points, matchs joués, " +
      "fiche de victoires et de défaites, avance ou retard sur une place en séries, place assurée ou équipe éliminée. " +
      "Avec « groupe » : les cinq premières équipes d'une section, d'une association ou de la ligue, la course aux places de repêchage, " +
      "ou les équipes qui feraient les séries si la saison finissait maintenant. Hors saison, le dernier classement final. " +
      "Ne donne ni le pointage ni l'heure d'un match : c'est match_lnh. Ne donne pas le score d'une série éliminatoire en cours : c'est series_lnh. " +
      "Pour « où est le Canadien au classement ? », « qui mène l'Atlantique ? », « est-ce qu'on est loin des séries ? », « qui est repêché dans l'Est ? ». " +
      "Pour « on est rendus à quel rang ? ».",
    inputSchema: {
      type: "object",
      properties: {
        equipe: {
          type: "string",
          maxLength: 80,
          description:
            "L'équipe canadienne, comme la personne l'a dite : « le Canadien », « Ottawa », « les Oilers ». À omettre si elle n'en nomme aucune.",
        },
        groupe: {
          type: "string",
          maxLength: 80,
          description:
            "Le groupe d'équipes, comme la personne l'a dit : « l'Atlantique », « la Métropolitaine », « la Centrale », « le Pacifique », « l'Est », « l'Ouest », " +
            "« la ligue », « les repêchés », « les repêchés de l'Est », « les séries ». À omettre si la question porte sur une seule équipe.",
        },
      },
      additionalProperties: false,
    },
    run: async ({ equipe, groupe }, deps) =>
      sayStandings(
        await fetchStandings(findTeam(equipe, deps.env), typeof equipe === "string", findGroup(groupe), deps),
      ),
  },
  series_lnh: {
    title: "Les séries éliminatoires",
    description:
      "Les séries éliminatoires de la LNH, la course à la Coupe Stanley, au printemps. Pour une équipe canadienne : contre qui elle joue, qui mène la série et de combien, " +
      "le prochain match de la série avec le jour, l'heure et l'endroit, ou bien éliminée par qui et en combien de matchs, balayage, adversaire à venir, Coupe gagnée. " +
      "Sans équipe : où en est chaque série de la ronde, les équipes canadiennes d'abord. " +
      "Hors des séries : quand elles commencent, et qui a gagné la dernière Coupe. " +
      "Ne donne ni les rangs ni les points de la saison régulière, ni la distance à une place en séries : c'est classement_lnh. " +
      "Ne donne pas non plus le pointage d'un match en cours ni les buteurs : c'est match_lnh. " +
      "Pour « la série est rendue à combien ? », « qui a gagné la Coupe Stanley ? », « contre qui joue le Canadien en première ronde ? ». " +
      "Pour « où en sont les séries ? ».",
    inputSchema: {
      type: "object",
      properties: {
        equipe: {
          type: "string",
          maxLength: 80,
          description:
            "L'équipe canadienne, comme la personne l'a dite : « le Canadien », « Ottawa », « les Oilers »; « mon équipe » si la personne dit « on », « nous » " +
            "ou « la série » sans nommer d'équipe. À omettre pour toutes les séries de la ronde.",
        },
      },
      additionalProperties: false,
    },
    run: async ({ equipe }, deps) =>
      sayPlayoffs(await fetchPlayoffs(equipe === undefined ? null : findTeam(equipe, deps.env), deps)),
  },
  joueur_lnh: {
    title: "La saison d'un joueur",
    description:
      "Un joueur de la LNH, nommé par la personne, de n'importe laquelle des 32 équipes : sa saison (matchs, buts, passes, points; " +
      "pour un gardien, victoires, jeux blancs, moyenne et efficacité), ses séries, ses derniers matchs, son équipe et sa position. " +
      "Dit aussi s'il a changé d'équipe, s'il n'apparaît pas dans la formation, s'il n'a pas joué de la saison, ou s'il n'est plus actif : c'est alors sa carrière. " +
      "Si deux joueurs portent le nom, demande lequel : rappelle avec l'équipe ou la position. " +
      "Ne dit pas qui est le meilleur de la ligue ou d'une équipe : c'est meneurs_lnh. Ne dit pas qui a marqué dans un match : c'est match_lnh. " +
      "Ne connaît ni blessures, ni contrats, ni salaires, ni biographies. " +
      "Pour « combien de buts a Caufield ? », « comment va Suzuki ? », « pour qui joue Kotkaniemi ? », « les stats de Dobes ». " +
      "Pour « il est rendu à combien de points, McDavid ? ».",
    inputSchema: {
      type: "object",
      properties: {
        nom: {
          type: "string",
          minLength: 2,
          maxLength: 80,
          description:
            "Le nom du joueur, comme la personne l'a dit : « Caufield », « Nick Suzuki », « Slaf ». Pour en choisir un entre deux : « Sebastian Aho des Hurricanes », « Elias Pettersson défenseur ».",
        },
      },
      required: ["nom"],
      additionalProperties: false,
    },
    example: { nom: "McDavid" },
    run: async ({ nom }, deps) => sayPlayer(await fetchPlayer(findWanted(String(nom)), deps)),
  },
  meneurs_lnh: {
    title: "Les meneurs de la ligue ou d'une équipe",
    description:
      "Les cinq meneurs de la LNH, ou d'une équipe canadienne, avec leurs chiffres : points, buts, passes, victoires des gardiens ou efficacité des gardiens. " +
      "C'est un classement de joueurs, quand la personne n'en nomme aucun. " +
      "Ne donne pas la saison d'un joueur nommé : c'est joueur_lnh. Ne donne pas le classement des équipes : c'est classement_lnh. " +
      "Ne dit pas qui a marqué dans un match : c'est match_lnh. " +
      "Pour « qui mène les compteurs ? », « c'est qui le meilleur pointeur du Canadien ? », « quel gardien a le plus de victoires ? ». " +
      "Pour « qui a le plus de buts dans la ligue ? ».",
    inputSchema: {
      type: "object",
      properties: {
        categorie: {
          type: "string",
          maxLength: 80,
          description:
            "La statistique, comme la personne l'a dite : « pointeurs », « buts », « compteurs », « passeurs », « victoires des gardiens », « efficacité des gardiens ». À omettre pour les points.",
        },
        equipe: {
          type: "string",
          maxLength: 80,
          description:
            "L'équipe, comme la personne l'a dite : « le Canadien », « Ottawa », « mon équipe ». À omettre pour toute la ligue.",
        },
      },
      additionalProperties: false,
    },
    example: { categorie: "buts" },
    run: async ({ categorie, equipe }, deps) =>
      sayLeaders(await fetchLeaders(findRanking(categorie, equipe, deps.env), deps)),
  },
};

// ── 3. The sentences ─────────────────────────────────────────────────────────

/** A team's evening: the game being played, or the last one and the next one. Three sentences, four when it is live. */
function sayTonight(tonight: Tonight): string {
  const { game, age } = tonight;
  const parts = game !== null && isPlaying(game, tonight.now) ? sayLive(game, tonight) : sayAround(tonight);
  return speak(parts, age);
}

function sayLive(game: Game, { team, age }: Tonight): string[] {
  // A power play does not outlive an old answer.
  const time = joinParts([sayTimeLeft(game, age !== null), age === null ? sayIce(game) : ""], ", et ");
  return [
    sayStateAndScore(game, team),
    time,
    joinParts([sayShots(game, team), sayNetworks(game)], "; "),
    sayGoals(game, team),
  ];
}

function sayAround({ team, now, game, last, next, over, calendar }: Tonight): string[] {
  // The same weekday behind and ahead: « lundi dernier », « lundi prochain ».
  const twins = last !== null && next !== null && sayDay(last, now) === sayDay(next, now);
  const after = next !== null ? sayNext(next, team, now, over, twins) : sayNoNext(last, team, over, calendar);
  const before = last === null ? "" : sayLast(last, team, now, twins);
  if (game === null && last === null && next === null && calendar)
    return [`${NOTHING_PLANNED}, du côté ${de(team.team)}`];
  if (game === null) return [over ? `la saison est terminée pour ${team.team}` : sayNoGame(team, now), before, after];
  if (!isOn(game)) return [sayCalledOff(game, team, now), before, after];
  if (game.state === "final") return [sayFinal(game, team, now), sayGoals(game, team), after];
  return [sayUpcoming(game, team, now), before];
}

const NOTHING_PLANNED = "aucun match prévu pour l'instant";

/** « Montréal mène 3 à 2 à Toronto », « premier entracte : … », « le match vient de commencer … ». */
function sayStateAndScore(game: Game, team: Team): string {
  const { period, clock } = game;
  const [mine, theirs] = sidesOf(game, team);
  const lead = sayLead(game, team);
  if (clock === null && (period === null || period.number === 1) && game.state === "live") {
    const begun = `le match vient de commencer ${sayBetween(game, team)}`;
    return lead === null || (mine.score === 0 && theirs.score === 0) ? begun : `${begun}, et ${lead}`;
  }
  if (lead === null) {
    const missing =
      game.state === "unknown"
        ? "ni le pointage ni l'état du match ne sont disponibles"
        : "le pointage n'est pas disponible";
    return `${mine.who} joue ${sayOpponent(game, team)}${sayScene(game)}, mais ${missing}`;
  }
  const score = sayScore(game, team, lead);
  if (game.state === "unknown") return `${score}, mais l'état du match est inconnu`;
  if (period === null) return score;
  if (period.type === "SO") return `${score}, et on est en tirs de barrage${sayShootout(game, team)}`;
  if (clock?.intermission && !isDecided(game)) return `${sayIntermission(period)} : ${score}`;
  if (isPeriodOver(game)) return `fin de ${sayPeriod(period, game)} : ${score}`;
  return period.type === "OT" ? `${score}, en ${sayOvertime(period, game)}` : score;
}

/** The score alone, from the asked team's side: « Montréal mène 3 à 2 », « c'est 2 à 2 ». Unknown is not zero. */
function sayLead(game: Game, team: Team): string | null {
  const [mine, theirs] = sidesOf(game, team);
  if (mine.score === null || theirs.score === null) return null;
  if (mine.score === theirs.score) return `c'est ${mine.score === 0 ? "toujours " : ""}${mine.score} à ${mine.score}`;
  const [won, lost] = isDecided(game) ? ["l'emporte", "s'incline"] : ["mène", "tire de l'arrière"];
  return `${mine.who} ${mine.score > theirs.score ? won : lost} ${sayPoints(mine.score, theirs.score)}`;
}

function sayScore(game: Game, team: Team, lead: string): string {
  const [mine, theirs] = sidesOf(game, team);
  const tied = mine.score === theirs.score;
  return `${lead} ${tied ? sayBetween(game, team) : sayOpponent(game, team)}${sayScene(game)}`;
}

/** Always the higher number first: « 3 à 2 ». */
function sayPoints(one: number, other: number): string {
  return `${Math.max(one, other)} à ${Math.min(one, other)}`;
}

/** A final score; a shutout is said in words. */
function sayFinalPoints(one: number, other: number): string {
  return Math.min(one, other) === 0 ? `${Math.max(one, other)} à zéro` : sayPoints(one, other);
}

function sayBetween(game: Game, team: Team): string {
  const [mine, theirs] = sidesOf(game, team);
  return `entre ${mine.who} et ${theirs.who}`;
}

/** « à Toronto » away, « contre Toronto » at home and on neutral ice. */
function sayOpponent(game: Game, team: Team): string {
  const [, theirs] = sidesOf(game, team);
  return isHome(game, team) || game.neutral ? `contre ${theirs.who}` : theirs.at;
}

/** What sets a game apart: neutral ice, preseason. */
function sayScene({ neutral, city, type }: Game): string {
  const ice = neutral ? `, ${city === null ? "" : `à ${city}, `}sur glace neutre` : "";
  return `${ice}${type === PRESEASON ? ", dans un match préparatoire" : ""}`;
}

function sayShootout({ shootout, away, home }: Game, team: Team): string {
  if (shootout === null) return "";
  if (shootout.away === shootout.home) return `, ${shootout.away} à ${shootout.home}`;
  const leader = shootout.away > shootout.home ? away : home;
  return `, ${sayPoints(shootout.away, shootout.home)} pour ${leader.abbrev === team.abbrev ? team.who : leader.who}`;
}

const ORDINALS = ["", "première", "deuxième", "troisième", "quatrième", "cinquième", "sixième", "septième", "huitième"];

function sayOrdinal(number: number): string {
  return ORDINALS[number] ?? `${number}ième`;
}

/** « la troisième », « la prolongation », « la deuxième période de prolongation ». */
function sayPeriod(period: Period, game: Game): string {
  return period.type === "OT" ? `la ${sayOvertime(period, game)}` : `la ${sayOrdinal(period.number)}`;
}

/** Only the playoffs have more than one period of overtime. */
function sayOvertime({ overtime }: Period, { type }: Game): string {
  return type === PLAYOFFS ? `${sayOrdinal(overtime)} période de prolongation` : "prolongation";
}

function sayIntermission({ number, type }: Period): string {
  if (type === "REG" && number < 3) return number === 1 ? "premier entracte" : "deuxième entracte";
  return type === "REG" ? "entracte avant la prolongation" : "entracte";
}

/** « il reste 4 minutes 12 à la troisième »; in an old answer the clock has moved since, and it is not guessed. */
function sayTimeLeft(game: Game, old: boolean): string {
  const { clock, period, state } = game;
  if (state !== "live" || clock === null || clock.left === null || period?.type === "SO" || isDecided(game)) return "";
  if (clock.intermission) return period === null ? "" : sayRestart(period, game, clock.left);
  if (clock.left === 0) return "";
  if (clock.left === FULL_PERIOD && !clock.running && period !== null) return `${sayPeriod(period, game)} va commencer`;
  const during = period === null ? " à la période" : period.type === "OT" ? "" : ` à ${sayPeriod(period, game)}`;
  const verb = old ? `il restait${clock.left < 10 ? "" : " environ"}` : "il reste";
  return `${verb} ${sayDuration(clock.left)}${during}`;
}

/** During an intermission the source's clock counts the intermission down, not the game. */
function sayRestart({ number, type, overtime }: Period, game: Game, left: number): string {
  const minutes = Math.floor(left / 60);
  const delay = minutes === 0 ? "moins d'une minute" : `environ ${minutes === 1 ? "une minute" : `${minutes} minutes`}`;
  if (type === "OT" && game.type !== PLAYOFFS) return `les tirs de barrage commencent dans ${delay}`;
  if (type === "OT") return `la ${sayOrdinal(overtime + 1)} période de prolongation commence dans ${delay}`;
  return `la ${number < 3 ? sayOrdinal(number + 1) : "prolongation"} commence dans ${delay}`;
}

/** « 4 minutes 12 », « 4 minutes et 5 secondes », « une minute », « 58 secondes », « moins de 10 secondes ». */
function sayDuration(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  if (minutes === 0) return rest < 10 ? "moins de 10 secondes" : saySeconds(rest);
  const start = minutes === 1 ? "une minute" : `${minutes} minutes`;
  if (rest === 0) return start;
  return rest < 10 ? `${start} et ${saySeconds(rest)}` : `${start} ${rest}`;
}

/** Power play and empty net, as the ice was at the last event. */
function sayIce(game: Game): string {
  const { ice } = game;
  if (ice === null || isPeriodOver(game) || isDecided(game)) return "";
  const { advantage, pulled, strength } = ice;
  const empty = pulled === null ? "" : `le gardien ${de(pulled.who)} est retiré`;
  if (advantage === null) return `${empty}, à ${strength}`;
  const power = `${advantage.who} ${isPlural(advantage.who) ? "sont" : "est"} en avantage numérique`;
  if (advantage === pulled) return `${power} à ${strength}, gardien retiré`;
  return pulled === null ? `${power} à ${strength}` : `${power} alors que ${empty}`;
}

function sayShots(game: Game, team: Team): string {
  const [mine, theirs] = sidesOf(game, team);
  if (mine.shots === null || theirs.shots === null || mine.shots + theirs.shots === 0) return "";
  if (mine.shots === theirs.shots)
    return mine.shots === 1 ? "un tir de chaque côté" : `tirs : ${mine.shots} de chaque côté`;
  const shots = sayPoints(mine.shots, theirs.shots);
  return mine.shots > theirs.shots
    ? `${mine.who} domine ${shots} au chapitre des tirs`
    : `tirs : ${shots} pour ${theirs.who}`;
}

function sayNetworks({ networks }: Game): string {
  return networks.length === 0 ? "" : `ça passe ${joinList(networks)}`;
}

/** Who scored: with whose help for the asked team, names only for the other. */
function sayGoals(game: Game, team: Team): string {
  const { mine, theirs, doubt } = splitGoals(game, team);
  const named = new Set<string>();
  const caution =
    doubt === "missing" ? "la liste des buteurs est incomplète" : "la liste des buteurs reste à confirmer";
  return joinParts(
    [
      mine.length === 0 ? "" : `pour ${team.who}, ${sayScorers(mine.map((goal) => sayGoal(goal, game, named)))}`,
      theirs.length === 0 ? "" : `pour ${sidesOf(game, team)[1].who}, ${sayTally(theirs)}`,
      doubt === null || mine.length + theirs.length === 0 ? "" : caution,
    ],
    "; ",
  );
}

/** « but de Suzuki », « buts de Suzuki, sans aide; et de Caufield ». */
function sayScorers(scorers: string[]): string {
  if (scorers.length === 1) return `but ${scorers[0]}`;
  return `buts ${scorers.slice(0, -1).join("; ")}; et ${scorers.at(-1)}`;
}

/** First name and name the first time, « encore » and the name alone after. */
function sayGoal(goal: Goal, game: Game, named: Set<string>): string {
  const { scorer } = goal;
  const name = sayFullName(scorer);
  const again = scorer !== null && named.has(name);
  named.add(name);
  return `${again ? `encore ${de(scorer.last)}` : de(name)}${sayHow(goal, game)}`;
}

/** « but de Suzuki », « buts de Suzuki et de Caufield », « deux buts de Matthews et un de Nylander ». */
function sayTally(goals: Goal[]): string {
  const counts = new Map<string, number>();
  for (const { scorer } of goals) counts.set(sayFullName(scorer), (counts.get(sayFullName(scorer)) ?? 0) + 1);
  const [[name, most], ...others] = [...counts].toSorted(([, one], [, other]) => other - one);
  if (most === 1)
    return `${others.length === 0 ? "but" : "buts"} ${joinList([name, ...others.map(([one]) => one)].map(de))}`;
  const rest = others.map(([one, count]) => `${sayCount(count)} ${de(one)}`);
  return joinList([`${sayCount(most)} buts ${name === UNNAMED ? "de joueurs à confirmer" : de(name)}`, ...rest]);
}

function sayCount(count: number): string {
  return ["", "un", "deux", "trois", "quatre", "cinq"][count] ?? `${count}`;
}

function sayHow({ strength, modifier, helpers, period, elapsed }: Goal, game: Game): string {
  const how = [
    strength === "pp" ? "en avantage numérique" : strength === "sh" ? "en désavantage numérique" : "",
    modifier.includes("empty-net") ? "dans un filet désert" : "",
    modifier === "penalty-shot" ? "sur un tir de punition" : "",
    modifier.startsWith("own-goal") ? "l'adversaire ayant marqué dans son propre filet" : "",
    modifier.startsWith("awarded") ? "accordé par les arbitres" : "",
    period?.type === "OT" ? sayOvertimeMoment(elapsed, sayOvertime(period, game)) : "",
    helpers !== null && helpers.length > 0 ? `aidé ${de(joinList(helpers))}` : "",
    helpers?.length === 0 && modifier === "none" ? "sans aide" : "",
  ];
  return how.map((part) => (part === "" ? "" : `, ${part}`)).join("");
}

function sayOvertimeMoment(elapsed: number | null, overtime: string): string {
  if (elapsed === null) return `en ${overtime}`;
  // « à 7 secondes de la prolongation » would be before it.
  return elapsed < 60 ? `après ${saySeconds(elapsed)} en ${overtime}` : `à ${sayDuration(elapsed)} de la ${overtime}`;
}

const UNNAMED = "un joueur à confirmer";

function sayFullName(skater: Skater | null): string {
  return skater === null ? UNNAMED : joinParts([skater.first ?? "", skater.last], " ");
}

/** The end of a game: « l'emporte » while it is news, « l'a emporté » with its moment later. */
function sayFinal(game: Game, team: Team, now: number): string {
  const [mine, theirs] = sidesOf(game, team);
  if (mine.score === null || theirs.score === null) {
    return `le match ${de(team.team)} ${sayOpponent(game, team)} est terminé, mais le pointage n'est pas disponible`;
  }
  if (mine.score === theirs.score)
    return `c'est fini, ${sayPoints(mine.score, theirs.score)} ${sayBetween(game, team)}`;
  const fresh = game.start === null || now - game.start < FRESH_MS;
  const won = mine.score > theirs.score;
  const verb = won ? (fresh ? "l'emporte" : "l'a emporté") : fresh ? "s'incline" : "s'est incliné";
  const against = `${won ? "sur" : "contre"} ${theirs.who}${sayEnding(game)}${sayScene(game)}`;
  const result = `${mine.who} ${verb} ${sayFinalPoints(mine.score, theirs.score)} ${against}`;
  const series = saySeries(game, team, fresh);
  if (!fresh) return joinParts([`${result}, ${sayDay(game, now)}`, series], "; ");
  return `c'est fini : ${joinParts([result, series.replace(`${mine.who} `, "")], " et ")}`;
}

function sayEnding({ decidedIn }: Game): string {
  return decidedIn === "SO" ? ", en tirs de barrage" : decidedIn === "OT" ? ", en prolongation" : "";
}

/** A playoff game's series once the game is over: the source's wins include it. */
function saySeries(game: Game, team: Team, fresh: boolean): string {
  const wins = seriesWins(game, team);
  if (wins === null) return "";
  const { mine, theirs, needed, final } = wins;
  const points = sayFinalPoints(mine, theirs);
  if (mine === theirs) return `la série est égale ${mine} à ${theirs}`;
  if (theirs === needed)
    return `${team.who} ${fresh ? "perd" : "a perdu"} ${final ? "la finale" : "la série"} ${points}`;
  if (mine === needed && theirs === 0 && !final)
    return `${team.who} ${fresh ? "balaie" : "a balayé"} la série en ${mine}`;
  if (mine === needed) {
    return `${team.who} ${fresh ? "remporte" : "a remporté"} ${final ? "la Coupe Stanley" : `la série ${points}`}`;
  }
  return mine > theirs
    ? `${team.who} mène la série ${points}`
    : `${team.who} tire de l'arrière ${points} dans la série`;
}

function sayLast(game: Game, team: Team, now: number, twin: boolean): string {
  const [mine, theirs] = sidesOf(game, team);
  const label = game.type === PRESEASON ? "dernier match préparatoire" : "dernier match";
  const opponent = `${sayOpponent(game, team)}${sayEnding(game)}${sayScene({ ...game, type: REGULAR })}`;
  const day = `${sayDay(game, now)}${twin ? " dernier" : ""}`;
  if (mine.score === null || theirs.score === null) {
    return `${label} : ${opponent}, ${day}, mais le pointage n'est pas disponible`;
  }
  const result = mine.score === theirs.score ? "verdict nul" : mine.score > theirs.score ? "victoire" : "défaite";
  const goals = splitGoals(game, team);
  return joinParts(
    [
      `${label} : ${result} de ${sayFinalPoints(mine.score, theirs.score)} ${opponent}, ${day}`,
      saySeries(game, team, false),
      goals.mine.length === 0 ? "" : `pour ${mine.who}, ${sayTally(goals.mine)}`,
      goals.theirs.length === 0 ? "" : `pour ${theirs.who}, ${sayTally(goals.theirs)}`,
    ],
    "; ",
  );
}

function sayNext(game: Game, team: Team, now: number, over: boolean, twin: boolean): string {
  const label = `${over && game.type === PRESEASON ? "premier" : "prochain"} match${game.type === PRESEASON ? " préparatoire" : ""}`;
  const place = `${sayOpponent(game, team)}${sayScene({ ...game, type: REGULAR })}`;
  const home = isHome(game, team) && !game.neutral ? `, ${team.at}` : "";
  const moment = sayMoment(game, team, now, { place, home, after: twin ? " prochain" : "" });
  return joinParts([`${label} : ${moment}${saySeriesGame(game)}`, sayNetworks(game)], "; ");
}

function saySeriesGame({ series }: Game): string {
  return series === null || series.game === null ? "" : `, match numéro ${series.game} de la série`;
}

function sayNoNext(last: Game | null, team: Team, over: boolean, calendar: boolean): string {
  if (!calendar)
    return "le calendrier ne répond pas pour l'instant, alors je ne peux pas dire quand sera le prochain match";
  const wins = last === null ? null : seriesWins(last, team);
  if (over || wins === null || wins.mine < wins.needed) return NOTHING_PLANNED;
  return `${team.team} ${isPlural(team.team) ? "attendent leur" : "attend son"} prochain adversaire`;
}

function sayNoGame(team: Team, now: number): string {
  const day = localTime(now, HOME_ZONE).hour < EVENING ? "aujourd'hui" : "ce soir";
  return `${team.team} ${isPlural(team.team) ? "ne jouent" : "ne joue"} pas ${day}`;
}

function sayUpcoming(game: Game, team: Team, now: number): string {
  const { start, status, state, neutral } = game;
  const match = `le match ${de(team.team)} ${sayOpponent(game, team)}`;
  if (start !== null && status === "ok" && now - start > LATE_MS) {
    return `${match} devait commencer à ${sayClock(start, HOME_ZONE)}, mais la mise au jeu n'a pas encore eu lieu`;
  }
  const scene = `${sayScene(game)}${saySeriesGame(game)}`;
  if (start !== null && status === "ok" && now > start) {
    return joinParts([`${match} est sur le point de commencer${scene}`, sayNetworks(game)], "; ");
  }
  const [, theirs] = sidesOf(game, team);
  const plural = isPlural(team.team);
  const plays = `${plural ? "jouent" : "joue"} ${sayOpponent(game, team)}`;
  const action = isHome(game, team) && !neutral ? `${plural ? "reçoivent" : "reçoit"} ${theirs.who}` : plays;
  const warmup = state === "warmup" ? "c'est l'échauffement : " : "";
  return joinParts([`${warmup}${team.team} ${action} ${sayMoment(game, team, now)}${scene}`, sayNetworks(game)], "; ");
}

/** Postponed, cancelled or suspended: never a score, unless some of the game was played. */
function sayCalledOff(game: Game, team: Team, now: number): string {
  const match = `le match ${de(team.team)} ${sayOpponent(game, team)}, prévu ${sayDay(game, now)},`;
  if (game.status === "postponed") return `${match} est remis à plus tard; la nouvelle date n'est pas connue`;
  if (game.status === "cancelled") return `${match} est annulé`;
  const played = game.state !== "scheduled" && game.state !== "warmup";
  return joinParts(
    [`${match} est suspendu`, played ? (sayLead(game, team) ?? "") : "", "la date de la reprise n'est pas connue"],
    "; ",
  );
}

/**
 * Day and hour to come: « ce soir à 19 heures », « jeudi à 19 heures, contre Boston, à Montréal ». In another zone than
 * the asker's, both hours, after the opponent: « jeudi, contre Boston, à 22 heures, heure du Québec, soit 19 heures à
 * Vancouver ».
 */
function sayMoment(
  game: Game,
  team: Team,
  now: number,
  { place, home, after } = { place: "", home: "", after: "" },
): string {
  const { start, status, neutral, offset } = game;
  if (start === null || status === "undecided") {
    return joinParts(
      [`${sayDay({ ...game, start: null }, now)}${after}`, `${place}${home}`, "heure à déterminer"],
      ", ",
    );
  }
  const day = `${sayDay(game, now)}${after}`;
  const hour = sayClock(start, HOME_ZONE);
  const there = neutral && offset !== null ? sayClock(start + offset * MINUTE, "UTC") : sayClock(start, team.zone);
  if (there === hour) return joinParts([`${day} à ${hour}`, `${place}${home}`], ", ");
  return joinParts([day, place, `à ${hour}, heure du Québec, soit ${there} ${neutral ? "sur place" : team.at}`], ", ");
}

/** The day of a game, seen from now: « ce soir », « hier soir », « demain », « mercredi », « le samedi 14 novembre ». */
function sayDay({ start, day: eastern }: Pick<Game, "start" | "day">, now: number): string {
  const today = localTime(now, HOME_ZONE).day;
  const { day, hour } = start === null ? { day: eastern, hour: null } : localTime(start, HOME_ZONE);
  const distance = daysBetween(today, day);
  if (distance === 0) return hour === null ? "aujourd'hui" : sayPartOfDay(hour);
  if (distance === 1) return "demain";
  if (distance === -1) return hour !== null && hour >= EVENING ? "hier soir" : "hier";
  return Math.abs(distance) < 7 ? WEEKDAYS[weekdayOf(day)] : sayDate(day, today);
}

function sayPartOfDay(hour: number): string {
  // « cet après-midi à midi » and « ce matin à minuit » are nobody's words.
  if (hour === 0 || hour === 12) return "aujourd'hui";
  if (hour < 12) return "ce matin";
  return hour < EVENING ? "cet après-midi" : "ce soir";
}

function isPlural(name: string): boolean {
  return name.startsWith("les ");
}

/** Every game of a night, one sentence each, after how many there are. */
function sayEvening(evening: Evening): string {
  const { games, lost, partial, now, age } = evening;
  const total = games.length + lost;
  if (total === 0) return speak(sayNoGames(evening), age);
  // Said once for all of them in September.
  const preseason = games.every(({ type }) => type === PRESEASON);
  const said = games.map((game) => sayLeagueGame(preseason ? { ...game, type: REGULAR } : game, now));
  const matches = preseason ? " préparatoire" : "";
  const count =
    total === 1 ? `un seul match${matches}` : `${sayNumber(total)} matchs${matches === "" ? "" : `${matches}s`}`;
  return speak(
    [`${count} ${sayNight(evening)}`, ...said, sayLost(lost), partial ? "la liste est incomplète" : ""],
    age,
  );
}

const NUMBERS = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize".split(
  " ",
);

/** In letters: it may open a sentence, and a league of 32 clubs has no more than sixteen games a night. */
function sayNumber(number: number): string {
  return NUMBERS[number] ?? `un total de ${number}`;
}

function sayLost(lost: number): string {
  if (lost === 0) return "";
  return lost === 1
    ? "un match était alors en cours ou sur le point de commencer, et j'ignore où il en est"
    : `${sayNumber(lost)} matchs étaient alors en cours ou sur le point de commencer, et j'ignore où ils en sont`;
}

function sayNoGames({ day, now, previous, next }: Evening): string[] {
  const none = `aucun match ${sayLeagueDay(day, now)} dans la Ligue nationale`;
  if (day >= nightOf(now)) {
    return [none, next === null ? NOTHING_AFTER : `la prochaine soirée de hockey est ${sayLeagueDay(next, now)}`];
  }
  const around = [previous, next].filter((one) => one !== null).map((one) => sayLeagueDay(one, now));
  if (around.length === 0) return [none];
  return [
    none,
    `${around.length === 1 ? "la soirée la plus proche est" : "les soirées les plus proches sont"} ${joinList(around)}`,
  ];
}

const NOTHING_AFTER = "la prochaine soirée de hockey n'est pas encore connue";

/** « ce soir », or « aujourd'hui » when some of it is played in the afternoon; « hier soir »; « samedi dernier ». */
function sayNight({ day, now, games }: Evening): string {
  const evening = games.every(({ start }) => start === null || !isAfternoon(start));
  // Past midnight, « aujourd'hui » is another day.
  if (day === nightOf(now)) return evening || localTime(now, HOME_ZONE).day !== day ? "ce soir" : "aujourd'hui";
  const said = sayLeagueDay(day, now);
  return said === "hier" && evening ? "hier soir" : said;
}

function isAfternoon(start: number): boolean {
  const { hour } = localTime(start, HOME_ZONE);
  return hour >= NIGHT_END && hour < EVENING;
}

/** A date of the league, seen from the hockey night under way, which goes on past midnight. */
function sayLeagueDay(day: string, now: number): string {
  const night = nightOf(now);
  const { day: today, hour } = localTime(now, HOME_ZONE);
  const distance = daysBetween(night, day);
  if (distance === 0) return today !== night || hour >= EVENING ? "ce soir" : "aujourd'hui";
  // At one in the morning « hier » and « demain » have two meanings each: the weekday has one.
  if (today !== night && Math.abs(distance) === 1)
    return `${WEEKDAYS[weekdayOf(day)]}${distance < 0 ? " dernier" : ""}`;
  if (distance < -1 && distance > -7) return `${WEEKDAYS[weekdayOf(day)]} dernier`;
  return sayDay({ start: null, day }, now);
}

/** « Montréal mène 3 à 2 à Toronto, en troisième »: who leads is named first, and « à » says who receives. */
function sayLeagueGame(game: Game, now: number): string {
  const { away, status, state } = game;
  const scene = sayScene(game);
  const match = `match ${de(away.who)} ${sayOpponent(game, asTeam(away))}${scene}`;
  if (status === "postponed") return `le ${match} est remis à plus tard`;
  if (status === "cancelled") return `le ${match} est annulé`;
  if (status === "suspended") {
    const played = state !== "scheduled" && state !== "warmup";
    return joinParts([`le ${match} est suspendu`, played ? sayLeagueLead(game) : ""], "; ");
  }
  if (state === "final" || isDecided(game)) return sayLeagueResult(game, match, now);
  if (isPlaying(game, now) && isNear(game, now)) return sayLeagueLive(game, match);
  if (game.day < nightOf(now)) return `le résultat du ${match} n'est pas disponible`;
  return sayLeagueUpcoming(game, match, now);
}

/** A side as the sentences want a team: they look at its name and at who receives. */
function asTeam(side: Side): Team {
  return { ...side, zone: HOME_ZONE };
}

/** Two clubs have a plural name: « Toronto mène », « les Rangers mènent ». */
function conjugate({ who }: Club, singular: string, plural: string): string {
  return `${who} ${isPlural(who) ? plural : singular}`;
}

function leaderOf({ away, home }: Game): Side {
  return (home.score ?? 0) > (away.score ?? 0) ? home : away;
}

/** The score from the leader's side, or « c'est 3 à 3 »; « » when it isn't known. */
function sayLeagueLead(game: Game): string {
  const { away, home } = game;
  if (away.score === null || home.score === null) return "";
  if (away.score === home.score) return sayLead(game, asTeam(away)) ?? "";
  return `${conjugate(leaderOf(game), "mène", "mènent")} ${sayPoints(away.score, home.score)}`;
}

function sayLeagueLive(game: Game, match: string): string {
  const { away, period, clock, state } = game;
  const scene = sayScene(game);
  const lead = sayLeagueLead(game);
  if (state === "live" && clock === null && (period === null || period.number === 1) && !leaderOf(game).score) {
    return `le ${match} vient de commencer`;
  }
  if (lead === "") {
    const plays = `${conjugate(away, "joue", "jouent")} ${sayOpponent(game, asTeam(away))}${scene}`;
    const missing = "ni le pointage ni l'état du match ne sont disponibles";
    return `${plays}, mais ${state === "unknown" ? missing : "le pointage n'est pas disponible"}`;
  }
  const tied = game.away.score === game.home.score;
  const against = tied ? sayBetween(game, asTeam(away)) : sayOpponent(game, asTeam(leaderOf(game)));
  const moment = state === "unknown" ? "mais l'état du match est inconnu" : sayPhase(game);
  return joinParts([`${lead} ${against}${scene}`, moment], ", ");
}

/** « en troisième », « au premier entracte », « à la fin de la deuxième », « en prolongation ». */
function sayPhase(game: Game): string {
  const { period, clock } = game;
  if (period === null) return "";
  if (period.type === "SO") return "en tirs de barrage";
  if (clock?.intermission) {
    const pause = sayIntermission(period);
    return `${pause.startsWith("entracte") ? "à l'" : "au "}${pause}`;
  }
  if (isPeriodOver(game)) return `à la fin de ${sayPeriod(period, game)}`;
  return `en ${period.type === "OT" ? sayOvertime(period, game) : sayOrdinal(period.number)}`;
}

/** « l'emporte » in the night itself, « l'a emporté » from the next morning on. */
function sayLeagueResult(game: Game, match: string, now: number): string {
  const { away, home, period, neutral } = game;
  if (away.score === null || home.score === null)
    return `le ${match} est terminé, mais le pointage n'est pas disponible`;
  if (away.score === home.score) return `le ${match} est terminé, ${sayPoints(away.score, home.score)}`;
  const winner = leaderOf(game);
  const fresh = game.day === nightOf(now);
  const won = fresh ? conjugate(winner, "l'emporte", "l'emportent") : conjugate(winner, "l'a emporté", "l'ont emporté");
  const against = winner === home || neutral ? `sur ${(winner === home ? away : home).who}` : home.at;
  const ending = sayEnding({ ...game, decidedIn: game.decidedIn ?? period?.type ?? null });
  const result = `${won} ${sayFinalPoints(away.score, home.score)} ${against}${ending}${sayScene(game)}`;
  return `${result}${game.state === "final" ? saySeriesScore(game, fresh) : ""}`;
}

/** « ; Montréal mène la série 3 à 2 », or « , et remporte la série 4 à 2 » of the winner who was just named. */
function saySeriesScore(game: Game, fresh: boolean): string {
  const wins = seriesWins(game, asTeam(game.home));
  if (wins === null) return "";
  const { mine, theirs, needed, final } = wins;
  // Another game of the series may have been played since.
  if (mine === theirs) return `; la série ${fresh ? "est" : "était alors"} égale ${mine} à ${theirs}`;
  const leader = mine > theirs ? game.home : game.away;
  const points = sayFinalPoints(mine, theirs);
  if (Math.max(mine, theirs) < needed) {
    const leads = fresh ? conjugate(leader, "mène", "mènent") : conjugate(leader, "menait alors", "menaient alors");
    return `; ${leads} la série ${points}`;
  }
  const won = fresh ? conjugate(leader, "remporte", "remportent") : conjugate(leader, "a remporté", "ont remporté");
  const prize = final ? "la Coupe Stanley" : `la série ${points}`;
  return leader === leaderOf(game) ? `, et ${won.replace(`${leader.who} `, "")} ${prize}` : `; ${won} ${prize}`;
}

function sayLeagueUpcoming(game: Game, match: string, now: number): string {
  const { away, start, status } = game;
  const plays = `${conjugate(away, "joue", "jouent")} ${sayOpponent(game, asTeam(away))}`;
  if (start === null || status === "undecided") return `${plays}${sayScene(game)}, heure à déterminer`;
  const hour = sayClock(start, HOME_ZONE);
  if (now - start > LATE_MS) return `le ${match} devait commencer à ${hour}, mais il n'est pas encore commencé`;
  if (now > start) return `le ${match} est sur le point de commencer`;
  return `${plays} à ${hour}${sayScene(game)}`;
}

/** The next games of a team, one sentence each, after how many there are. */
function saySchedule(schedule: Schedule): string {
  const { team, games, asked, last, whole, age } = schedule;
  const count = games.filter(isOn).length;
  if (games.length === 0) return speak(sayNothingAhead(schedule), age);
  // Said once for all of them in summer.
  const preseason = games.every(({ type }) => type === PRESEASON);
  const said = games.map((game) => sayAhead(preseason ? { ...game, type: REGULAR } : game, schedule));
  const label = preseason ? " préparatoire" : "";
  const short = count < asked && whole ? `, ${count === 1 ? "le seul" : "les seuls"} au calendrier pour l'instant` : "";
  const missing = count > 0 && count < asked && !whole ? "la suite du calendrier ne répond pas pour l'instant" : "";
  // The game that was asked for goes before those that won't be played.
  if (count === 1 && (asked === 1 || games.length > 1)) {
    const answer = games.findIndex(isOn);
    const others = said.filter((_, index) => index !== answer);
    return speak([`prochain match${label} ${de(team.team)}${short} : ${said[answer]}`, ...others, missing], age);
  }
  const head =
    count === 1 ? `le prochain match${label}` : `les ${sayNumber(count)} prochains matchs${label && `${label}s`}`;
  const opening = count === 0 ? sayNoNext(last, team, false, whole) : `${head} ${de(team.team)}${short}`;
  return speak([opening, ...said, missing], age);
}

function sayNothingAhead({ team, last, now, whole }: Schedule): string[] {
  const over = isSeasonOver(null, last, null, team, now);
  const nothing = sayNoNext(last, team, over, whole);
  if (over) return [`la saison est terminée pour ${team.team}`, nothing];
  if (!whole) return [`${nothing} ${de(team.team)}`];
  return [nothing.includes(team.team) ? nothing : `${nothing}, du côté ${de(team.team)}`];
}

/** One game ahead: « lundi à 19 heures, contre Boston, à Montréal; ça passe à RDS ». */
function sayAhead(game: Game, { team, now, spare }: Schedule): string {
  if (!isOn(game)) return sayCalledOff(game, team, now);
  const { start, status } = game;
  const opponent = sayOpponent(game, team);
  const home = isHome(game, team) && !game.neutral ? `, ${team.at}` : "";
  const place = `${opponent}${home}${sayScene(game)}`;
  const series = `${saySeriesGame(game)}${spare.includes(game.id) ? ", si nécessaire" : ""}`;
  if (start !== null && status === "ok" && now >= start) {
    const soon =
      now - start > LATE_MS
        ? `la mise au jeu était prévue à ${sayClock(start, HOME_ZONE)}, mais elle n'a pas encore eu lieu`
        : "le match est sur le point de commencer";
    return joinParts([`${sayDay(game, now)}, ${place}${series}`, soon, sayNetworks(game)], "; ");
  }
  const hours = sayHoursThere(game, team);
  const moment =
    hours === "" || start === null
      ? sayMoment(game, { ...team, zone: HOME_ZONE }, now, { place, home: "", after: "" })
      : `${sayDay(game, now)}, ${opponent}${sayScene(game)}, à ${sayClock(start, HOME_ZONE)}, heure du Québec, soit ${hours}`;
  return joinParts([`${moment}${series}`, sayNetworks(game)], "; ");
}

/** The hour at the rink, then at the team's home, each when it isn't the hour already said. */
function sayHoursThere(game: Game, team: Team): string {
  const { start, status, offset, neutral } = game;
  if (start === null || status === "undecided") return "";
  const home = isHome(game, team) && !neutral;
  if (home && team.zone === HOME_ZONE) return "";
  const hour = sayClock(start, HOME_ZONE);
  const own = sayClock(start, team.zone);
  // The source gives the offset of that very day: zone tables disagree on the West.
  const local = offset === null ? null : start + offset * MINUTE;
  const there = local === null ? (home ? own : hour) : sayClock(local, "UTC");
  const next = local !== null && localTime(local, "UTC").day > localTime(start, HOME_ZONE).day ? " le lendemain" : "";
  const hours = [
    there === hour && next === "" ? "" : `${there}${next} ${home ? team.at : "sur place"}`,
    home || own === hour || own === there ? "" : `${own} ${team.at}`,
  ];
  return joinParts(hours, " et ");
}

/** Where a team stands, or the top of a group. Three sentences at most; one more for the two conferences at once. */
function sayStandings(standings: Standings): string {
  const { table, group, age } = standings;
  if (table.rows.every(({ games }) => games === 0))
    return speak(["la saison n'est pas commencée : toutes les équipes de la ligue sont à zéro au classement"], age);
  return speak(group === null ? sayTeamStanding(standings) : sayGroupStanding(standings, group), age);
}

function sayTeamStanding(standings: Standings): string[] {
  const { team, row, table, past, lag, now } = standings;
  const plural = isPlural(team.team);
  if (row.games === 0 && past === null) {
    const first = `le premier match de la saison ${de(team.team)} n'est pas encore compté au classement`;
    return [
      lag === null || lag.game === null
        ? `${team.team} ${plural ? "n'ont" : "n'a"} pas encore joué cette saison; ${plural ? "leur" : "son"} rang viendra avec ${plural ? "leur" : "son"} premier match`
        : first,
    ];
  }
  const tonight = lag?.game?.day === localTime(now, HOME_ZONE).day;
  const without = lag?.sure ? (tonight ? "avant" : "sans compter") : "peut-être sans compter";
  const before = lag === null ? "" : `${without} ${sayMatchOf(lag.game, now)}, `;
  const ranks = [
    [row.divisionRank, table.sections.has(row.division ?? "") ? de(SECTIONS[row.division ?? ""]) : "de sa section"],
    [
      row.conferenceRank,
      CONFERENCES[row.conference ?? ""] === undefined ? null : de(CONFERENCES[row.conference ?? ""]),
    ],
  ] as const;
  const said = ranks.flatMap(([rank, name]) => (rank === null || name === null ? [] : [{ rank, name }]));
  const places = joinList(
    said.map(({ rank, name }, index) => `${sayThe(past)} ${sayRank(rank)}${index === 0 ? " rang" : ""} ${name}`),
  );
  return [
    `${sayPast(past)}${before}${sayPlace(row, team.team, places, past)}`,
    sayRecord(row, plural),
    sayRace(row, table, plural ? "ils" : "il", past),
  ];
}

/** « le Canadien occupe le troisième rang …, avec 26 points en 22 matchs »; what is missing is left out. */
function sayPlace(row: Standing, subject: string, places: string, past: Standings["past"]): string {
  const plural = isPlural(subject);
  const idle = row.games === 0 && !row.points;
  const points = row.points === null ? "" : sayPointsOf(row.points);
  const figures = points && `${points}${row.games ? ` en ${sayMany(row.games, "match")}` : ""}`;
  if (places === "" && idle) return `${subject} ${plural ? "n'ont" : "n'a"} pas encore joué`;
  if (places === "" && figures === "") return `le rang et les points ${de(subject)} ne sont pas disponibles`;
  const [has, have] = row.points === 0 ? ["n'a", "n'ont"] : ["a", "ont"];
  if (places === "") return `${subject} ${plural ? have : has} ${figures}`;
  const verb = past === null ? (plural ? "occupent" : "occupe") : plural ? "ont terminé" : "a terminé";
  const haul = idle ? "sans avoir encore joué" : row.points === 0 ? `sans ${figures}` : figures && `avec ${figures}`;
  return joinParts([`${subject} ${verb} ${places}`, haul], ", ");
}

/** « un point », « 26 points ». */
function sayPointsOf(points: number): string {
  return points === 0 ? "aucun point" : points === 1 ? "un point" : `${points} points`;
}

/** « le match de ce soir », « le match d'hier soir ». */
function sayMatchOf(game: Game | null, now: number): string {
  if (game === null) return "un match de ce soir";
  const day = sayDay(game, now);
  return `le match ${day.startsWith("h") ? `d'${day}` : de(day)}`;
}

/** « occupe le deuxième rang », « a terminé au deuxième rang » */
function sayThe(past: Standings["past"]): string {
  return past === null ? "le" : "au";
}

function sayPast(past: Standings["past"]): string {
  return past === null ? "" : `au ${sayTable(past)}, `;
}

function sayTable(past: Standings["past"]): string {
  return past === null ? "classement" : `classement final de la saison${past === "year" ? " dernière" : ""}`;
}

/** « sa fiche : 12 victoires, 8 défaites et 2 en prolongation ou en tirs de barrage » */
function sayRecord({ wins, losses, overtime }: Standing, plural: boolean): string {
  if (wins === null || losses === null) return "";
  const label = `${plural ? "leur" : "sa"} fiche : ${sayMany(wins, "victoire")}`;
  if (overtime === null) return `${label} et ${sayMany(losses, "défaite")}`;
  const extra = overtime === 0 ? "aucune" : sayFeminine(overtime);
  return `${label}, ${sayMany(losses, "défaite")} et ${extra} en prolongation ou en tirs de barrage`;
}

/** A team and the playoffs: what is settled, else how far from the line. `subject` is « il » or a name. */
function sayRace(row: Standing, table: Table, subject: string, past: Standings["past"]): string {
  const plural = subject === "ils" || isPlural(subject);
  const be = `${subject} ${plural ? "sont" : "est"}`;
  const have = `${subject} ${plural ? "ont" : "a"}`;
  const s = plural ? "s" : "";
  const section = SECTIONS[row.division ?? ""];
  const conference = CONFERENCES[row.conference ?? ""];
  if (row.clinch === "p")
    return `${have} ${past === null ? "déjà " : ""}gagné le trophée des Présidents, celui de la meilleure équipe de la saison`;
  const cut = cutOf(row, table);
  if (past !== null) {
    if (row.clinch === "e" || (row.clinch === null && cut?.inside === false)) {
      if (cut === null || cut.inside || cut.gap === null) return `${have} raté les séries`;
      const missed = cut.gap === 0 ? `, à égalité de points avec ${cut.rival.who}` : ` par ${sayPointsOf(cut.gap)}`;
      return `${have} raté les séries${missed}`;
    }
    return row.clinch !== null || cut?.inside
      ? `${subject} ${plural ? "se sont qualifiés" : "s'est qualifié"} pour les séries`
      : "";
  }
  if (row.clinch === "z") return `${be} assuré${s} du premier rang ${de(conference ?? "son association")}`;
  if (row.clinch === "y")
    return `${be} assuré${s} du premier rang ${de(table.sections.has(row.division ?? "") ? section : "sa section")}`;
  if (row.clinch === "x") return `${be} assuré${s} d'une place en séries`;
  if (row.clinch === "e") return `${be} éliminé${s} de la course aux séries`;
  if (cut === null) return "";
  const { rival, gap, holds } = cut;
  if (!cut.inside) {
    if (gap !== null && row.games !== null && gap > 2 * Math.max(0, SEASON_GAMES - row.games))
      return `${be} éliminé${s} de la course aux séries, à ${sayPointsOf(gap)} ${de(rival.who)}`;
    const distance =
      gap === null
        ? ""
        : gap === 0
          ? `, à égalité de points avec ${rival.who}, qui `
          : `, à ${sayPointsOf(gap)} ${de(rival.who)}, qui `;
    if (distance === "") return `${be} exclu${s} des séries pour l'instant`;
    const holder = isPlural(rival.who) ? ["sont au", "détiennent la"] : ["est au", "détient la"];
    const place =
      holds === "division" ? `${holder[0]} troisième rang de la section` : `${holder[1]} deuxième place de repêchage`;
    return `${be} exclu${s} des séries pour l'instant${distance}${place}`;
  }
  const wild = row.wildcardRank ?? 0;
  const where = conference === undefined ? "" : ` ${sayInConference(row.conference ?? "")}`;
  const place =
    wild === 0
      ? `${be} en position de faire les séries`
      : `${subject} ${plural ? "détiennent" : "détient"} la ${wild === 1 ? "première" : "deuxième"} place de repêchage${where}`;
  if (gap === null) return place;
  const rank = holds === "division" ? "quatrième de la section" : "première équipe exclue";
  if (gap === 0) return `${place}, à égalité de points avec ${rival.who}, ${rank}`;
  return `${place}, avec ${sayPointsOf(gap)} d'avance sur ${rival.who}, ${rank}`;
}

function sayGroupStanding(standings: Standings, group: Group): string[] {
  const { table, lag, past, now } = standings;
  const parts =
    group.kind === "wildcard"
      ? sayWildCards(standings, group.of)
      : group.kind === "playoffs"
        ? sayQualified(standings, group.of)
        : sayTop(standings, group);
  const late =
    lag === null
      ? ""
      : `certains matchs ${sayMatchOf(lag.game, now).replace(/^(?:le|un) match /, "")} ne sont ${lag.sure ? "" : "peut-être "}pas encore comptés`;
  const [first, ...rest] = parts;
  const which = first.startsWith("le classement") ? "" : sayPast(past);
  return table.rows.length === 0 ? [] : [`${which}${first}`, ...rest, late];
}

/** « dans la section Atlantique, Boston mène avec 21 points, devant Tampa Bay, 16; et la Floride, 15 » */
function sayTop(standings: Standings, group: Group): string[] {
  const { team, named, row, table, past } = standings;
  const name = sayGroupName(group, team);
  const rows = rowsOf(group, table);
  if (rows.length === 0) return [`le ${sayTable(past)} ne donne pas ${name}`];
  const [first, ...others] = rows.slice(0, TOP_COUNT);
  const plural = isPlural(first.who);
  const verb = past === null ? (plural ? "mènent" : "mène") : plural ? "ont terminé en tête" : "a terminé en tête";
  const points = first.points === null || first.points === 0 ? "" : ` avec ${sayPointsOf(first.points)}`;
  const behind = others.length === 0 ? "" : `, devant ${sayWithPoints(others)}`;
  const place = rows.indexOf(row) < TOP_COUNT ? "" : sayPlace(row, team.team, sayGroupRank(row, group, past), past);
  const outside = `${team.team} ${isPlural(team.team) ? "n'en font" : "n'en fait"} pas partie`;
  const away = named && !rows.includes(row) ? outside : "";
  if (rows.every((one) => one.points === 0)) return [`dans ${name}, toutes les équipes sont à zéro`, away];
  return [`dans ${name}, ${first.who} ${verb}${points}${behind}`, rows.includes(row) ? place : away];
}

function sayGroupRank(row: Standing, { kind }: Group, past: Standings["past"]): string {
  const rank = kind === "division" ? row.divisionRank : kind === "conference" ? row.conferenceRank : row.leagueRank;
  return rank === null ? "" : `${sayThe(past)} ${sayRank(rank)} rang`;
}

/** « Tampa Bay, 16; la Floride, 15; et Detroit, 15 » */
function sayWithPoints(rows: Standing[]): string {
  const said = rows.map(({ who, points }) => (points === null ? who : `${who}, ${points}`));
  return said.length < 2 ? said.join("") : `${said.slice(0, -1).join("; ")}; et ${said.at(-1)}`;
}

/** Who holds the wild cards and who follows; of both conferences, only the first one left out. */
function sayWildCards({ team, row, table, past, named }: Standings, of: string | null): string[] {
  const conferences = Object.keys(CONFERENCES).filter((key) => of === null || key === of);
  const races = conferences.map((conference) => ({ conference, rows: wildRace(conference, table) }));
  if (!table.wildcard || races.some(({ rows }) => rows.length === 0))
    return [
      `le ${sayTable(past)} ne donne pas ${past === null ? "de places de repêchage pour l'instant" : "les places de repêchage"}`,
    ];
  const heard = races.flatMap(({ rows }) => rows.slice(0, of === null ? WILD_CARDS + 1 : TOP_COUNT));
  const parts = races.map(({ conference, rows }) => {
    const holders = rows
      .slice(0, WILD_CARDS)
      .map(({ who, points }) => (points === null ? who : `${who}, ${sayPointsOf(points)}`));
    const others = rows.slice(WILD_CARDS, of === null ? WILD_CARDS + 1 : TOP_COUNT);
    const [are, follow] = past === null ? ["sont", "suivent"] : ["étaient", "suivaient"];
    const verb = others.length === 1 ? (isPlural(others[0].who) ? follow : past === null ? "suit" : "suivait") : follow;
    return `${sayInConference(conference)}, les équipes repêchées ${are} ${holders.join(", et ")}${others.length === 0 ? "" : `; ${verb} ${sayWithPoints(others)}`}`;
  });
  const mine = races.find(({ conference }) => conference === row.conference);
  if (heard.includes(row) || (mine === undefined && !named)) return parts;
  const place = mine?.rows.indexOf(row) ?? -1;
  if (mine !== undefined && place >= 0) {
    const rank = `${sayThe(past)} ${sayRank(place + 1)} rang de la course ${sayInConference(mine.conference)}`;
    return [...parts, sayPlace(row, team.team, rank, past)];
  }
  const plural = isPlural(team.team);
  if (mine === undefined) return [...parts, `${team.team} ${plural ? "n'en font" : "n'en fait"} pas partie`];
  const top = `${team.team} ${plural ? "n'ont" : "n'a"} pas besoin d'une place de repêchage`;
  const finish = past === null ? (plural ? "ils sont" : "il est") : plural ? "ils ont terminé" : "il a terminé";
  const why = `${finish} parmi les trois premiers de ${plural ? "leur" : "sa"} section`;
  return [...parts, `${top} : ${why}`];
}

/** « dans l'Est » */
function sayInConference(conference: string): string {
  return `dans ${CONFERENCES[conference].replace("l'association de ", "")}`;
}

/** Those that would make it if the season ended now, a conference a sentence. */
function sayQualified({ team, row, table, past, named }: Standings, of: string | null): string[] {
  const conferences = Object.keys(CONFERENCES).filter((key) => of === null || key === of);
  const fields = conferences.map((conference) => ({
    conference,
    rows: rowsOf({ kind: "conference", of: conference }, table).filter(isInside),
  }));
  if (!table.wildcard || fields.some(({ rows }) => rows.length === 0))
    return [
      `le ${sayTable(past)} ne dit pas qui ${past === null ? "ferait les séries pour l'instant" : "a fait les séries"}`,
    ];
  const parts = fields.map(({ conference, rows }, index) => {
    const where = CONFERENCES[conference].replace("l'association ", "");
    const teams = joinList(rows.map(({ who }) => who));
    if (past !== null) return `${index === 0 ? "les équipes" : "celles"} ${where} en séries étaient ${teams}`;
    return `${index === 0 ? "si la saison finissait maintenant, les équipes" : "celles"} ${where} en séries seraient ${teams}`;
  });
  const concerned = named || conferences.includes(row.conference ?? "");
  return [...parts, concerned ? sayRace(row, table, team.team, past) : ""];
}

function sayGroupName({ kind, of }: Group, { team }: Team): string {
  if (kind === "division") return SECTIONS[of ?? ""] ?? `la section ${de(team)}`;
  return kind === "conference" ? (CONFERENCES[of ?? ""] ?? `l'association ${de(team)}`) : "la Ligue nationale";
}

/** « premier », « deuxième », « vingt et unième », « trente-deuxième »: a rank is masculine. */
function sayRank(rank: number): string {
  if (rank === 1) return "premier";
  if (rank < RANKS.length) return `${RANKS[rank]}ième`;
  const [tens, unit] = [rank < 30 ? "vingt" : "trente", rank % 10];
  if (unit === 0) return tens === "vingt" ? "vingtième" : "trentième";
  return unit === 1 ? `${tens} et unième` : `${tens}-${RANKS[unit]}ième`;
}

const RANKS =
  ",,deux,trois,quatr,cinqu,six,sept,huit,neuv,dix,onz,douz,treiz,quatorz,quinz,seiz,dix-sept,dix-huit,dix-neuv".split(
    ",",
  );

/** The playoffs of a team, or each series of the round. Three sentences at most, or one per series. */
function sayPlayoffs(playoffs: Playoffs): string {
  const { team, age } = playoffs;
  return speak(team === null ? sayRoundState(playoffs) : sayTeamPlayoffs(playoffs, team), age);
}

function sayTeamPlayoffs(playoffs: Playoffs, team: Team): string[] {
  const { phase, bracket, matchup } = playoffs;
  const plural = isPlural(team.team);
  if (phase === "before") return sayNotBegun(playoffs);
  const over = phase === "over" ? sayAfterwards(playoffs) : [];
  if (matchup === null) {
    if (phase === "over") return [`${team.who} n'a pas participé aux dernières séries`, ...over];
    if (!isFormed(bracket))
      return [`les affrontements ne sont pas encore tous connus, et ${team.who} n'a pas d'adversaire pour l'instant`];
    return [`${team.who} ne participe pas aux séries`];
  }
  const [mine, theirs] = seedsOf(matchup, team.abbrev);
  const round = sayRound(matchup);
  if (theirs === null) return [sayWaiting(bracket, team, matchup, team.team)];
  const final = matchup.round === LAST_ROUND;
  if (theirs.won) {
    const how =
      mine.wins === 0
        ? `balayage en ${theirs.wins ?? NEEDED} par ${theirs.who}`
        : sayHowItWent(theirs, mine, theirs.who, "défaite");
    if (final)
      return [`${team.team} ${plural ? "ont" : "a"} perdu la finale de la Coupe Stanley : ${how}`, ...over.slice(1)];
    const be = over.length > 0 ? (plural ? "ont été" : "a été") : plural ? "sont" : "est";
    return [`${team.team} ${be} éliminé${plural ? "s" : ""} : ${how}${round}`, ...over];
  }
  if (mine.won) {
    const how =
      theirs.wins === 0
        ? `balayage en ${mine.wins ?? NEEDED} contre ${theirs.who}`
        : sayHowItWent(mine, theirs, theirs.who, "victoire");
    const have = `${team.team} ${plural ? "ont" : "a"} gagné`;
    if (final) return [`${have} la Coupe Stanley : ${how}, en finale`, ...over.slice(1)];
    const waiting = sayWaiting(bracket, team, matchup, plural ? "ils" : "il");
    return [`${have} ${plural ? "leur" : "sa"} série : ${how}${round}`, waiting];
  }
  const score = sayMatchupScore(mine, theirs);
  const isNew = mine.wins === 0 && theirs.wins === 0;
  const isUnknown = mine.wins === null || theirs.wins === null;
  return [
    isNew || isUnknown ? joinParts([round.slice(2), score], ", ") : `${score}${round}`,
    saySeriesNext(playoffs, team),
  ];
}

/** « victoire de 4 à 2 contre Tampa Bay en 6 matchs » */
function sayHowItWent(winner: Seed, loser: Seed, opponent: string, outcome: string): string {
  return `${outcome}${sayResult(winner, loser)} contre ${opponent}${sayLength(winner, loser)}`;
}

/** « de 4 à 2 »; nothing when the wins are not known. */
function sayResult(winner: Seed, loser: Seed): string {
  return winner.wins === null || loser.wins === null ? "" : ` de ${sayPoints(winner.wins, loser.wins)}`;
}

function sayLength(winner: Seed, loser: Seed): string {
  return winner.wins === null || loser.wins === null || loser.wins === 0
    ? ""
    : ` en ${winner.wins + loser.wins} matchs`;
}

/** « Montréal mène la série 3 à 2 contre Tampa Bay » */
function sayMatchupScore(mine: Seed, theirs: Seed): string {
  if (mine.wins === null || theirs.wins === null)
    return `${conjugate(mine, "joue", "jouent")} contre ${theirs.who}, mais le compte de la série n'est pas disponible`;
  if (mine.wins === 0 && theirs.wins === 0) return `la série entre ${mine.who} et ${theirs.who} n'est pas commencée`;
  if (mine.wins === theirs.wins)
    return `la série est égale ${mine.wins} à ${theirs.wins} entre ${mine.who} et ${theirs.who}`;
  const points = sayFinalPoints(mine.wins, theirs.wins);
  const leads = mine.wins > theirs.wins;
  return leads
    ? `${mine.who} mène la série ${points} contre ${theirs.who}`
    : `${mine.who} tire de l'arrière ${points} dans la série contre ${theirs.who}`;
}

/** « match numéro 6 demain à 19 heures, à Montréal » */
function saySeriesNext({ next, playing, calendar, now }: Playoffs, team: Team): string {
  const game = playing ?? next;
  if (game === null)
    return calendar
      ? "la date du prochain match n'est pas connue"
      : "le calendrier ne répond pas pour l'instant, alors je ne peux pas dire quand sera le prochain match";
  const number = gameNumberOf(game);
  if (playing !== null)
    return joinParts(
      [`${number === null ? "un match" : `le match numéro ${number}`} se joue en ce moment`, sayNetworks(game)],
      "; ",
    );
  const place = game.neutral
    ? sayScene({ ...game, type: REGULAR }).slice(2)
    : isHome(game, team)
      ? team.at
      : sidesOf(game, team)[1].at;
  const moment = sayMoment(game, team, now, { place, home: "", after: "" });
  return joinParts(
    [`${number === null ? "prochain match :" : `match numéro ${number}`} ${moment}`, sayNetworks(game)],
    "; ",
  );
}

/** A team through to the next round: who the opponent may be. */
function sayWaiting(bracket: Matchup[], team: Team, matchup: Matchup, subject: string): string {
  const plural = isPlural(team.team);
  const [mine, theirs] = seedsOf(matchup, team.abbrev);
  // Its series of the next round may already be drawn, with nobody across yet.
  const round = theirs === null ? matchup.round : matchup.round === null ? null : matchup.round + 1;
  const rivals = rivalsOf(bracket, matchup, mine.abbrev);
  // The source names the association in the final's own series only.
  const conference = matchup.conference ?? nextOf(bracket, matchup)?.conference ?? null;
  const when = round === null ? "" : sayRound({ conference, round }).replace(", ", " ");
  if (rivals.length === 1) return `${subject} ${plural ? "affronteront" : "affrontera"} ${rivals[0].who}${when}`;
  const who = rivals.length === 0 ? "" : ` : ce sera ${rivals.map((rival) => rival.who).join(" ou ")}`;
  return `${subject} ${plural ? "attendent leur" : "attend son"} adversaire${when}${who}`;
}

/** « , en première ronde », « , en finale de l'association de l'Est ». */
function sayRound({ round, conference }: Pick<Matchup, "round" | "conference">): string {
  if (round === null) return "";
  if (round === LAST_ROUND) return ", en finale de la Coupe Stanley";
  if (round === LAST_ROUND - 1) return `, en finale ${de(CONFERENCES[conference ?? ""] ?? "son association")}`;
  return round === 0 ? ", au tour préliminaire" : `, en ${sayOrdinal(round)} ronde`;
}

/** Everybody's series: those of the round under way, the Canadian teams first. */
function sayRoundState(playoffs: Playoffs): string[] {
  const { phase, bracket } = playoffs;
  if (phase === "before") return sayNotBegun(playoffs);
  if (phase === "over") return sayAfterwards(playoffs);
  const series = roundOf(bracket);
  if (series.length === 0) return ["les séries sont commencées, mais les affrontements ne sont pas disponibles"];
  const parts = series.map((one, index) => {
    // Both finals of an association are one round: each says which one it is.
    const known = one.round === series[index - 1]?.round && one.round !== LAST_ROUND - 1;
    const round = known ? "" : sayRound(one).slice(2);
    return joinParts([round, sayOneSeries(one)], ", ");
  });
  const isDone = series.every(({ sides }) => sides.some((seed) => seed?.won));
  return [...parts, isDone ? "la ronde suivante n'est pas commencée" : ""];
}

/** One series in a few words, from the side of the Canadian team, else of the one that leads. */
function sayOneSeries({ sides }: Matchup): string {
  const [top, bottom] = sides;
  if (top === null || bottom === null) return `${(top ?? bottom)?.who ?? "une équipe"} attend un adversaire`;
  const leader = top.won || (!bottom.won && (top.wins ?? 0) >= (bottom.wins ?? 0)) ? top : bottom;
  const other = leader === top ? bottom : top;
  const plural = isPlural(leader.who);
  if (leader.won && other.wins === 0)
    return `${leader.who} ${plural ? "ont" : "a"} éliminé ${other.who}, balayage en ${leader.wins ?? NEEDED}`;
  if (leader.won)
    return `${leader.who} ${plural ? "ont" : "a"} éliminé ${other.who}${sayResult(leader, other).replace(" de", "")}`;
  const [mine, theirs] = isCanadian(top) || !isCanadian(bottom) ? [top, bottom] : [bottom, top];
  if (leader.wins === null || other.wins === null) return sayMatchupScore(mine, theirs);
  if (leader.wins === 0) return `${mine.who} et ${theirs.who} n'ont pas encore joué`;
  if (leader.wins === other.wins) return `c'est ${leader.wins} à ${leader.wins} entre ${mine.who} et ${theirs.who}`;
  const [subject, object] = isCanadian(leader) || !isCanadian(other) ? [leader, other] : [other, leader];
  const many = isPlural(subject.who);
  const verb = subject === leader ? (many ? "mènent" : "mène") : many ? "tirent de l'arrière" : "tire de l'arrière";
  return `${subject.who} ${verb} ${sayFinalPoints(leader.wins, other.wins)} contre ${object.who}`;
}

/** Before the first game: when they start, without inventing a date. */
function sayNotBegun({ team, seasonEnd, cup, now }: Playoffs): string[] {
  const today = localTime(now, HOME_ZONE).day;
  const start = "les séries ne sont pas commencées :";
  const since = seasonEnd === null ? null : daysBetween(seasonEnd, today);
  const holder = cup === null ? "" : `${conjugate(cup, "a gagné", "ont gagné")} la dernière Coupe Stanley`;
  if (since !== null && since > 0 && since <= BRACKET_DAYS)
    return [`${start} la saison régulière vient de finir, et tous les affrontements ne sont pas encore connus`, holder];
  const until = team === null ? holder : `d'ici là, la place ${de(team.team)} se joue au classement`;
  if (seasonEnd === null || (since !== null && since > 0))
    return [`${start} elles débutent d'habitude à la mi-avril`, until];
  const end = since === 0 ? "aujourd'hui" : sayDate(seasonEnd, today);
  return [`${start} la saison régulière finit ${end}, et elles commencent ensuite`, until];
}

/** Once the Cup is won: by whom, and when the next playoffs come. */
function sayAfterwards({ bracket, seasonEnd, now }: Playoffs): string[] {
  const today = localTime(now, HOME_ZONE).day;
  const final = championship(bracket);
  const start =
    seasonEnd === null || seasonEnd <= today
      ? "à la mi-avril"
      : `après la fin de la saison régulière, prévue ${sayDate(seasonEnd, today)}`;
  if (final === null) return [];
  const { champion, loser } = final;
  const verb = isPlural(champion.who) ? "ont gagné" : "a gagné";
  const how =
    loser === null
      ? ""
      : loser.wins === 0
        ? `, balayage en ${champion.wins ?? NEEDED} contre ${loser.who} en finale`
        : `,${sayResult(champion, loser).replace(" de", "")} contre ${loser.who} en finale`;
  return [`${champion.who} ${verb} la Coupe Stanley${how}`, `les prochaines séries commencent ${start}`];
}

/** A player's season, his last games, then what is odd about his team: three sentences at most. */
function sayPlayer({ player, now, age }: PlayerAnswer): string {
  const parts = player.active === false ? sayRetired(player) : [saySeasonOf(player, now), sayRecent(player, now)];
  return speak([...parts, player.active === false ? "" : sayWhereabouts(player, now)], age);
}

function sayRetired(player: Player): string[] {
  const career =
    player.career === null || player.career.games === 0 ? "" : sayLine(player.career, player.position === "G", "");
  const still = player.played ? "n'est plus actif" : "n'est pas actif";
  return [
    `${sayWho({ ...player, team: null })} ${still} dans la Ligue nationale`,
    career && `en carrière, il ${career}`,
  ];
}

/** « Cole Caufield, ailier droit du Canadien, »: the subject of a sentence. */
function sayWho(player: Pick<Player, "name" | "position" | "team">): string {
  const role = sayRole(player);
  return role === "" ? player.name : `${player.name}, ${role},`;
}

function sayRole({ position, team }: Pick<Player, "position" | "team">): string {
  return joinParts([position === null ? "" : POSITIONS[position], team === null ? "" : de(team.team)], " ");
}

function saySeasonOf(player: Player, now: number): string {
  const { line, season, playoffs, position, recent } = player;
  const who = sayWho(player);
  const goalie = position === "G";
  const current = seasonAt(now);
  const played = recent.some(({ day }) => seasonStarting(day) === current);
  const idle = line?.games === 0 || (season !== null && season < current && isUnderWay(now) && !played);
  const before = line === null || line.games === 0 ? "" : sayLine(line, goalie, "");
  if (idle && season !== null) {
    const past = before === "" ? "" : `${saySpan(season, now).trim()}, il ${before}`;
    const span = line?.games === 0 ? saySpan(season, now) : " cette saison";
    return joinParts([`${who} n'a pas joué dans la Ligue nationale${span}`, past], "; ");
  }
  if (before === "" && player.played === false) return `${who} n'a pas encore joué dans la Ligue nationale`;
  if (line === null || before === "") return `${who} n'a pas de statistiques disponibles pour l'instant`;
  const extra = playoffs === null || playoffs.games === 0 ? "" : sayHaul(playoffs, goalie);
  const series = extra && `en séries éliminatoires, ${extra}${sayInGames(playoffs)}${goalie ? sayRates(playoffs) : ""}`;
  return joinParts([`${who} ${sayLine(line, goalie, saySpan(season, now))}`, series], "; ");
}

/** « a récolté 22 buts et 18 passes, pour 40 points en 45 matchs cette saison »; empty when nothing is known. */
function sayLine(line: Line, goalie: boolean, span: string): string {
  const haul = sayHaul(line, goalie);
  const rates = goalie ? sayRates(line) : "";
  const verb = goalie ? "signé" : "récolté";
  if (haul !== "") return `${haul.startsWith("aucun") ? "n'a" : "a"} ${verb} ${haul}${sayInGames(line)}${span}${rates}`;
  if (line.games !== null) return `a joué ${sayMany(line.games, "match")}${span}${rates}`;
  return rates === "" ? "" : `a ${rates.replace(", avec ", "")}${span}`;
}

function sayHaul(line: Line, goalie: boolean): string {
  if (!goalie) {
    const { goals, assists, points } = line;
    const haul = sayGoalsAndAssists(line);
    return goals && assists && points === goals + assists ? `${haul}, pour ${sayMany(points, "point")}` : haul;
  }
  const { wins, shutouts } = line;
  if (wins === null) return "";
  // « aucune victoire et un jeu blanc » would lose its « ne ».
  if (wins === 0 && shutouts) return `${sayMany(shutouts, "jeu blanc")}, mais aucune victoire`;
  return `${sayMany(wins, "victoire")}${shutouts ? ` et ${sayMany(shutouts, "jeu blanc")}` : ""}`;
}

/** Zero is said when it is known to be zero, the other figure first; « aucun point » when both are. */
function sayGoalsAndAssists({ goals, assists, points }: Pick<Line, "goals" | "assists" | "points">): string {
  if (goals === null && assists === null) return points === null ? "" : sayMany(points, "point");
  if (goals === null || assists === null)
    return assists === null ? sayMany(goals ?? 0, "but") : sayMany(assists, "passe");
  if (goals === 0 && assists === 0) return "aucun point";
  const [scored, helped] = [sayMany(goals, "but"), sayMany(assists, "passe")];
  return goals === 0 ? `${helped} et ${scored}` : `${scored} et ${helped}`;
}

function sayInGames(line: Line | null): string {
  return line === null || line.games === null ? "" : ` en ${sayMany(line.games, "match")}`;
}

/** A goalie's averages: « , avec une moyenne de 2,45 et une efficacité de 915 ». */
function sayRates(line: Line | null): string {
  if (line === null) return "";
  const { average, efficiency } = line;
  const rates = [
    average === null
      ? ""
      : `une moyenne de ${average
          .toFixed(2)
          .replace(/\.?00$/, "")
          .replace(".", ",")}`,
    efficiency === null ? "" : sayEfficiency(efficiency),
  ].filter((part) => part !== "");
  return rates.length === 0 ? "" : `, avec ${joinList(rates)}`;
}

/** Thousandths, as they are said: « neuf cent quinze ». */
function sayEfficiency(thousandths: number): string {
  return thousandths === 1000 ? "une efficacité parfaite" : `une efficacité de ${Math.round(thousandths)}`;
}

/** « aucun but », « un but », « 2 buts », « vingt et une passes ». */
function sayMany(
  count: number,
  noun: "but" | "passe" | "point" | "match" | "victoire" | "défaite" | "jeu blanc" | "tir",
): string {
  const feminine = noun === "passe" || noun === "victoire" || noun === "défaite";
  if (count < 2) return `${["aucun", "un"][count]}${feminine ? "e" : ""} ${noun}`;
  return `${feminine ? sayFeminine(count) : count} ${noun === "jeu blanc" ? "jeux blancs" : `${noun}s`}`;
}

/** When a season was, seen from now, with a space before: « cette saison », « la saison dernière ». */
function saySpan(season: number | null, now: number): string {
  if (season === null) return "";
  const behind = seasonAt(now) - season;
  if (behind <= 0) return " cette saison";
  return behind === 1 ? " la saison dernière" : ` pendant la saison commencée en ${season}`;
}

function saySeriesSpan(season: number | null, now: number): string {
  const behind = season === null ? 0 : seasonAt(now) - season;
  if (behind <= 0) return " en séries éliminatoires";
  return behind === 1 ? " aux dernières séries éliminatoires" : ` aux séries éliminatoires de ${Number(season) + 1}`;
}

/** « dans ses 5 derniers matchs, il a 3 buts et 2 passes; au dernier, hier à Toronto, un but et aucune passe » */
function sayRecent({ recent, position, season }: Player, now: number): string {
  const [last] = recent;
  // Of a player who has not played this season, the season that was told is the last news.
  if (last === undefined || (isUnderWay(now) && seasonStarting(last.day) < seasonAt(now) && season !== null)) return "";
  const goalie = position === "G";
  const where = sayWhere(last, now);
  const feat = goalie ? sayStart(last) : sayGoalsAndAssists(last);
  const total = goalie ? sayWins(recent) : sayGoalsAndAssists(sumLines(recent));
  if (recent.length === 1 || total === "") {
    return feat === "" ? `son dernier match, c'était ${where}` : `à son dernier match, ${where} : ${feat}`;
  }
  const sum = `dans ses ${recent.length} derniers matchs, il ${total.startsWith("aucun") ? "n'a" : "a"} ${total}`;
  return feat === "" ? sum : `${sum}; au dernier, ${where}, ${feat}`;
}

/** « hier à Toronto », « mardi contre Boston ». */
function sayWhere({ day, home, opponent }: PlayerGame, now: number): string {
  const club = opponent === null ? "" : home === false ? opponent.at : `contre ${opponent.who}`;
  return joinParts([sayDay({ start: null, day }, now), club], " ");
}

/** A goalie's game: « une victoire et 28 arrêts sur 30 tirs ». A goalie who came in has no decision. */
function sayStart({ decision, shots, against }: PlayerGame): string {
  const saves = !shots || against === null || shots < against ? null : shots - against;
  const stopped =
    saves === null || shots === null
      ? ""
      : saves === 1
        ? "un arrêt"
        : `${saves || "aucun"} arrêt${saves > 1 ? "s" : ""}`;
  return joinParts(
    [decision === null ? "" : DECISIONS[decision], stopped && `${stopped} sur ${sayMany(shots ?? 0, "tir")}`],
    " et ",
  );
}

const DECISIONS = { W: "une victoire", L: "une défaite", O: "une défaite en prolongation ou en tirs de barrage" };

function sayWins(recent: PlayerGame[]): string {
  if (recent.every(({ decision }) => decision === null)) return "";
  return sayMany(recent.filter(({ decision }) => decision === "W").length, "victoire");
}

/** The team that is doubtful, that has changed, that is missing, or whose roster doesn't have him. */
function sayWhereabouts({ team, listed, former, unsigned, onRoster, recent }: Player, now: number): string {
  if (listed !== null && team !== null) {
    const day = sayDay({ start: null, day: recent[0].day }, now);
    return `son équipe est à confirmer : il a joué ${day} avec ${team.team}, mais la Ligue nationale l'inscrit avec ${listed.team}`;
  }
  if (unsigned) return "il n'a pas d'équipe inscrite en ce moment";
  if (former !== null) return `à son dernier match, il jouait pour ${former.team}`;
  return onRoster === false && team !== null ? `il n'apparaît pas dans la formation actuelle ${de(team.team)}` : "";
}

/** Asks back: « Tu parles de Sebastian Aho, centre des Hurricanes, ou de Sebastian Aho, défenseur des Islanders ? » */
function sayWhich(hits: Hit[]): string {
  const several = "Plusieurs joueurs portent ce nom.";
  const again = "Redis-moi le prénom et le nom, avec l'équipe, la position ou le numéro.";
  if (hits.length > WHICH_LIMIT) return `${several} ${again}`;
  const labels = hits.map((hit) => {
    const role = sayRole(hit);
    const twins = hits.filter((other) => other.name === hit.name && sayRole(other) === role).length > 1;
    const number = twins && hit.number !== null ? `numéro ${hit.number}` : "";
    return joinParts([de(hit.name), role, number], ", ");
  });
  const glue = labels.some((label) => label.includes(", ")) ? ", ou " : " ou ";
  return `${several} Tu parles ${labels.slice(0, -1).join(", ")}${glue}${labels.at(-1)} ? ${again}`;
}

/** What was said comes back between quotes, short and bare: it is spoken, and it may be anything. Empty without a letter. */
function sayEcho(said: string): string {
  const bare = said.replace(/[^\p{L}\p{M}\p{N} '’.-]/gu, "").replace(/ {2,}/g, " ");
  const echo = [...bare.trim()].slice(0, 40).join("").trim();
  return /\p{L}/u.test(echo) ? `« ${echo} »` : "";
}

function sayUnknownPlayer(said: string): string {
  const echo = sayEcho(said);
  if (echo === "") return "Je n'ai pas compris le nom du joueur. Redis-moi son prénom et son nom au complet.";
  return (
    `Je ne trouve pas de joueur nommé ${echo} dans la Ligue nationale. C'est d'habitude un nom mal entendu, et ça ne veut pas dire qu'il n'existe pas. ` +
    "Redis-moi son prénom et son nom au complet."
  );
}

function sayTeamNotPlayer(said: string): string {
  return `${sayEcho(said)} est une équipe, pas un joueur. Pour son match, appelle « match_lnh »; pour son rang, « classement_lnh ». Sinon, redis-moi le nom du joueur.`;
}

function sayUnknownCategory(said: string): string {
  const echo = sayEcho(said);
  const unknown = echo === "" ? "Je n'ai pas compris ce qu'il faut compter." : `Je ne compte pas ${echo}.`;
  return `${unknown} J'ai les points, les buts, les passes, les victoires des gardiens et l'efficacité des gardiens. Redis-moi ce que tu veux parmi ça.`;
}

/** Five names at most, by value: who leads, who follows, then the first of a Canadian team when none of them is. */
function sayLeaders({ ranking, leaders, season, playoffs, now, age }: LeadersAnswer): string {
  const { category, team } = ranking;
  const { title, noun } = CATEGORIES[category];
  const past = season !== null && season < seasonAt(now);
  const span = playoffs ? saySeriesSpan(season, now) : saySpan(season, now);
  const whole = `les ${title} ${team === null ? "de la Ligue nationale" : de(team.team)}${span}`;
  if (leaders.length === 0) {
    const nobody = `personne n'est encore inscrit parmi ${whole}`;
    const goalies = `les chiffres ${de(whole).replace(span, "")} ne sont pas encore connus${span}`;
    return speak([title === "gardiens" ? goalies : nobody], age);
  }
  const top = leaders.slice(0, LEADERS_SAID);
  const values = [...new Set(top.map(({ value }) => value))];
  const namesAt = (value: number) => {
    const names = top.filter((one) => one.value === value).map((one) => sayLeader(one, team));
    const more = leaders.slice(LEADERS_SAID).some((one) => one.value === value);
    return more ? [...names, "d'autres"] : names;
  };
  const worth = (value: number) => (noun === null ? sayEfficiency(value) : sayMany(value, noun));
  // After the first one, the number alone: « avec 33 ».
  const bare = (value: number) => {
    if (value === 1) return worth(value);
    return noun === "victoire" || noun === "passe" ? sayFeminine(value) : `${Math.round(value)}`;
  };
  const [first, ...others] = values;
  const heads = namesAt(first);
  const lead =
    heads.length === 1
      ? `${heads[0]} ${past ? "a mené" : "mène"} ${whole}, avec ${worth(first)}`
      : `${joinList(heads)} ${past ? "ont terminé" : "sont"} à égalité en tête ${de(whole)}, avec ${worth(first)}`;
  const rest = others.map((value) => {
    const names = namesAt(value);
    return names.length === 1 ? `${names[0]} avec ${bare(value)}` : `${joinList(names)}, à égalité à ${bare(value)}`;
  });
  const followers = others.flatMap(namesAt);
  const [suit, suivent] = past ? ["suivait", "suivaient"] : ["suit", "suivent"];
  const alone = followers.length === 1;
  // Two names and two numbers need no more than « et ».
  const glue = followers.length === 2 ? " et " : "; et ";
  const listed = rest.length < 2 ? rest.join("") : `${rest.slice(0, -1).join("; ")}${glue}${rest.at(-1)}`;
  const follow = alone ? `${followers[0]} ${suit} avec ${bare(others[0])}` : listed && `${suivent} ${listed}`;
  const isOurs = ({ club }: Leader) => club !== null && isCanadian({ abbrev: club });
  const near = team !== null || top.some(isOurs) ? undefined : leaders.find(isOurs);
  return speak(
    [
      lead,
      follow,
      near === undefined ? "" : `premier d'une équipe canadienne : ${sayLeader(near, team)}, avec ${worth(near.value)}`,
    ],
    age,
  );
}

/** « Nathan MacKinnon de l'Avalanche », or his name alone among his own. */
function sayLeader({ skater, club }: Leader, team: Team | null): string {
  const name = sayFullName(skater);
  return team !== null || club === null || !Object.hasOwn(CLUBS, club) ? name : `${name} ${de(CLUBS[club].team)}`;
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

/** The league's public service, and the search of its site; a variable of the same name replaces each in development. */
const ORIGINS = { NHL_API: "https://api-web.nhle.com", NHL_SEARCH_API: "https://search.d3.nhle.com" };
const PRESEASON = 1;
const REGULAR = 2;
const PLAYOFFS = 3;
/** The league's own games; the All-Star and international ones are other stories. */
const LEAGUE_TYPES = [PRESEASON, REGULAR, PLAYOFFS];
/** The round of the Stanley Cup final. */
const LAST_ROUND = 4;
/** The asker's zone, and the league's: `gameDate` and the dates in addresses are Eastern. */
const HOME_ZONE = "America/Toronto";
/** From this hour on, a game is « ce soir ». */
const EVENING = 17;
/** A hockey night ends at 6 in the morning, Eastern: a game in Vancouver goes on past midnight. */
const NIGHT_END = 6;
/** Seconds of a period of regulation. */
const FULL_PERIOD = 1200;
/** A game lasts under three hours: it is news until this long after its announced start; then it belongs to a day. */
const FRESH_MS = 4 * HOUR;
/** The puck drops some ten minutes after the hour that is announced. */
const LATE_MS = 15 * MINUTE;

/** The source refreshes about every 15 s (its own max-age is 19): asking more often learns nothing. */
const LIVE_TTL_MS = 15_000;
const BOARD_TTL_MS = MINUTE;
const SEASON_TTL_MS = HOUR;
/** A night whose games are all official doesn't change any more. */
const PAST_TTL_MS = 24 * HOUR;
/** How old an answer may be when the source is down: a game in progress, and anything else. */
const STALE_LIVE_MS = 2 * MINUTE;
const STALE_MS = 6 * HOUR;
/** From these ages on, the age of an answer is said: a game in progress, and another one of tonight. */
const LIVE_AGE_MS = 20_000;
const TONIGHT_AGE_MS = 2 * MINUTE;
/** Two readings this near in time were made for the same question. */
const TOGETHER_MS = 10_000;
/** After a first call that timed out, the board still answers within the budget of the core. */
const BOARD_TIMEOUT_MS = 3_000;
/** A call that starts later than this could not end within the budget of the core. */
const LAST_CALL_MS = 3_400;
/** A board shows about a week on each side of today: with no game in the league that near, it is empty. */
const BOARD_REACH_DAYS = 7;
/** Without a next game, a season is over once its last game is this far behind, in spring or summer. */
const SEASON_END_DAYS = 10;

/** How to speak of a club: « Toronto mène », « à Toronto », « les Maple Leafs ». */
interface Club {
  who: string;
  at: string;
  team: string;
}

/** One of the seven clubs that this door answers for, and its zone. */
interface Team extends Club {
  abbrev: string;
  zone: string;
}

interface Side extends Club {
  abbrev: string;
  score: number | null;
  shots: number | null;
}

/** `overtime` counts the periods after regulation: 1 is the first one. */
interface Period {
  number: number;
  type: "REG" | "OT" | "SO";
  overtime: number;
}

/** `left` in seconds: of the period, or of the intermission. */
interface Clock {
  left: number | null;
  running: boolean;
  intermission: boolean;
}

/** Unequal strength right now; `strength` as said, « 5 contre 4 ». */
interface Ice {
  advantage: Side | null;
  pulled: Side | null;
  strength: string;
}

interface Skater {
  first: string | null;
  last: string;
}

/** `elapsed` in seconds since the period began; `helpers` null when the source doesn't tell. */
interface Goal {
  team: string;
  scorer: Skater | null;
  helpers: string[] | null;
  strength: string;
  modifier: string;
  period: Period | null;
  elapsed: number | null;
}

interface Series {
  top: string;
  topWins: number;
  bottomWins: number;
  needed: number;
  round: number | null;
  /** Which game of the series this is. */
  game: number | null;
}

/**
 * A game, whatever endpoint it came from. `day` is the Eastern date; `start` and `at`, when it was read, in ms since
 * 1970; `offset` in minutes east of UTC. `stale`: the source could not be reached, and an older answer serves.
 */
interface Game {
  at: number;
  stale: boolean;
  id: number;
  type: number;
  day: string;
  start: number | null;
  state: "scheduled" | "warmup" | "live" | "final" | "unknown";
  official: boolean;
  status: "ok" | "undecided" | "postponed" | "cancelled" | "suspended";
  away: Side;
  home: Side;
  neutral: boolean;
  city: string | null;
  offset: number | null;
  period: Period | null;
  clock: Clock | null;
  ice: Ice | null;
  decidedIn: string | null;
  shootout: { away: number; home: number } | null;
  goals: Goal[] | null;
  networks: string[];
  series: Series | null;
}

/**
 * What there is to say about a team now. `game` is tonight's: live, to come, just over or called off. `calendar` is
 * false when it could not be read; `age` in ms when any of it comes from an older answer.
 */
interface Tonight {
  team: Team;
  now: number;
  game: Game | null;
  last: Game | null;
  next: Game | null;
  over: boolean;
  calendar: boolean;
  age: number | null;
}

/** The 32 clubs, and one that moved. NHL.com gives French names for some fields of some endpoints only. */
const CLUBS: Record<string, Club> = {
  ANA: { who: "Anaheim", at: "à Anaheim", team: "les Ducks" },
  ARI: { who: "l'Arizona", at: "en Arizona", team: "les Coyotes" },
  BOS: { who: "Boston", at: "à Boston", team: "les Bruins" },
  BUF: { who: "Buffalo", at: "à Buffalo", team: "les Sabres" },
  CAR: { who: "la Caroline", at: "en Caroline", team: "les Hurricanes" },
  CBJ: { who: "Columbus", at: "à Columbus", team: "les Blue Jackets" },
  CGY: { who: "Calgary", at: "à Calgary", team: "les Flames" },
  CHI: { who: "Chicago", at: "à Chicago", team: "les Blackhawks" },
  COL: { who: "le Colorado", at: "au Colorado", team: "l'Avalanche" },
  DAL: { who: "Dallas", at: "à Dallas", team: "les Stars" },
  DET: { who: "Detroit", at: "à Detroit", team: "les Red Wings" },
  EDM: { who: "Edmonton", at: "à Edmonton", team: "les Oilers" },
  FLA: { who: "la Floride", at: "en Floride", team: "les Panthers" },
  LAK: { who: "Los Angeles", at: "à Los Angeles", team: "les Kings" },
  MIN: { who: "le Minnesota", at: "au Minnesota", team: "le Wild" },
  MTL: { who: "Montréal", at: "à Montréal", team: "le Canadien" },
  NJD: { who: "le New Jersey", at: "au New Jersey", team: "les Devils" },
  NSH: { who: "Nashville", at: "à Nashville", team: "les Predators" },
  // Two clubs share New York: their names tell them apart.
  NYI: { who: "les Islanders", at: "chez les Islanders", team: "les Islanders" },
  NYR: { who: "les Rangers", at: "chez les Rangers", team: "les Rangers" },
  OTT: { who: "Ottawa", at: "à Ottawa", team: "les Sénateurs" },
  PHI: { who: "Philadelphie", at: "à Philadelphie", team: "les Flyers" },
  PIT: { who: "Pittsburgh", at: "à Pittsburgh", team: "les Penguins" },
  SEA: { who: "Seattle", at: "à Seattle", team: "le Kraken" },
  SJS: { who: "San Jose", at: "à San Jose", team: "les Sharks" },
  STL: { who: "Saint-Louis", at: "à Saint-Louis", team: "les Blues" },
  TBL: { who: "Tampa Bay", at: "à Tampa Bay", team: "le Lightning" },
  TOR: { who: "Toronto", at: "à Toronto", team: "les Maple Leafs" },
  UTA: { who: "l'Utah", at: "en Utah", team: "le Mammoth" },
  VAN: { who: "Vancouver", at: "à Vancouver", team: "les Canucks" },
  VGK: { who: "Vegas", at: "à Vegas", team: "les Golden Knights" },
  WPG: { who: "Winnipeg", at: "à Winnipeg", team: "les Jets" },
  WSH: { who: "Washington", at: "à Washington", team: "les Capitals" },
};

/** The zones of the seven teams. */
const TEAM_ZONES: Record<string, string> = {
  MTL: HOME_ZONE,
  TOR: HOME_ZONE,
  OTT: HOME_ZONE,
  WPG: "America/Winnipeg",
  CGY: "America/Edmonton",
  EDM: "America/Edmonton",
  VAN: "America/Vancouver",
};

/** Every club by the words of its place, then those of its name, folded, in both languages. */
const CLUB_WORDS: Record<string, [place: string, name: string]> = {
  MTL: ["montreal", "canadien canadiens canadian canadians habs hab abs habitants ch tricolore flanelle glorieux"],
  TOR: ["toronto", "maple leafs leaf buds feuilles erable"],
  OTT: ["ottawa", "senateurs senateur senators senator sens"],
  WPG: ["winnipeg", "jets jet"],
  CGY: ["calgary", "flames flame"],
  EDM: ["edmonton", "oilers oiler huileux petroliers"],
  VAN: ["vancouver", "canucks canuck nucks"],
  ANA: ["anaheim", "ducks"],
  BOS: ["boston", "bruins"],
  BUF: ["buffalo", "sabres"],
  CAR: ["caroline carolina", "hurricanes canes"],
  CBJ: ["columbus", "blue jackets"],
  CHI: ["chicago", "blackhawks hawks"],
  COL: ["colorado", "avalanche avs"],
  DAL: ["dallas", "stars"],
  DET: ["detroit", "red wings"],
  FLA: ["floride florida", "panthers"],
  LAK: ["los angeles", "kings"],
  MIN: ["minnesota", "wild"],
  NJD: ["new jersey", "devils"],
  NSH: ["nashville", "predators preds"],
  NYI: ["new york", "islanders isles"],
  NYR: ["new york", "rangers"],
  PHI: ["philadelphie philadelphia", "flyers"],
  PIT: ["pittsburgh", "penguins pens"],
  SEA: ["seattle", "kraken"],
  SJS: ["san jose", "sharks"],
  STL: ["saint st louis", "blues"],
  TBL: ["tampa bay", "lightning"],
  UTA: ["utah", "mammoth"],
  VGK: ["las vegas", "golden knights"],
  WSH: ["washington", "capitals caps"],
};

/** What people say around a team's name, question included. */
const FILLER_WORDS = new Set(
  (
    "alors allez apres au aujourd aux avec ben but buts c canal ce cet cette chaine chez club combien compte compter cours d dans de demain " +
    "dernier derniere des dimanche dire direct dis domicile donne du e en encore equipe est euh fait final finale fini game gagne gagnent " +
    "gagner go h heure hier hockey hui il ils j jeu jeudi joue jouent jouer joute l la le les leur leurs lnh lundi ma mais marque " +
    "mardi match matchs matin merci mercredi mes moi mon nhl ni non nos notre on ont oui partie perd perdent perdu pis plait plutot " +
    "point pointage points poste pour prochain prochaine qu quand que quel quelle quoi qui rencontre rendu resultat s sa samedi score " +
    "ses soir son svp t te team the tirs tu un va veux vendredi vont vous y"
  ).split(" "),
);

/** What stands between two teams: each side of it names one club. */
const BETWEEN_TEAMS = /\s(?:a|at|contre|et|face|ou|puis|versus|vs)\s|[,;@/-]/;

/** Canadian networks as said aloud, French first: the first language that has one is the one spoken. */
const NETWORKS: Record<string, string>[] = [
  { TVAS: "à TVA Sports", TVAS2: "à TVA Sports 2", RDS: "à RDS", RDS2: "à RDS 2" },
  {
    SN: "à Sportsnet",
    SN1: "à Sportsnet One",
    SN360: "à Sportsnet 360",
    SNE: "à Sportsnet",
    SNO: "à Sportsnet",
    SNP: "à Sportsnet",
    SNW: "à Sportsnet",
    SNV: "à Sportsnet",
    CBC: "à C B C",
    CITY: "à Citytv",
    TSN: "à T S N",
    TSN2: "à T S N 2",
    TSN3: "à T S N 3",
    TSN4: "à T S N 4",
    TSN5: "à T S N 5",
    PRIME: "sur Prime Video",
  },
];

/** Minutes east of UTC that no rink of the league reaches: the board doesn't say neutral ice, its offset does. */
const WEST_OF_EUROPE = -3 * 60;

/** Cities that have had a game on neutral ice, by the only clue the source gives. Germany's games were in two cities. */
const NEUTRAL_CITIES: Record<string, string> = {
  "Europe/Helsinki": "Helsinki",
  "Europe/London": "Londres",
  "Europe/Paris": "Paris",
  "Europe/Prague": "Prague",
  "Europe/Stockholm": "Stockholm",
  "Australia/Melbourne": "Melbourne",
};

const SOURCE_DOWN =
  "La Ligue nationale ne répond pas en ce moment. Ça dure d'habitude quelques minutes, et ça ne veut pas dire qu'il n'y a pas de match. Redemande dans une minute.";
const SOURCE_EMPTY =
  "Le match est introuvable à l'adresse habituelle de la Ligue nationale. C'est d'habitude passager, et ça ne veut pas dire qu'il n'y a pas de match. Redemande dans quelques minutes.";

/**
 * The team that was said, or the deployment's own when the words name none. Between two, the first of the seven. All
 * the words must name clubs of the league, a place with its own name: « les Sénateurs de Belleville », « la Victoire de
 * Montréal » and « les Stars de Montréal » are other clubs. Throws a `Refusal` that names the seven.
 */
function findTeam(said: unknown, env: Env): Team {
  if (typeof said !== "string") return teamOf(firstTeam(plainOf(String(env.DEFAULT_TEAM ?? ""))) ?? "MTL");
  const plain = plainOf(said);
  if (wordsOf(plain).length === 0 && /[a-z]/.test(plain)) return findTeam(undefined, env);
  const abbrev = firstTeam(plain);
  if (abbrev !== null) return teamOf(abbrev);
  throw new Refusal(
    `${sayUnknownTeam(said)} Je connais le Canadien, les Maple Leafs, les Sénateurs, les Jets, les Flames, les Oilers et les Canucks.`,
  );
}

function teamOf(abbrev: string): Team {
  return { abbrev, zone: TEAM_ZONES[abbrev], ...CLUBS[abbrev] };
}

/** What was said, folded, with nicknames and « C.H. » in one piece. */
function plainOf(said: string): string {
  return fold(said)
    .replace(/\b([a-z])\.\s?(?=[a-z]\b)/g, "$1")
    .replace(/\bsainte[ -]flanelle\b|\bbleu[ ,-]+blanc[ ,-]+(?:et )?rouge\b/g, "tricolore");
}

/** The words that may name a club, without what is said around them. */
function wordsOf(plain: string): string[] {
  return plain.split(/[^a-z0-9]+/).filter((word) => word !== "" && !FILLER_WORDS.has(word));
}

/** The first of the seven among the clubs named; `null` if there is none, or if something else is named. */
function firstTeam(plain: string): string | null {
  const sides = ` ${plain} `.split(BETWEEN_TEAMS).map(wordsOf);
  const clubs = sides.filter((words) => words.length > 0).map(findClubs);
  if (clubs.some((found) => found.length === 0)) return null;
  return clubs.flat().find((abbrev) => abbrev in TEAM_ZONES) ?? null;
}

let clubWords: ReturnType<typeof splitClubWords> | null = null;

/** The words of each club: of its place, of its name, its letters; all of them; those of the seven. */
function splitClubWords() {
  const clubs = Object.entries(CLUB_WORDS).map(([abbrev, [place, name]]) => {
    return { abbrev, kinds: [place.split(" "), name.split(" "), [abbrev.toLowerCase()]] };
  });
  const known = new Set(clubs.flatMap(({ kinds }) => kinds.flat()));
  const seven = clubs.filter(({ abbrev }) => abbrev in TEAM_ZONES).flatMap(({ kinds }) => kinds.flat());
  return { clubs, known, seven };
}

/** The clubs that these words name: one by its place and its name, or several by their places, names or letters. */
function findClubs(words: string[]): string[] {
  clubWords ??= splitClubWords();
  const { clubs, known, seven } = clubWords;
  const heard = words.map((word) => (known.has(word) ? word : (seven.find((one) => isClose(word, one)) ?? word)));
  const whole = clubs.filter(({ kinds }) => heard.every((word) => kinds.flat().includes(word)));
  if (whole.length > 0) return whole.map(({ abbrev }) => abbrev);
  for (const kind of [0, 1, 2]) {
    const named = heard.map((word) => clubs.find(({ kinds }) => kinds[kind].includes(word))?.abbrev);
    if (named.every((abbrev) => abbrev !== undefined)) return named;
  }
  return [];
}

/** The same word, or one letter away when it is long enough for that to be a slip: « Canuks », « Flammes ». */
function isClose(word: string, known: string): boolean {
  if (word === known) return true;
  if (Math.min(word.length, known.length) < 5 || Math.abs(word.length - known.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === known[start]) start++;
  let end = 0;
  while (end < Math.min(word.length, known.length) - start && word.at(-1 - end) === known.at(-1 - end)) end++;
  return Math.max(word.length, known.length) - start - end <= 1;
}

function sayUnknownTeam(said: string): string {
  const echo = sayEcho(said);
  return echo === "" ? "Je n'ai pas compris le nom de l'équipe." : `${echo} n'est pas une équipe canadienne de la LNH.`;
}

/** What a question has cost: when it began (ms since 1970), calls made; a redirect is part of the call it answers. */
interface Cost {
  began: number;
  calls: number;
}

/** The same means, with what they cost. */
function counting(given: Deps): { deps: Deps; cost: Cost } {
  const cost = { began: Date.now(), calls: 0 };
  const fetch: Deps["fetch"] = async (url, init) => {
    cost.calls++;
    const response = await given.fetch(url, init);
    if (isRedirect(response)) cost.calls--;
    return response;
  };
  return { deps: { ...given, fetch }, cost };
}

/**
 * What there is to say about `team` now, in at most two calls when its game is live and three otherwise: the scores
 * of the night (shared by the seven teams), the team's board, then its season or the scorers of its last game.
 * Throws a `Refusal` when the source says nothing usable.
 */
async function fetchTonight(team: Team, given: Deps): Promise<Tonight> {
  const now = given.now();
  const { deps, cost } = counting(given);
  const night = nightOf(now);
  const failures: Refusal[] = [];
  const scores = await attempt(fetchScores(night, team, deps), failures);
  const live = scores?.games.find((game) => isPlaying(game, now));
  if (live !== undefined && !live.stale) return sayable(team, now, { game: await withDetails(live, team, deps) });

  const idle = scores !== null && scores.games.length === 0 && isFarFromGames(scores, night);
  // Standing in for scores that fail, a board of a minute ago would pass for news.
  const ttl = scores === null || scores.stale ? LIVE_TTL_MS : BOARD_TTL_MS;
  const board = idle ? null : await attempt(fetchBoard(team, deps, ttl, BOARD_TIMEOUT_MS), failures);
  if (scores === null && board === null) throw failures[0];
  const known = mergeGames(scores?.games ?? [], board ?? [], scores?.stale === false);
  const playing = known.find((game) => isPlaying(game, now) && isNear(game, now));
  if (playing !== undefined) {
    if (now - playing.at > STALE_LIVE_MS) throw new Refusal(SOURCE_DOWN);
    return sayable(team, now, { game: playing });
  }
  const around = { ...pickAround(known, now), calendar: board !== null };
  if (around.game !== null && isOutOfDate(around.game, now)) throw new Refusal(SOURCE_DOWN);
  // Tonight's own list is the truth about tonight: a season may be an hour old.
  const trusted = scores?.stale === false ? night : null;
  return sayable(team, now, await complete(around, known, trusted, team, deps, cost));
}

/** The Eastern date (YYYY-MM-DD) of the hockey night under way. */
function nightOf(now: number): string {
  const { day, hour } = localTime(now, HOME_ZONE);
  return hour >= NIGHT_END ? day : new Date(Date.parse(day) - 24 * HOUR).toISOString().slice(0, 10);
}

type Around = Pick<Tonight, "game" | "last" | "next" | "calendar">;

/** With the calls that are left: the season when a game is missing, the one before or after; then the last scorers. */
async function complete(
  around: Around,
  known: Game[],
  trusted: string | null,
  team: Team,
  deps: Deps,
  cost: Cost,
): Promise<Around> {
  const now = deps.now();
  const canAsk = () => cost.calls < 3 && Date.now() - cost.began <= LAST_CALL_MS;
  let { game, last, next, calendar } = around;
  const enough =
    calendar && (game?.state === "final" ? next !== null : last !== null && (next !== null || game !== null));
  if (!enough) {
    const season = canAsk() ? await attempt(fetchSeason(team, "now", deps)) : null;
    if (season === null) return { ...around, calendar: false };
    const games = mergeGames(
      known,
      season.games.filter(({ day }) => day !== trusted),
      false,
    );
    ({ game, last, next } = pickAround(games, now));
    // A season doesn't say what is under way: a game that should have begun is not « à venir ».
    if (game !== null && !known.includes(game) && isOutOfDate({ ...game, stale: true }, now))
      throw new Refusal(SOURCE_DOWN);
    const other = next === null ? season.nextSeason : last === null ? season.previousSeason : null;
    const more = other === null || !canAsk() ? null : await attempt(fetchSeason(team, other, deps));
    if (more !== null) ({ game, last, next } = pickAround(mergeGames(games, more.games, false), now));
    // Nothing to come is a fact only once all that was to be read has been.
    calendar = next !== null || season.nextSeason === null || more !== null;
  }
  if (last !== null && last.goals === null && game?.state !== "final" && canAsk()) {
    const past = await attempt(fetchScores(last.day, team, deps, EXTRA_TIMEOUT_MS));
    const { id } = last;
    last = { ...last, goals: past?.games.find((one) => one.id === id)?.goals ?? null };
  }
  return { game, last, next, calendar };
}

/** To come in an answer that isn't fresh, and its hour has passed since: anything may be true now. */
function isOutOfDate(game: Game, now: number): boolean {
  const old = game.stale || now - game.at > TONIGHT_AGE_MS;
  return old && isToCome(game, now) && game.start !== null && now > game.start;
}

function sayable(team: Team, now: number, parts: Partial<Tonight>): Tonight {
  const { game = null, last = null, next = null, calendar = true } = parts;
  const limit = game !== null && isPlaying(game, now) ? LIVE_AGE_MS : TONIGHT_AGE_MS;
  const spoken = [game, last, next].filter((one) => one !== null);
  const ages = spoken.filter((one) => one.stale || (one === game && now - one.at > limit)).map(({ at }) => now - at);
  const age = ages.length === 0 ? null : Math.max(...ages);
  return { team, now, game, last, next, calendar, age, over: isSeasonOver(game, last, next, team, now) };
}

/** Power play and empty net are sure to be on the board; a shootout's count is in the game's own page. */
async function withDetails(game: Game, team: Team, deps: Deps): Promise<Game> {
  if (game.period?.type === "SO") {
    const shootout = await attempt(fetchShootout(game.id, deps));
    return { ...game, shootout };
  }
  if (game.ice !== null || game.clock === null || game.clock.intermission) return game;
  const board = await attempt(fetchBoard(team, deps, LIVE_TTL_MS, EXTRA_TIMEOUT_MS));
  const seen = board?.find(({ id, stale }) => id === game.id && !stale);
  if (seen === undefined) return game;
  return { ...game, ice: seen.ice, networks: game.networks.length > 0 ? game.networks : seen.networks };
}

/**
 * The same games from two endpoints. What one has called over or put off, another one that lags doesn't take back. Else
 * the later of two readings counts; of two made together, the one that has advanced further, then the first. `decides`:
 * the first list is fresh, and the only one to say who plays on its days.
 */
function mergeGames(first: Game[], second: Game[], decides: boolean): Game[] {
  const merged = new Map(first.map((game) => [game.id, game]));
  const days = new Set(decides ? first.map(({ day }) => day) : []);
  for (const game of second) {
    const kept = merged.get(game.id);
    if (kept === undefined) {
      if (!days.has(game.day)) merged.set(game.id, game);
      continue;
    }
    const settled = Math.max(stageOf(game), stageOf(kept)) >= STAGES.final;
    const together = Math.abs(game.at - kept.at) < (settled ? STALE_LIVE_MS : TOGETHER_MS);
    const better = together ? stageOf(game) > stageOf(kept) : game.at > kept.at;
    if (better) merged.set(game.id, { ...game, goals: game.goals ?? kept.goals });
  }
  return [...merged.values()];
}

const STAGES = { unknown: 0, scheduled: 1, warmup: 2, live: 3, final: 4, off: 5 };

/** How far a game has come; the schedule's word goes before the state. */
function stageOf(game: Game): number {
  return isOn(game) ? STAGES[game.state] : STAGES.off;
}

/** Tonight's game if any, the last one that is over, the next one that will be played. */
function pickAround(games: Game[], now: number): Pick<Tonight, "game" | "last" | "next"> {
  const night = nightOf(now);
  const today = localTime(now, HOME_ZONE).day;
  const dayOf = ({ start, day }: Game) => (start === null ? day : localTime(start, HOME_ZONE).day);
  const isToday = (game: Game) => game.day === night || dayOf(game) === today;
  const inOrder = games.toSorted((a, b) => a.day.localeCompare(b.day) || (a.start ?? 0) - (b.start ?? 0));
  const isOver = (game: Game) => game.state === "final" && isOn(game) && dayOf(game) <= today;
  const game =
    inOrder.find((one) => isToCome(one, now) && isToday(one)) ??
    inOrder.findLast((one) => isOver(one) && one.day === night) ??
    inOrder.find((one) => !isOn(one) && isToday(one)) ??
    null;
  const last = inOrder.findLast((one) => isOver(one) && one !== game) ?? null;
  const isNext = (one: Game) =>
    isToCome(one, now) && one !== game && one.day >= night && !isToday(one) && !isMoot(one, last);
  return { game, last, next: inOrder.find(isNext) ?? null };
}

/** Still in the schedule, of a playoff series that is over: the games « if necessary ». */
function isMoot(next: Game, last: Game | null): boolean {
  const isDone = ({ series }: Game) => series !== null && Math.max(series.topWins, series.bottomWins) >= series.needed;
  const clubs = ({ away, home }: Game) => [away.abbrev, home.abbrev].sort().join();
  return isDone(next) || (last !== null && isDone(last) && next.type === PLAYOFFS && clubs(next) === clubs(last));
}

function isOn({ status }: Game): boolean {
  return status === "ok" || status === "undecided";
}

/** The clock of a period has run out, before the source says what comes next. */
function isPeriodOver({ clock }: Game): boolean {
  return clock !== null && (clock.intermission || (clock.left === 0 && !clock.running));
}

/** Over, though the source still says it is live: a lead after the third period, or in overtime, which is sudden death. */
function isDecided(game: Game): boolean {
  const { period, away, home } = game;
  if (period === null || away.score === null || home.score === null || away.score === home.score) return false;
  return period.type === "OT" || (period.type === "REG" && period.number >= 3 && isPeriodOver(game));
}

/** In progress, or in a state that is not known once its hour has come: it is not to be called « à venir ». */
function isPlaying(game: Game, now: number): boolean {
  return (
    isOn(game) && (game.state === "live" || (game.state === "unknown" && (game.start === null || game.start <= now)))
  );
}

function isToCome(game: Game, now: number): boolean {
  return isOn(game) && game.state !== "live" && game.state !== "final" && !isPlaying(game, now);
}

/** Tonight's, or begun within half a day: an old game left in a live state is not being played. */
function isNear({ day, start }: Game, now: number): boolean {
  return day === nightOf(now) || (start !== null && Math.abs(now - start) < 12 * HOUR);
}

function isOf({ type, away, home }: Game, { abbrev }: Team): boolean {
  return LEAGUE_TYPES.includes(type) && (away.abbrev === abbrev || home.abbrev === abbrev);
}

function isHome({ home }: Game, { abbrev }: Team): boolean {
  return home.abbrev === abbrev;
}

function sidesOf(game: Game, team: Team): [mine: Side, theirs: Side] {
  return isHome(game, team) ? [game.home, game.away] : [game.away, game.home];
}

/**
 * Scorers by side. `doubt`: the list lacks some, or has too many; the score is the one to trust. A shootout gives its
 * winner one point that nobody scored.
 */
function splitGoals(game: Game, team: Team): { mine: Goal[]; theirs: Goal[]; doubt: "missing" | "extra" | null } {
  const [own, other] = sidesOf(game, team);
  const mine = game.goals?.filter((goal) => goal.team === own.abbrev) ?? [];
  const theirs = game.goals?.filter((goal) => goal.team === other.abbrev) ?? [];
  if (own.score === null || other.score === null) return { mine, theirs, doubt: null };
  const shootout = game.decidedIn === "SO" ? Math.sign(own.score - other.score) : 0;
  const gaps = [own.score - Math.max(0, shootout) - mine.length, other.score - Math.max(0, -shootout) - theirs.length];
  return {
    mine,
    theirs,
    doubt: gaps.some((gap) => gap > 0) ? "missing" : gaps.some((gap) => gap < 0) ? "extra" : null,
  };
}

interface SeriesWins {
  mine: number;
  theirs: number;
  needed: number;
  final: boolean;
}

/** A playoff series from the team's side: wins of each, how many are needed, whether the Cup is at stake. */
function seriesWins({ series, type, away, home }: Game, team: Team): SeriesWins | null {
  if (series === null || type !== PLAYOFFS) return null;
  const { top, topWins, bottomWins, needed, round } = series;
  // Both zero after a game: not counted yet.
  if ((top !== away.abbrev && top !== home.abbrev) || topWins + bottomWins === 0) return null;
  const [mine, theirs] = top === team.abbrev ? [topWins, bottomWins] : [bottomWins, topWins];
  return { mine, theirs, needed, final: round === LAST_ROUND };
}

function isSeasonOver(game: Game | null, last: Game | null, next: Game | null, team: Team, now: number): boolean {
  if (game !== null) return false;
  if (last === null || last.type === PRESEASON) return false;
  if (next !== null) return next.type === PRESEASON || seasonOf(next) !== seasonOf(last);
  const wins = seriesWins(last, team);
  if (wins !== null && wins.mine === wins.needed) return wins.final;
  if (wins !== null && wins.theirs === wins.needed) return true;
  const today = localTime(now, HOME_ZONE).day;
  const month = Number(today.slice(5, 7));
  return month >= 4 && month <= 9 && daysBetween(last.day, today) > SEASON_END_DAYS;
}

/** The year a season began is in the game's id: 2025020004 is of 2025-26. */
function seasonOf({ id }: Game): number {
  return Math.floor(id / 1_000_000);
}

/** One Eastern date. `previous` and `next` are the nearest ones with games in the league. */
interface Scores {
  games: Game[];
  /** An entry that says neither who plays nor when: a team that is not in `games` may be in it. */
  unreadable: boolean;
  previous: string | null;
  next: string | null;
}

/** No game in the league for longer than a board can show, on both sides of `night`. */
function isFarFromGames({ previous, next }: Scores, night: string): boolean {
  if (previous === null || next === null) return false;
  return daysBetween(previous, night) > BOARD_REACH_DAYS && daysBetween(night, next) > BOARD_REACH_DAYS;
}

/** Every game of one Eastern date (YYYY-MM-DD), with scorers: one address for all who ask about that night. */
function fetchNight(day: string, deps: Deps, wait = TIMEOUT_MS): Promise<Reading<Scores>> {
  const back = (after: Scores, before: Scores) => hasGoneBack(after.games, before.games);
  return read(addressOf(`/v1/score/${day}`, "NHL_API", deps), deps, scoresTtl, wait, parseScores, back);
}

/** The games of `team` on one Eastern date. */
async function fetchScores(
  day: string,
  team: Team,
  deps: Deps,
  wait = TIMEOUT_MS,
): Promise<Scores & { stale: boolean }> {
  const { data, at, stale } = await fetchNight(day, deps, wait);
  const games = mark(data.games, team, at, stale);
  if (games.length === 0 && (data.unreadable || data.games.some(isHalfKnown))) throw new Refusal(SOURCE_DOWN);
  return { ...data, games, stale };
}

function scoresTtl({ games }: Scores): number {
  return games.length > 0 && games.every(({ official }) => official) ? PAST_TTL_MS : LIVE_TTL_MS;
}

/** A few days of one team, around today: states, scores and strength, no scorers. */
async function fetchBoard(team: Team, deps: Deps, ttl: number, wait: number): Promise<Game[]> {
  // A board with a live game ages as fast as the scores.
  const boardTtl = (games: Game[]) => (games.some(({ state }) => state === "live") ? LIVE_TTL_MS : ttl);
  const url = addressOf(`/v1/scoreboard/${team.abbrev}/now`, "NHL_API", deps);
  const { data, at, stale } = await read(url, deps, boardTtl, wait, parseBoard, hasGoneBack);
  if (data.some((game) => isHalfKnown(game) && !isOf(game, team))) throw new Refusal(SOURCE_DOWN);
  return mark(data, team, at, stale);
}

interface Season {
  games: Game[];
  /** The days of the entries that could not be read, as far as they tell. */
  unreadable: (string | null)[];
  previousSeason: string | null;
  nextSeason: string | null;
}

/** A whole season of one team; `season` is eight digits, or `now`. */
async function fetchSeason(team: Team, season: string, deps: Deps): Promise<Season> {
  const url = addressOf(`/v1/club-schedule-season/${team.abbrev}/${season}`, "NHL_API", deps);
  const { data, at, stale } = await read(url, deps, () => SEASON_TTL_MS, TIMEOUT_MS, parseSeason);
  // One that can't be read may be the next game, unless its day has gone by.
  const halves = data.games.filter((game) => isHalfKnown(game) && !isOf(game, team)).map(({ day }) => day);
  const night = nightOf(deps.now());
  if ([...data.unreadable, ...halves].some((day) => day === null || day >= night)) throw new Refusal(SOURCE_DOWN);
  return { ...data, games: mark(data.games, team, at, stale) };
}

/** How many have scored in a shootout under way. */
async function fetchShootout(id: number, deps: Deps): Promise<Game["shootout"]> {
  const url = addressOf(`/v1/gamecenter/${id}/landing`, "NHL_API", deps);
  const { data } = await read(url, deps, () => LIVE_TTL_MS, EXTRA_TIMEOUT_MS, parseShootout);
  return data;
}

/** One of its clubs could not be read: it may be anybody's game. */
function isHalfKnown({ away, home }: Game): boolean {
  return away.abbrev === "" || home.abbrev === "";
}

/** The games of one team, with the moment they were read. */
function mark(games: Game[], team: Team, at: number, stale: boolean): Game[] {
  return games.filter((game) => isOf(game, team)).map((game) => ({ ...game, at, stale }));
}

/** A list that loses a live game, or sends one back before its start, is a bad read: the one before is the truth. */
function hasGoneBack(after: Game[], before: Game[]): boolean {
  return before.some((old) => {
    const stage = after.find(({ id }) => id === old.id)?.state;
    return STAGES[old.state] >= STAGES.live && (stage === undefined || stage === "scheduled" || stage === "warmup");
  });
}

// What the source sends: every field optional, three shapes known since 2023. These readers turn it into what the
// sentences need; what is missing or strange becomes `null`.

function parseScores(body: Json): Scores {
  if (!Array.isArray(body.games)) throw new Refusal(SOURCE_DOWN);
  const games = parseGames(body.games);
  return {
    games,
    unreadable: games.length < body.games.length,
    previous: parseDay(body.prevDate),
    next: parseDay(body.nextDate),
  };
}

function parseBoard({ gamesByDate }: Json): Game[] {
  if (!Array.isArray(gamesByDate)) throw new Refusal(SOURCE_DOWN);
  // Every entry is of the team: one that can't be read may be the one to speak of.
  return list(gamesByDate).flatMap(({ date, games }) => {
    const read = parseGames(games, parseDay(date));
    if (Array.isArray(games) && read.length < games.length) throw new Refusal(SOURCE_DOWN);
    return read;
  });
}

function parseSeason({ games, previousSeason, nextSeason }: Json): Season {
  if (!Array.isArray(games)) throw new Refusal(SOURCE_DOWN);
  const unreadable = games.flatMap((game) => (parseGames([game]).length > 0 ? [] : [parseDay(object(game).gameDate)]));
  const season = (value: unknown) => (/^\d{8}$/.test(String(value)) ? String(value) : null);
  return {
    games: parseGames(games),
    unreadable,
    previousSeason: season(previousSeason),
    nextSeason: season(nextSeason),
  };
}

/** An array in the older captures, an object since 2025-26: only the latter counts both teams. */
function parseShootout({ summary }: Json): Game["shootout"] {
  const score = object(object(object(summary).shootout).liveScore);
  const [away, home] = [small(score.away), small(score.home)];
  return away === null || home === null ? null : { away, home };
}

function parseGames(games: unknown, day: string | null = null): Game[] {
  return list(games).flatMap((game) => parseGame(game, day) ?? []);
}

function parseGame(game: Json, enclosing: string | null): Game | null {
  const id = count(game.id);
  const start = Date.parse(String(game.startTimeUTC));
  const day = parseDay(game.gameDate) ?? enclosing ?? (Number.isNaN(start) ? null : localTime(start, HOME_ZONE).day);
  const away = parseSide(game.awayTeam);
  const home = parseSide(game.homeTeam);
  if (id === null || day === null || (away.abbrev === "" && home.abbrev === "")) return null;
  const rawState = String(game.gameState ?? "");
  const state = Object.hasOwn(STATES, rawState) ? STATES[rawState] : "unknown";
  const rawStatus = String(game.gameScheduleState ?? "OK");
  const clock = parseClock(game.clock);
  const period =
    parsePeriod(object(game.periodDescriptor), game) ??
    (clock === null ? null : parsePeriod({ number: game.period }, game));
  const started = state === "live" || state === "final" || state === "unknown";
  const outcome = object(game.gameOutcome).lastPeriodType ?? period?.type;
  const zone = String(game.venueTimezone ?? "");
  const offset = parseOffset(game.venueUTCOffset);
  return {
    at: 0,
    stale: false,
    id,
    type: count(game.gameType) ?? REGULAR,
    day,
    start: Number.isNaN(start) ? null : start,
    state,
    official: rawState === "OFF",
    status: Object.hasOwn(STATUSES, rawStatus) ? STATUSES[rawStatus] : "ok",
    away,
    home,
    neutral: game.neutralSite === true || (offset !== null && offset > WEST_OF_EUROPE),
    city: Object.hasOwn(NEUTRAL_CITIES, zone) ? NEUTRAL_CITIES[zone] : null,
    offset,
    period: started ? period : null,
    clock: started ? clock : null,
    ice:
      state === "live" && !clock?.intermission && period?.type !== "SO"
        ? parseIce(object(game.situation), away, home)
        : null,
    decidedIn: state === "final" && typeof outcome === "string" ? outcome : null,
    shootout: null,
    goals:
      Array.isArray(game.goals) && started ? list(game.goals).flatMap((goal) => parseGoal(goal, game) ?? []) : null,
    networks: parseNetworks(list(game.tvBroadcasts)),
    series: parseSeries(object(game.seriesStatus)),
  };
}

/** CRIT is the end of a close game, overtime and shootout: still being played. Anything new is « unknown ». */
const STATES: Record<string, Game["state"]> = {
  FUT: "scheduled",
  PRE: "warmup",
  LIVE: "live",
  CRIT: "live",
  OVER: "final",
  FINAL: "final",
  OFF: "final",
};

const STATUSES: Record<string, Game["status"]> = {
  TBD: "undecided",
  PPD: "postponed",
  CNCL: "cancelled",
  DONT_PLAY: "cancelled",
  SUSP: "suspended",
};

function parseSide(value: unknown): Side {
  const side = object(value);
  const abbrev = typeof side.abbrev === "string" ? side.abbrev.toUpperCase() : "";
  const name = cleanName(localText(side.name), 4) ?? cleanName(localText(side.commonName), 4) ?? "l'autre équipe";
  const club = Object.hasOwn(CLUBS, abbrev)
    ? CLUBS[abbrev]
    : { who: name, at: `à l'étranger contre ${name}`, team: name };
  return { ...club, abbrev, score: small(side.score), shots: small(side.sog) };
}

function parsePeriod({ number: rawNumber, periodType, maxRegulationPeriods }: Json, { gameType }: Json): Period | null {
  const number = small(rawNumber);
  if (number === null || number < 1) return null;
  const overtime = Math.max(0, number - (small(maxRegulationPeriods) ?? 3));
  const guess = overtime === 0 ? "REG" : overtime === 2 && gameType !== PLAYOFFS ? "SO" : "OT";
  const type = periodType === "REG" || periodType === "OT" || periodType === "SO" ? periodType : guess;
  return { number, type, overtime: type === "OT" ? Math.max(1, overtime) : overtime };
}

/** The seconds and the text may disagree: the seconds win when they are not zero. */
function parseClock(value: unknown): Clock | null {
  const { secondsRemaining, timeRemaining, running, inIntermission } = object(value);
  const left = small(secondsRemaining) || parseTime(timeRemaining);
  if (left === null && inIntermission !== true) return null;
  return { left, running: running === true, intermission: inIntermission === true };
}

/** `MM:SS` in seconds. */
function parseTime(value: unknown): number | null {
  const time = /^(\d{1,2}):(\d{2})$/.exec(String(value));
  return time === null ? null : Number(time[1]) * 60 + Number(time[2]);
}

/**
 * The code reads: away goalie, away skaters, home skaters, home goalie. A team without its goalie has a skater too
 * many: that is no power play. The source may keep a situation after its time is up.
 */
function parseIce({ situationCode, secondsRemaining, timeRemaining }: Json, away: Side, home: Side): Ice | null {
  const code = /^([01])(\d)(\d)([01])$/.exec(String(situationCode));
  if (code === null || secondsRemaining === 0 || parseTime(timeRemaining) === 0) return null;
  const [awayIn, awaySkaters, homeSkaters, homeIn] = code.slice(1).map(Number);
  // One against none is a penalty shot.
  if (Math.min(awaySkaters, homeSkaters) < 3) return null;
  const lead = awaySkaters - (1 - awayIn) - (homeSkaters - (1 - homeIn));
  const advantage = lead === 0 ? null : lead > 0 ? away : home;
  const pulled = awayIn === 0 ? away : homeIn === 0 ? home : null;
  if (advantage === null && pulled === null) return null;
  const strength =
    (advantage ?? pulled) === away ? `${awaySkaters} contre ${homeSkaters}` : `${homeSkaters} contre ${awaySkaters}`;
  return { advantage, pulled, strength };
}

/** A goal of the game; the ones of a shootout are not. */
function parseGoal(goal: Json, game: Json): Goal | null {
  const team = localText(goal.teamAbbrev);
  const period = parsePeriod(object(goal.periodDescriptor), game) ?? parsePeriod({ number: goal.period }, game);
  if (team === null || period?.type === "SO") return null;
  const helpers = Array.isArray(goal.assists)
    ? list(goal.assists).map((assist) => parseSkater(assist)?.last ?? null)
    : null;
  const known = helpers?.filter((name) => name !== null) ?? null;
  return {
    team,
    scorer: parseSkater(goal),
    helpers: known !== null && known.length === 0 && helpers?.length !== 0 ? null : known,
    strength: String(goal.strength ?? "").toLowerCase(),
    modifier: typeof goal.goalModifier === "string" ? goal.goalModifier : "none",
    period,
    elapsed: parseTime(goal.timeInPeriod),
  };
}

/** Names come whole, or as « C. Caufield »: a voice reads the initial, so it goes. */
function parseSkater({ name, firstName, lastName }: Json): Skater | null {
  const short = localText(name)?.replace(/^(\p{Lu}\.[ -]?)+/u, "") ?? null;
  const last = cleanName(localText(lastName), 3) ?? cleanName(short, 3);
  return last === null ? null : { first: cleanName(localText(firstName), 2), last };
}

function parseNetworks(broadcasts: Json[]): string[] {
  const said = NETWORKS.map((names) => {
    const heard = broadcasts.map(({ network }) =>
      Object.hasOwn(names, String(network)) ? names[String(network)] : null,
    );
    return [...new Set(heard.filter((name) => name !== null))].slice(0, 2);
  });
  return said.find((names) => names.length > 0) ?? [];
}

function parseSeries(status: Json): Series | null {
  const { topSeedTeamAbbrev: top, topSeedWins, bottomSeedWins, neededToWin, round, gameNumberOfSeries } = status;
  const [topWins, bottomWins] = [small(topSeedWins), small(bottomSeedWins)];
  if (typeof top !== "string" || topWins === null || bottomWins === null) return null;
  return {
    top,
    topWins,
    bottomWins,
    needed: small(neededToWin) ?? 4,
    round: small(round),
    game: small(gameNumberOfSeries),
  };
}

function parseDay(value: unknown): string | null {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : null;
}

/** `+01:00` in minutes. */
function parseOffset(value: unknown): number | null {
  const offset = /^([+-])(\d{2}):(\d{2})$/.exec(String(value));
  return offset === null ? null : (offset[1] === "-" ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3]));
}

/** A count, or `null`: unknown is not zero. */
function count(value: unknown): number | null {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** A count of something on the ice; beyond the seconds of a period it is a mistake of the source. */
function small(value: unknown): number | null {
  const number = count(value);
  return number !== null && number <= FULL_PERIOD ? number : null;
}

/** A plain string (2023), `{ default, fr? }`; never another language. */
function localText(value: unknown): string | null {
  const { fr, default: original } = object(value);
  const text = typeof value === "string" ? value : (fr ?? original);
  return typeof text === "string" ? text : null;
}

/**
 * A name of a person or a club as a voice reads it, or `null` for anything that isn't one: it is spoken unquoted. Names
 * begin with a capital, particles aside; « St. » is said, other full stops are not.
 */
function cleanName(text: string | null, words: number): string | null {
  const name = cleanText(text ?? "")
    .replace(/\bSt\. /g, "Saint ")
    .replace(/\./g, " ")
    .replaceAll("’", "'");
  const parts = name.split(" ").filter((part) => part !== "");
  const isName = (part: string) => /^\p{Lu}[\p{L}\p{M}'-]{0,19}$/u.test(part) || NAME_PARTICLES.test(part);
  if (parts.length === 0 || parts.length > words || !parts.every(isName)) return null;
  return parts.map((part) => (/^\p{Lu}{2,}$/u.test(part) ? part[0] + part.slice(1).toLowerCase() : part)).join(" ");
}

const NAME_PARTICLES = /^(?:af|al|bin|da|de|del|den|der|di|du|el|la|le|of|ten|ter|the|van|von|zu)$/;

/** One night of the league. `lost` counts the games that an older answer can't speak of any more. */
interface Evening {
  day: string;
  now: number;
  games: Game[];
  lost: number;
  /** The source sent entries that could not be read. */
  partial: boolean;
  /** The nearest dates with games in the league. */
  previous: string | null;
  next: string | null;
  age: number | null;
}

/** What the league plays; the rest is of national teams, stars and other leagues. */
/** Years on each side of this one that a person may ask about: the calendar goes no further. */
const YEARS_REACH = 2;
/** « samedi 6 décembre », a week before a Sunday 6 December: a slip, not the Saturday of a year ago. */
const SAME_YEAR = 300;

/** Every game of an Eastern date, those of the seven teams first. One call, to the address that match_lnh reads too. */
async function fetchEvening(day: string, deps: Deps): Promise<Evening> {
  const now = deps.now();
  const { data, at, stale } = await fetchNight(day, deps);
  const { unreadable: partial, previous, next } = data;
  const all = data.games.filter(({ type }) => LEAGUE_TYPES.includes(type)).map((game) => ({ ...game, at, stale }));
  // Under way back then, or begun since: anything may be true now.
  const isLost = (game: Game) => isOutOfDate(game, now) || (isPlaying(game, now) && now - at > STALE_LIVE_MS);
  const games = all.filter((game) => !isLost(game)).toSorted(byInterest);
  const lost = all.length - games.length;
  if (games.length === 0 && (lost > 0 || partial)) throw new Refusal(SOURCE_DOWN);
  return {
    day,
    now,
    games,
    lost,
    partial,
    previous: previous !== null && previous < day ? previous : null,
    next: next !== null && next > day ? next : null,
    age: stale ? now - at : null,
  };
}

/** A game of one of the seven teams comes first; then the hour, an unknown one last. */
function byInterest(one: Game, other: Game): number {
  const rank = ({ away, home }: Game) => Number(![away, home].some(({ abbrev }) => Object.hasOwn(TEAM_ZONES, abbrev)));
  const hour = ({ start }: Game) => start ?? Number.MAX_SAFE_INTEGER;
  return rank(one) - rank(other) || hour(one) - hour(other);
}

/** What people say around a day. */
const DAY_FILLERS = new Set(
  "a au ce cet cette d de des du est game games journee l la le les match matchs matin pour soir soiree".split(" "),
);

/** Nights away from the one under way. Nothing but fillers is « ce soir ». */
const NIGHTS_AWAY: Record<string, number> = {
  "": 0,
  "aujourd hui": 0,
  maintenant: 0,
  nuit: 0,
  today: 0,
  tonight: 0,
  hier: -1,
  "nuit derniere": -1,
  "nuit passee": -1,
  yesterday: -1,
  "avant hier": -2,
  avanthier: -2,
  demain: 1,
  tomorrow: 1,
  "apres demain": 2,
};

/** Small numbers as people say them, folded, by their rank. */
const NUMBERS_SAID = NUMBERS.map(fold);

const DAY_UNKNOWN =
  "Je n'ai pas compris la date. Je comprends « hier », « ce soir », « demain », un jour comme « samedi », « samedi dernier » ou « samedi prochain », et une date comme « le 5 décembre », « 5 décembre 2026 » ou « 2026-12-05 ». " +
  "Rien n'a été cherché, et ça ne veut pas dire qu'il n'y a pas de match. Redemande avec une de ces façons de dire.";
const DAY_IMPOSSIBLE =
  "Cette date n'existe pas au calendrier. Ça arrive quand le jour, le mois ou le jour de la semaine ne vont pas ensemble. Rien n'a été cherché, et ça ne veut pas dire qu'il n'y a pas de match. Vérifie la date et redemande.";
const DAY_TOO_FAR =
  "Cette date est trop loin : je réponds pour les deux années avant celle-ci et les deux années après. Ça ne changera pas en redemandant, et ça ne veut pas dire que la Ligue nationale n'y joue pas. Redemande avec une date plus proche.";

/**
 * The Eastern date that was said, from the hockey night under way: at one in the morning « ce soir » is still last
 * night. A bare weekday is the next one to come, tonight included; a date without its year is the nearest one.
 */
function findNight(said: unknown, now: number): string {
  const night = nightOf(now);
  if (typeof said !== "string") return night;
  const iso = /^\W*(\d{4})-(\d{2})-(\d{2})\W*$/.exec(said);
  if (iso !== null) return checkDate(dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3])), Number(iso[1]), night);
  const plain = fold(said)
    .replace(/apres[- ]midi|\ba \d{1,2} ?h(?:eures?)?(?: ?\d{2})?\b/g, "")
    // « les deux matchs de ce soir » is no day of the month.
    .replace(/\b[a-z0-9]+ match(?:e?s)?\b/g, (text) =>
      /^(?:les|des|le|un|\d+|deux|trois|quatre|cinq) /.test(text) ? "" : text,
    );
  const away = /^(dans|il y a) (\d{1,2}|[a-z]+) jours?$/.exec(plain.trim());
  const days = Number(inFigures(away?.[2] ?? ""));
  // Past midnight, days are counted from the calendar's today, which the night under way began before.
  const { day: today } = localTime(now, HOME_ZONE);
  if (away !== null && days <= 31) return addDays(today, away[1] === "dans" ? days : -days);
  const heard = plain.split(/[^a-z0-9]+/).filter((word) => word !== "" && !DAY_FILLERS.has(word));
  const words = heard.map(inFigures);
  // « le dernier samedi » is « samedi dernier ».
  if (/^(?:dernier|prochain)$/.test(words[0] ?? "") && words.length === 2) words.reverse();
  const text = words.join(" ");
  if (Object.hasOwn(NIGHTS_AWAY, text) && /\p{L}/u.test(said)) {
    return addDays(NIGHTS_AWAY[text] < 0 ? today : night, NIGHTS_AWAY[text]);
  }
  const weekday = WEEKDAYS.findIndex((name) => words.length > 0 && isClose(words[0], name));
  const date = words.slice(weekday === -1 ? 0 : 1);
  const isDayOfMonth = weekday >= 0 || /\ble (?:\d|[a-z])/.test(plain);
  if (isDayOfMonth && date.length === 1 && /^\d{1,2}$/.test(date[0]))
    return findDayOfMonth(weekday, Number(date[0]), night);
  return weekday >= 0 && date.length < 2 ? findWeekday(weekday, date[0], night) : findDate(weekday, date, night);
}

/** « cinq » is 5; any other word is itself. */
function inFigures(word: string): string {
  const number = NUMBERS_SAID.indexOf(word);
  if (word === "vingt" || word === "trente") return word === "vingt" ? "20" : "30";
  return number === -1 ? word.replace(/^(?:premier|1er)$/, "1") : String(number);
}

function findWeekday(weekday: number, which: string | undefined, night: string): string {
  const ahead = (weekday - weekdayOf(night) + 7) % 7;
  if (which === undefined) return addDays(night, ahead);
  if (which === "prochain") return addDays(night, ahead === 0 ? 7 : ahead);
  if (which === "dernier" || which === "passe") return addDays(night, ahead - 7);
  throw new Refusal(DAY_UNKNOWN);
}

/** « le 20 », « lundi 19 »: of this month or a neighbour, the nearest one. */
function findDayOfMonth(weekday: number, date: number, night: string): string {
  const near = Array.from({ length: 63 }, (_, index) => addDays(night, index - 31)).filter((day) => {
    return Number(day.slice(8)) === date && (weekday === -1 || weekdayOf(day) === weekday);
  });
  const [nearest] = near.toSorted(
    (one, other) => Math.abs(daysBetween(night, one)) - Math.abs(daysBetween(night, other)),
  );
  if (nearest === undefined) throw new Refusal(DAY_IMPOSSIBLE);
  return nearest;
}

/** « 5 décembre », « premier novembre 2026 »; `weekday` is −1 when none was said, else it must be that of the date. */
function findDate(weekday: number, [number, name = "", year, ...rest]: string[], night: string): string {
  const date = number === "premier" ? 1 : Number(/^(\d{1,2})(?:er)?$/.exec(number ?? "")?.[1]);
  const months = MONTHS.map(fold);
  const named = months.includes(name)
    ? [months.indexOf(name)]
    : months.flatMap((one, index) => ((name.length > 2 && one.startsWith(name)) || isClose(name, one) ? [index] : []));
  if (Number.isNaN(date) || named.length !== 1 || rest.length > 0) throw new Refusal(DAY_UNKNOWN);
  if (year !== undefined && !/^\d{4}$/.test(year)) throw new Refusal(DAY_UNKNOWN);
  const current = Number(night.slice(0, 4));
  // A 29 February is up to four years away; within reach, the nearest one is meant.
  const years = year === undefined ? [0, -1, 1, -2, 2].map((away) => current + away) : [Number(year)];
  const distance = (day: string) => Math.abs(daysBetween(night, day));
  const dates = years
    .flatMap((one) => dateOf(one, named[0] + 1, date) ?? [])
    .filter(
      (day) => weekday === -1 || (weekdayOf(day) === weekday && (year !== undefined || distance(day) < SAME_YEAR)),
    )
    .toSorted((one, other) => distance(one) - distance(other));
  return checkDate(dates[0] ?? null, Number(year ?? current), night);
}

function checkDate(day: string | null, year: number, night: string): string {
  if (Math.abs(year - Number(night.slice(0, 4))) > YEARS_REACH) throw new Refusal(DAY_TOO_FAR);
  if (day === null) throw new Refusal(DAY_IMPOSSIBLE);
  return day;
}

/**
 * The games ahead of a team, in order, with those called off in their place. `whole` is false when a calendar that
 * exists could not be read; `spare` holds the games that a playoff series may not need.
 */
interface Schedule {
  team: Team;
  now: number;
  games: Game[];
  asked: number;
  spare: number[];
  last: Game | null;
  whole: boolean;
  age: number | null;
}

/**
 * The next `asked` games of `team`, in one call; two when it plays tonight, whose scores say what has changed and what
 * has begun; two or three when the season ends first. Throws a `Refusal` when the season can't be read.
 */
async function fetchSchedule(team: Team, asked: number, given: Deps): Promise<Schedule> {
  const now = given.now();
  const night = nightOf(now);
  const { deps, cost } = counting(given);
  const canAsk = () => cost.calls < 3 && Date.now() - cost.began <= LAST_CALL_MS;
  const season = await fetchSeason(team, "now", deps);
  let games = season.games;
  let tonight: number[] = [];
  if (games.some(({ day, state }) => day === night && state !== "final") && canAsk()) {
    const scores = await attempt(fetchScores(night, team, deps, EXTRA_TIMEOUT_MS));
    if (scores !== null && !scores.stale) {
      tonight = scores.games.map(({ id }) => id);
      games = [
        ...scores.games.map((game) => withNetworks(game, games)),
        ...games.filter(({ day, id }) => day !== night && !tonight.includes(id)),
      ];
    } else if (scores !== null) games = mergeGames(scores.games, games, false);
  }
  const isFresh = ({ id }: Game) => tonight.includes(id);
  let ahead = pickAhead(games, asked, isFresh, now);
  let whole = true;
  if (ahead.filter(isOn).length < asked && season.nextSeason !== null) {
    const more = canAsk() ? await attempt(fetchSeason(team, season.nextSeason, deps)) : null;
    whole = more !== null;
    games = mergeGames(games, more?.games ?? [], false);
    ahead = pickAhead(games, asked, isFresh, now);
  }
  const { last } = pickAround(games, now);
  const old = ahead.filter(({ at, stale, day }) => stale || (day === night && now - at > TONIGHT_AGE_MS));
  // With nothing ahead, it is the calendar itself that may be old.
  const stale = ahead.length === 0 ? season.games.filter((game) => game.stale).slice(0, 1) : old;
  const age = stale.length === 0 ? null : Math.max(...stale.map(({ at }) => now - at));
  const spare = ahead.filter((game) => isSpare(game, games)).map(({ id }) => id);
  return { team, now, games: ahead, asked, spare, last, whole, age };
}

/** The scores of a night don't always have the networks that the calendar has. */
function withNetworks(game: Game, calendar: Game[]): Game {
  const known = calendar.find(({ id }) => id === game.id)?.networks ?? [];
  return { ...game, networks: game.networks.length > 0 ? game.networks : known };
}

/** The first `asked` games that will be played, and at most as many that won't, up to the last of them. */
function pickAhead(games: Game[], asked: number, isFresh: (game: Game) => boolean, now: number): Game[] {
  const inOrder = games.toSorted((a, b) => a.day.localeCompare(b.day) || (a.start ?? 0) - (b.start ?? 0));
  const last = inOrder.findLast((game) => game.state === "final" && isOn(game)) ?? null;
  const ahead = inOrder.filter((game) => isAhead(game, isFresh(game), now) && !isMoot(game, last));
  const on = ahead.filter(isOn).slice(0, asked);
  const off = ahead.filter((game) => !isOn(game)).slice(0, asked);
  const end = on.length < asked ? ahead.length : ahead.indexOf(on[asked - 1]);
  return ahead.filter((game, index) => index <= end && (on.includes(game) || off.includes(game)));
}

/**
 * Not begun yet. Only a fresh reading of tonight (`fresh`) tells a game that is late from one that has begun; in a
 * calendar of an hour ago, one whose hour has passed is being played.
 */
function isAhead(game: Game, fresh: boolean, now: number): boolean {
  const { day, start, state, status } = game;
  const night = nightOf(now);
  if (state === "live" || state === "final") return status === "suspended" && day >= night;
  if (!isOn(game)) return day >= night;
  if (start === null || status === "undecided") return day > night || (day === night && isToCome(game, now));
  return start > now || (fresh && isToCome(game, now));
}

/** A game of a playoff series that may be over before it: the wins of the latest game of the two clubs say so. */
function isSpare(game: Game, games: Game[]): boolean {
  const clubs = ({ away, home }: Game) => [away.abbrev, home.abbrev].sort().join();
  const states = games.flatMap((one) =>
    one.type === PLAYOFFS && clubs(one) === clubs(game) ? (one.series ?? []) : [],
  );
  const number = game.series?.game ?? null;
  if (game.type !== PLAYOFFS || number === null) return false;
  const played = Math.max(...states.map(({ topWins, bottomWins }) => topWins + bottomWins));
  const { needed, topWins, bottomWins } = states.find((one) => one.topWins + one.bottomWins === played) ?? states[0];
  return number - played > needed - Math.max(topWins, bottomWins);
}

/** Games end all evening: standings of a minute ago may lack one, and are read again. */
const STANDINGS_TTL_MS = MINUTE;
/** The playoffs last some two months: a final table older than this is of the season before. */
const PLAYOFFS_DAYS = 75;
/** How many teams of a group are said aloud. */
const TOP_COUNT = 5;
/** Who makes it since 2014: three teams a division, and two more a conference, the wild cards. */
const DIVISION_PLACES = 3;
const WILD_CARDS = 2;
/** More points than a season holds. */
const POINTS_LIMIT = 200;
/** Since 2026-27; 82 before. With the longest season, a team is never called eliminated too early. */
const SEASON_GAMES = 84;
/** Wins that take a playoff series. */
const NEEDED = 4;
/** Whole playoffs have fifteen series, lettered A to O; those of 2020 had more, and other letters. */
const BRACKET_SIZE = 15;
const FIRST_ROUND_SIZE = 8;
/** The month from which the bracket to read is the next year's. */
const SEASON_START_MONTH = 10;

const STANDINGS_DOWN =
  "La Ligue nationale ne donne pas le classement en ce moment. Ça dure d'habitude quelques minutes, et ça ne veut pas dire que le classement a changé. Redemande dans une minute.";
const PLAYOFFS_DOWN =
  "La Ligue nationale ne donne pas l'état des séries en ce moment. Ça dure d'habitude quelques minutes, et ça ne veut pas dire que les séries sont finies. Redemande dans une minute.";

/** By the source's letter. The divisions of 2020-21 were others: they are known by their absence here. */
const SECTIONS: Record<string, string> = {
  A: "la section Atlantique",
  M: "la section Métropolitaine",
  C: "la section Centrale",
  P: "la section Pacifique",
};

const CONFERENCES: Record<string, string> = { E: "l'association de l'Est", W: "l'association de l'Ouest" };

/** `of` is the source's letter; « own » is the team's, and `null` the whole league. */
interface Group {
  kind: "division" | "conference" | "league" | "wildcard" | "playoffs";
  of: string | null;
}

/** The words that name a group; the first line that is heard decides: « les repêchés de l'Est », « la section Atlantique ». */
const GROUP_WORDS: [key: string, words: string][] = [
  [
    "wildcard",
    "repeches repeche repechees repechee repechage repechages wild wildcard wildcards card cards joker jokers",
  ],
  ["playoffs", "series serie eliminatoires eliminatoire playoffs playoff"],
  ["A", "atlantique atlantic"],
  ["M", "metropolitaine metropolitain metropolitan metro"],
  ["C", "centrale central centre"],
  ["P", "pacifique pacific"],
  // After « ouest »: « est » is a verb too.
  ["W", "ouest west western"],
  ["league", "ligue league lnh nhl nationale national general generale overall"],
  ["E", "est east eastern"],
  ["division", "section sections division divisions"],
  ["conference", "association associations conference conferences"],
];

const GROUP_FILLER = new Set(
  (
    "course courses place places top tete premier premiere premiers premieres meilleur meilleurs meilleures equipes classement " +
    "qui mene menent dans tout toute toutes entier entiere the of in all position situation"
  ).split(" "),
);

/** The group that was said; `null` when the words name none. Throws a `Refusal` that lists them. */
function findGroup(said: unknown): Group | null {
  if (typeof said !== "string") return null;
  // The verb is not the East: « qui est premier de l'Est ».
  const text = fold(said).replace(/\b(?:c'|(?:qui|quelle?|il|elle|ou|on|equipe) )est\b/g, " ");
  const words = text.split(/[^a-z0-9]+/).filter((word) => word !== "");
  const keyOf = (word: string) =>
    GROUP_WORDS.find(([, known]) => known.split(" ").some((one) => isClose(word, one)))?.[0] ?? null;
  const keys = words.map(keyOf);
  const strangers = words.filter(
    // The bottom of a group is not its top.
    (word, index) =>
      keys[index] === null && (/^(?:dernier|final)/.test(word) || !(FILLER_WORDS.has(word) || GROUP_FILLER.has(word))),
  );
  if (strangers.length > 0 || !/\p{L}/u.test(said))
    throw new Refusal(
      "Je ne connais pas ce groupe d'équipes. L'argument « groupe » peut être l'Atlantique, la Métropolitaine, la Centrale, le Pacifique, l'Est, l'Ouest, la ligue, " +
        "les repêchés, les repêchés de l'Est ou de l'Ouest, ou les séries. Rien n'a été cherché; corrige-le et rappelle l'outil.",
    );
  const key = GROUP_WORDS.find(([one]) => keys.includes(one))?.[0];
  if (key === undefined) return null;
  const conference = keys.includes("W") ? "W" : keys.includes("E") ? "E" : null;
  if (key === "wildcard" || key === "playoffs") return { kind: key, of: conference };
  if (key === "division" || key === "conference") return { kind: key, of: "own" };
  if (key === "league") return { kind: key, of: null };
  return { kind: key in CONFERENCES ? "conference" : "division", of: key };
}

/** One team's line. Ranks are the source's: it breaks the ties. */
interface Standing extends Club {
  abbrev: string;
  conference: string | null;
  division: string | null;
  leagueRank: number | null;
  conferenceRank: number | null;
  divisionRank: number | null;
  /** 0 for the first three of a division. */
  wildcardRank: number | null;
  games: number | null;
  wins: number | null;
  losses: number | null;
  overtime: number | null;
  points: number | null;
  clinch: string | null;
}

/** `day` is the Eastern date of the table; `sections` the divisions that have today's names and places. */
interface Table {
  rows: Standing[];
  wildcard: boolean;
  sections: Set<string>;
  day: string | null;
}

/** `past`: the table is the last one of a season, this year's or the year before's. `lag`: a game that isn't in it. */
interface Standings {
  team: Team;
  named: boolean;
  row: Standing;
  table: Table;
  group: Group | null;
  past: "season" | "year" | null;
  lag: Lag | null;
  age: number | null;
  now: number;
}

/** `sure` is false when the count of the day before could not be read. */
interface Lag {
  /** `null` when the night's games could not be read: there may be one. */
  game: Game | null;
  sure: boolean;
}

/**
 * The standings for `team`, and the games of the night that they don't count: one call out of season or two, two on a
 * night in season, three when a game is over and the count of the day before has to tell. Throws a `Refusal`.
 */
async function fetchStandings(team: Team, named: boolean, group: Group | null, given: Deps): Promise<Standings> {
  const now = given.now();
  const { deps, cost } = counting(given);
  const night = nightOf(now);
  const dated = await attempt(fetchTable(night, deps, TIMEOUT_MS));
  // At six in the morning the address changes: the one of the day before has the last good answer.
  const today = dated ?? (await attempt(fetchTable(dayBefore(night), deps, EXTRA_TIMEOUT_MS)));
  // Out of season a date has no table: « now » is the last one there was.
  const isOut = dated !== null && dated.rows.length === 0;
  const latest = isOut ? await attempt(fetchTable("now", deps, BOARD_TIMEOUT_MS)) : today;
  if (latest === null || latest.rows.length === 0) throw new Refusal(STANDINGS_DOWN);
  const { at, stale, ...table } = latest;
  const row = table.rows.find(({ abbrev }) => abbrev === team.abbrev);
  if (row === undefined)
    throw new Refusal(
      `${team.who} n'apparaît pas au classement que donne la Ligue nationale. C'est rare et d'habitude passager, et ça ne veut pas dire que l'équipe est exclue. Redemande dans quelques minutes.`,
    );
  // A table that is missing for today is the end of a season only when everybody has played one.
  const ended = isOut && table.rows.every(({ games }) => games !== null && games >= WHOLE_SEASON);
  const age = table.day === null ? 0 : daysBetween(table.day, night);
  const asked =
    group?.of === "own" ? { ...group, of: group.kind === "division" ? row.division : row.conference } : group;
  const eve = dated === null ? today : null;
  const lag = ended ? null : await fetchLag(spokenRows(asked, row, table), eve, night, deps, cost);
  return {
    team,
    named,
    row,
    table,
    group: asked,
    past: !ended ? null : age <= PLAYOFFS_DAYS ? "season" : "year",
    lag,
    age: stale ? now - at : null,
    now,
  };
}

/** Games of a regular season; 84 since 2026-27. */
const WHOLE_SEASON = 82;

/** A game of tonight that the table lacks, of one of these teams; `known` is the day before's table if it was read. */
async function fetchLag(
  rows: Standing[],
  known: Table | null,
  night: string,
  deps: Deps,
  cost: Cost,
): Promise<Lag | null> {
  const scores = await attempt(fetchNight(night, deps, EXTRA_TIMEOUT_MS));
  const { hour } = localTime(deps.now(), HOME_ZONE);
  if (scores === null) return hour >= EVENING || hour < NIGHT_END ? { game: null, sure: false } : null;
  const isOfRows = ({ away, home }: Game, { abbrev }: Standing) => away.abbrev === abbrev || home.abbrev === abbrev;
  const games = (scores?.data.games ?? []).filter(
    (game) => game.type === REGULAR && rows.some((row) => isOfRows(game, row)),
  );
  const now = deps.now();
  const live = games.find((game) => isPlaying(game, now) && isNear(game, now));
  if (live !== undefined) return { game: live, sure: true };
  const over = games.filter((game) => game.state === "final" && isOn(game));
  if (over.length === 0) return null;
  const canAsk = known === null && cost.calls < 3;
  const eve = canAsk ? await attempt(fetchTable(dayBefore(night), deps, EXTRA_TIMEOUT_MS)) : known;
  if (eve === null) return { game: over[0], sure: false };
  const isCounted = (row: Standing) => {
    // Before the season there is no table: nobody had played.
    const before = eve.rows.length === 0 ? 0 : eve.rows.find(({ abbrev }) => abbrev === row.abbrev)?.games;
    return row.games === null || before === undefined || before === null || row.games > before;
  };
  const missing = over.find((game) => rows.some((row) => isOfRows(game, row) && !isCounted(row)));
  return missing === undefined ? null : { game: missing, sure: true };
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 24 * HOUR).toISOString().slice(0, 10);
}

/** One Eastern date, or `now`; no rows when that date has no table. */
async function fetchTable(day: string, deps: Deps, wait: number): Promise<Table & { at: number; stale: boolean }> {
  const isOld = day === "now" || day < nightOf(deps.now());
  const ttl = ({ rows }: Table) => (isOld || rows.length === 0 ? SEASON_TTL_MS : STANDINGS_TTL_MS);
  const url = addressOf(`/v1/standings/${day}`, "NHL_API", deps);
  const { data, at, stale } = await read(url, deps, ttl, wait, parseTable);
  return { ...data, at, stale };
}

function parseTable({ standings, wildCardIndicator }: Json): Table {
  if (!Array.isArray(standings)) throw new Refusal(STANDINGS_DOWN);
  const rows = list(standings).flatMap((row) => parseStanding(row) ?? []);
  if (standings.length > 0 && rows.length === 0) throw new Refusal(STANDINGS_DOWN);
  const days = list(standings).flatMap(({ date }) => parseDay(date) ?? []);
  // A line that can't be read would move the line between in and out.
  const wildcard = wildCardIndicator === true && rows.length === standings.length;
  const letters = new Set(rows.map(({ division }) => division ?? ""));
  const sections = Object.keys(SECTIONS).every((letter) => letters.has(letter))
    ? new Set(Object.keys(SECTIONS))
    : new Set<string>();
  return { rows, wildcard, sections, day: days.length === 0 ? null : days.toSorted()[days.length - 1] };
}

function parseStanding(row: Json): Standing | null {
  const { who, at, team, abbrev } = parseSide({ abbrev: localText(row.teamAbbrev), name: row.teamName });
  if (abbrev === "") return null;
  const rank = (value: unknown) => small(value) || null;
  const points = small(row.points);
  const clinch = typeof row.clinchIndicator === "string" ? row.clinchIndicator.toLowerCase() : "";
  return {
    who: who === "l'autre équipe" ? "une autre équipe" : who,
    at,
    team,
    abbrev,
    conference:
      typeof row.conferenceAbbrev === "string" && Object.hasOwn(CONFERENCES, row.conferenceAbbrev)
        ? row.conferenceAbbrev
        : null,
    division:
      typeof row.divisionAbbrev === "string" && Object.hasOwn(SECTIONS, row.divisionAbbrev) ? row.divisionAbbrev : null,
    leagueRank: rank(row.leagueSequence),
    conferenceRank: rank(row.conferenceSequence),
    divisionRank: rank(row.divisionSequence),
    wildcardRank: small(row.wildcardSequence),
    games: small(row.gamesPlayed),
    wins: small(row.wins),
    losses: small(row.losses),
    overtime: small(row.otLosses),
    points: points !== null && points <= POINTS_LIMIT ? points : null,
    clinch: ["x", "y", "z", "p", "e"].includes(clinch) ? clinch : null,
  };
}

/** The teams of a division, a conference or the league, in the source's order. */
function rowsOf({ kind, of }: Group, { rows, sections }: Table): Standing[] {
  const key = kind === "division" ? "divisionRank" : kind === "conference" ? "conferenceRank" : "leagueRank";
  const members = rows.filter(({ division, conference }) => {
    if (kind === "division") return of !== null && division === of && sections.size > 0;
    return kind === "conference" ? of !== null && conference === of : true;
  });
  return members.toSorted(
    (one, other) => (one[key] ?? 99) - (other[key] ?? 99) || (other.points ?? 0) - (one.points ?? 0),
  );
}

/** A conference's race for its wild cards, in the source's order. */
function wildRace(conference: string, { rows }: Table): Standing[] {
  const race = rows.filter((row) => row.conference === conference && (row.wildcardRank ?? 0) > 0);
  return race.toSorted((one, other) => (one.wildcardRank ?? 0) - (other.wildcardRank ?? 0));
}

/** The lines that an answer says aloud: a game that is missing from others doesn't matter. */
function spokenRows(group: Group | null, row: Standing, table: Table): Standing[] {
  if (group === null) return [row];
  if (group.kind === "division" || group.kind === "conference" || group.kind === "league")
    return [...new Set([...rowsOf(group, table).slice(0, TOP_COUNT), row])];
  return table.rows.filter(({ conference }) => group.of === null || conference === group.of);
}

/** In the playoffs as the table stands. */
function isInside({ divisionRank, wildcardRank }: Standing): boolean {
  if (wildcardRank !== null && wildcardRank > 0) return wildcardRank <= WILD_CARDS;
  return divisionRank !== null && divisionRank <= DIVISION_PLACES;
}

/** How far a team is from the line. `rival` holds the place to take, or would take it; `gap` in points. */
interface Cut {
  inside: boolean;
  gap: number | null;
  rival: Standing;
  holds: "division" | "wildcard";
}

/** `null` when the table doesn't tell: another format, a line that can't be read. */
function cutOf(row: Standing, table: Table): Cut | null {
  const { points, division, conference } = row;
  if (!table.wildcard || table.sections.size === 0 || points === null || division === null || conference === null)
    return null;
  const peers = table.rows.filter((one) => one.conference === conference);
  const isWhole = (one: Standing) =>
    one.points !== null && one.division !== null && one.divisionRank !== null && one.wildcardRank !== null;
  if (!peers.every(isWhole) || peers.length <= 2 * DIVISION_PLACES + WILD_CARDS) return null;
  const inside = isInside(row);
  const third = peers.find(
    (one) => one.division === division && one.divisionRank === DIVISION_PLACES + (inside ? 1 : 0),
  );
  const wild = peers.find((one) => one.wildcardRank === WILD_CARDS + (inside ? 1 : 0));
  if (third === undefined || wild === undefined) return null;
  const step = inside ? -1 : 1;
  let level = points;
  while (level >= 0 && level <= POINTS_LIMIT && wouldMakeIt(row, level, peers, !inside) === inside) level += step;
  if (level < 0 || level > POINTS_LIMIT) return null;
  const rival = wild.points === level ? wild : third;
  // A tie among three or more may put someone else on the line: then nobody is named, and no distance said.
  const gap = rival.points === level ? Math.abs(level - points) : null;
  return { inside, gap, rival, holds: rival === wild ? "wildcard" : "division" };
}

/** Would `row` be in with that many points, the others as they are, every tie won or lost? */
function wouldMakeIt(row: Standing, points: number, peers: Standing[], tiesWon: boolean): boolean {
  const others = peers.filter((one) => one !== row);
  const isAhead = (one: Standing) => (one.points ?? 0) > points || (!tiesWon && one.points === points);
  if (others.filter((one) => one.division === row.division && isAhead(one)).length < DIVISION_PLACES) return true;
  const ranks = (division: string | null) =>
    others.filter((one) => one.division === division).toSorted((a, b) => (a.divisionRank ?? 0) - (b.divisionRank ?? 0));
  const pool = [...new Set(peers.map(({ division }) => division))].flatMap((division) =>
    ranks(division).slice(DIVISION_PLACES),
  );
  return pool.filter(isAhead).length < WILD_CARDS;
}

/** One side of a playoff series. */
interface Seed extends Club {
  abbrev: string;
  wins: number | null;
  won: boolean;
}

/** A playoff series; a side is `null` until it is known. */
interface Matchup {
  letter: string | null;
  round: number | null;
  conference: string | null;
  sides: [top: Seed | null, bottom: Seed | null];
}

/**
 * The playoffs as they stand. `matchup` is the team's latest series. `seasonEnd` is the last day of a regular season,
 * if it was needed and known; `calendar` is false when the team's games could not be read.
 */
interface Playoffs {
  team: Team | null;
  phase: "before" | "on" | "over";
  bracket: Matchup[];
  matchup: Matchup | null;
  next: Game | null;
  playing: Game | null;
  calendar: boolean;
  seasonEnd: string | null;
  /** Who won the last Cup, when the next playoffs have not begun and it was read. */
  cup: Seed | null;
  age: number | null;
  now: number;
}

/** Month and day from which a whole bracket is the real one, when the season's last day is not known. */
const USUAL_START = "04-20";
/** The match-ups are known this many days after the last game of the season. */
const BRACKET_DAYS = 3;

/**
 * The playoffs, of a team or of everybody: the bracket, then the team's board and if need be its season; before and
 * after the playoffs, the week's schedule for its dates. Three calls at most. Throws a `Refusal`.
 */
async function fetchPlayoffs(team: Team | null, given: Deps): Promise<Playoffs> {
  const now = given.now();
  const { deps, cost } = counting(given);
  const night = nightOf(now);
  const [year, month] = night.split("-").map(Number);
  const read = await attempt(fetchBracket(month >= SEASON_START_MONTH ? year + 1 : year, deps));
  let bracket = read?.bracket ?? [];
  const won = championship(bracket) !== null;
  const begun = bracket.some(({ sides }) => sides.some((seed) => (seed?.wins ?? 0) > 0 || seed?.won));
  const seasonEnd = begun && !won ? null : await attempt(fetchSeasonEnd(night, deps));
  // No bracket to read is no news while the season goes on.
  if (read === null && (seasonEnd === null || seasonEnd < night)) throw new Refusal(PLAYOFFS_DOWN);
  // Match-ups that show before the last game of the season are only what they would be.
  const set =
    isFormed(bracket) && (seasonEnd === null ? month >= 5 || night.slice(5) >= USUAL_START : seasonEnd < night);
  const phase = won ? "over" : begun || set ? "on" : "before";
  // Nothing drawn long after the season: the bracket is missing, not to come.
  const since = seasonEnd === null ? null : daysBetween(seasonEnd, night);
  const isMissing =
    since === null ? month <= 6 && night.slice(5) >= USUAL_START : since > BRACKET_DAYS && since <= PLAYOFFS_DAYS;
  if (phase === "before" && isMissing) throw new Refusal(PLAYOFFS_DOWN);
  let age = read?.stale ? now - read.at : null;
  let [next, playing, calendar]: [Game | null, Game | null, boolean] = [null, null, true];
  let matchup = team === null || phase === "before" ? null : latestOf(bracket, team.abbrev);
  if (team !== null && matchup !== null && isBeingPlayed(matchup)) {
    const [, rival] = seedsOf(matchup, team.abbrev);
    const board = await fetchSeriesGames(team, rival?.abbrev ?? "", deps, cost);
    const later = withLatestGame(matchup, team, board.games);
    bracket = bracket.map((one) => (one === matchup ? later : one));
    matchup = later;
    ({ next, playing } = pickSeriesGames(board.games, now));
    calendar = board.calendar;
    const old = board.games.filter(({ stale }) => stale).map(({ at }) => now - at);
    age = old.length === 0 ? age : Math.max(age ?? 0, ...old);
  }
  // Until the next ones begin, the last Cup is worth saying.
  const before = phase === "before" && team === null && cost.calls < 3 ? lastYear(night) : null;
  const last = before === null ? null : await attempt(fetchBracket(before, deps));
  const cup = last === null ? null : (championship(last.bracket)?.champion ?? null);
  const after = phase === "on" && championship(bracket) !== null;
  return { team, phase: after ? "over" : phase, bracket, matchup, next, playing, calendar, seasonEnd, cup, age, now };
}

/** The Cup is won in June. */
const LAST_CUP_MONTH = 7;

/** The year of the last playoffs that have ended, or of those about to begin minus one. */
function lastYear(night: string): number {
  const [year, month] = night.split("-").map(Number);
  return month >= LAST_CUP_MONTH ? year : year - 1;
}

/** The playoff games of `team` against one club, from its board, else its season. */
async function fetchSeriesGames(
  team: Team,
  rival: string,
  deps: Deps,
  cost: Cost,
): Promise<{ games: Game[]; calendar: boolean }> {
  const now = deps.now();
  const isOfSeries = ({ type, away, home }: Game) => type === PLAYOFFS && [away.abbrev, home.abbrev].includes(rival);
  const board = await attempt(fetchBoard(team, deps, BOARD_TTL_MS, BOARD_TIMEOUT_MS));
  const games = (board ?? []).filter(isOfSeries);
  const { next, playing } = pickSeriesGames(games, now);
  if (next !== null || playing !== null) return { games, calendar: true };
  if (cost.calls >= 3 || Date.now() - cost.began > LAST_CALL_MS) return { games, calendar: board !== null };
  const season = await attempt(fetchSeason(team, "now", deps));
  if (season === null) return { games, calendar: board !== null };
  return { games: mergeGames(games, season.games.filter(isOfSeries), false), calendar: true };
}

function pickSeriesGames(games: Game[], now: number): { next: Game | null; playing: Game | null } {
  const night = nightOf(now);
  const inOrder = games.toSorted((a, b) => a.day.localeCompare(b.day) || (a.start ?? 0) - (b.start ?? 0));
  const last = inOrder.findLast(({ state }) => state === "final") ?? null;
  return {
    playing: inOrder.find((game) => isPlaying(game, now) && isNear(game, now)) ?? null,
    next: inOrder.find((game) => isToCome(game, now) && game.day >= night && !isMoot(game, last)) ?? null,
  };
}

/** A playoff game's place in its series is also the last figure of its id: 2025030416 is the sixth. */
function gameNumberOf({ id, series }: Game): number | null {
  const number = Math.floor(id / 10_000) % 100 === PLAYOFFS ? id % 10 : 0;
  return series?.game ?? (number >= 1 && number <= 2 * NEEDED - 1 ? number : null);
}

/** The bracket may not have counted the last game yet: the board's own count, or its score, is then the later word. */
function withLatestGame(matchup: Matchup, team: Team, games: Game[]): Matchup {
  const [mine, theirs] = seedsOf(matchup, team.abbrev);
  const last = games
    .toSorted((a, b) => a.day.localeCompare(b.day) || a.id - b.id)
    .findLast((game) => game.state === "final" && isOn(game));
  if (last === undefined || theirs === null || mine.wins === null || theirs.wins === null) return matchup;
  const counted = mine.wins + theirs.wins;
  const said = seriesWins(last, team);
  const [own, other] = sidesOf(last, team);
  const isNextOne =
    gameNumberOf(last) === counted + 1 && own.score !== null && other.score !== null && own.score !== other.score;
  let wins: [number, number] = [mine.wins, theirs.wins];
  if (said !== null && said.mine + said.theirs > counted) wins = [said.mine, said.theirs];
  else if (isNextOne) wins = (own.score ?? 0) > (other.score ?? 0) ? [wins[0] + 1, wins[1]] : [wins[0], wins[1] + 1];
  const seeds = matchup.sides.map((seed) => {
    const own = seed?.abbrev === team.abbrev ? wins[0] : wins[1];
    return seed === null ? null : { ...seed, wins: own, won: own >= NEEDED };
  });
  return { ...matchup, sides: [seeds[0], seeds[1]] };
}

/** The playoffs that end in `year`; none of its series before they are drawn. */
async function fetchBracket(year: number, deps: Deps): Promise<{ bracket: Matchup[]; at: number; stale: boolean }> {
  const ttl = (bracket: Matchup[]) =>
    championship(bracket) !== null ? PAST_TTL_MS : bracket.length === 0 ? SEASON_TTL_MS : BOARD_TTL_MS;
  const url = addressOf(`/v1/playoff-bracket/${year}`, "NHL_API", deps);
  const { data, at, stale } = await read(url, deps, ttl, TIMEOUT_MS, parseBracket);
  return { bracket: data, at, stale };
}

/** The last day of the regular season that the schedule of `day` belongs to. */
async function fetchSeasonEnd(day: string, deps: Deps): Promise<string | null> {
  const parse = ({ regularSeasonEndDate }: Json) => ({ end: parseDay(regularSeasonEndDate) });
  const url = addressOf(`/v1/schedule/${day}`, "NHL_API", deps);
  const { data } = await read(url, deps, () => SEASON_TTL_MS, EXTRA_TIMEOUT_MS, parse);
  return data.end;
}

function parseBracket({ series }: Json): Matchup[] {
  if (!Array.isArray(series)) throw new Refusal(PLAYOFFS_DOWN);
  const matchups = list(series).map(parseMatchup);
  if (series.length > 0 && matchups.length === 0) throw new Refusal(PLAYOFFS_DOWN);
  return matchups;
}

function parseMatchup(series: Json): Matchup {
  const [top, bottom] = [object(series.topSeedTeam), object(series.bottomSeedTeam)];
  const [topWins, bottomWins] = [small(series.topSeedWins), small(series.bottomSeedWins)];
  const winner = count(series.winningTeamId);
  const sides = [top, bottom].map((team, index) => {
    const { who, at, team: name, abbrev } = parseSide(team);
    if (abbrev === "" || abbrev === "TBD") return null;
    const [wins, others] = index === 0 ? [topWins, bottomWins] : [bottomWins, topWins];
    const enough = wins !== null && wins >= NEEDED && (others ?? 0) < NEEDED;
    return { who, at, team: name, abbrev, wins, won: enough || (winner !== null && winner === count(team.id)) };
  });
  const [letter, short] = [series.seriesLetter, String(series.seriesAbbrev ?? "")];
  const conference =
    typeof series.conferenceAbbrev === "string" ? series.conferenceAbbrev : short.endsWith("CF") ? short[0] : "";
  return {
    letter: typeof letter === "string" && /^[A-O]$/.test(letter) ? letter : null,
    round: small(series.playoffRound),
    conference: Object.hasOwn(CONFERENCES, conference) ? conference : null,
    sides: [sides[0], sides[1]],
  };
}

/** Who won the final, and against whom. */
function championship(bracket: Matchup[]): { champion: Seed; loser: Seed | null } | null {
  const sides = bracket.find(({ round }) => round === LAST_ROUND)?.sides ?? [];
  const champion = sides.find((seed) => seed?.won) ?? null;
  return champion === null ? null : { champion, loser: sides.find((seed) => seed !== champion) ?? null };
}

/** Every place of the first round is taken: a team that isn't there is not in the playoffs. */
function isFormed(bracket: Matchup[]): boolean {
  const first = bracket.filter(({ round, sides }) => round === 1 && sides.every((seed) => seed !== null));
  return first.length >= FIRST_ROUND_SIZE;
}

/** The team's series of the highest round. */
function latestOf(bracket: Matchup[], abbrev: string): Matchup | null {
  const mine = bracket.filter(({ sides }) => sides.some((seed) => seed?.abbrev === abbrev));
  return mine.toSorted((one, other) => (other.round ?? 0) - (one.round ?? 0))[0] ?? null;
}

/** The asked team first; only for a series that it plays in. */
function seedsOf({ sides }: Matchup, abbrev: string): [mine: Seed, theirs: Seed | null] {
  const [top, bottom] = sides;
  return top?.abbrev === abbrev ? [top, bottom] : [bottom as Seed, top];
}

function isBeingPlayed({ sides }: Matchup): boolean {
  return sides.every((seed) => seed !== null && !seed.won);
}

/**
 * Who may come next: the two sides of the neighbouring series, or its winner. Series come in pairs by their letters:
 * the winners of A and B meet, those of C and D, and so on.
 */
function rivalsOf(bracket: Matchup[], matchup: Matchup, abbrev: string): Seed[] {
  if (bracket.length > BRACKET_SIZE) return [];
  const from = matchup.sides.some((seed) => seed === null) ? feederOf(bracket, matchup, abbrev) : matchup;
  if (from === null || from.letter === null || from.letter > "N") return [];
  const index = from.letter.charCodeAt(0) - "A".charCodeAt(0);
  const neighbour = bracket.find(({ letter }) => letter === String.fromCharCode("A".charCodeAt(0) + (index ^ 1)));
  const sides = neighbour?.sides.filter((seed) => seed !== null) ?? [];
  const winner = sides.find(({ won }) => won);
  return winner !== undefined ? [winner] : sides.length === 2 ? sides : [];
}

/** The series that the winner of this one plays next, by the letters: I after A and B, M after I and J. */
function nextOf(bracket: Matchup[], { letter: from }: Matchup): Matchup | null {
  if (from === null || bracket.length > BRACKET_SIZE) return null;
  const index = FIRST_ROUND_SIZE + ((from.charCodeAt(0) - "A".charCodeAt(0)) >> 1);
  return bracket.find(({ letter }) => letter === String.fromCharCode("A".charCodeAt(0) + index)) ?? null;
}

/** The series that a team won to get to this one. */
function feederOf(bracket: Matchup[], { round }: Matchup, abbrev: string): Matchup | null {
  const before = bracket.filter((one) => round !== null && one.round === round - 1);
  return before.find(({ sides }) => sides.some((seed) => seed?.abbrev === abbrev && seed.won)) ?? null;
}

/** The series to speak of: the lowest round with one to decide, and those that are known of the rounds after it. */
function roundOf(bracket: Matchup[]): Matchup[] {
  const drawn = bracket.filter(({ sides }) => sides.every((seed) => seed !== null));
  const open = drawn.filter(isBeingPlayed).map(({ round }) => round ?? 0);
  const current = open.length > 0 ? Math.min(...open) : Math.max(...drawn.map(({ round }) => round ?? 0));
  const series = drawn.filter(
    (one) => (one.round ?? 0) === current || ((one.round ?? 0) > current && isBeingPlayed(one)),
  );
  const order = ({ round, sides }: Matchup) => {
    return (sides.some((seed) => seed !== null && isCanadian(seed)) ? 0 : LAST_ROUND + 1) + (round ?? 0);
  };
  return series.toSorted((one, other) => order(one) - order(other));
}

function isCanadian({ abbrev }: Pick<Seed, "abbrev">): boolean {
  return Object.hasOwn(TEAM_ZONES, abbrev);
}

/** A player's figures move during his games: minutes are enough. His name leads to the same number all season. */
const PLAYER_TTL_MS = 5 * MINUTE;
const SEARCH_TTL_MS = HOUR;
/** Season figures of yesterday, said with their age, are better than none. */
const PLAYER_STALE_MS = 24 * HOUR;
/** Two searches and a page fit in the core's budget with these waits, and a second search that is not begun late. */
const SEARCH_TIMEOUT_MS = 3_000;
const SECOND_SEARCH_TIMEOUT_MS = 2_000;
const SECOND_SEARCH_MS = 1_500;
/** The name as heard gives a few rows; its first letters, when it was misheard, give more. */
const SEARCH_ROWS = 20;
const WIDE_SEARCH_ROWS = 200;
const WIDE_SEARCH_LETTERS = 3;
/** Beyond this many, a voice can't ask « lequel » . */
const WHICH_LIMIT = 4;
/** The source may list a player with the wrong club for a night: a game this recent is the better witness. */
const WITNESS_DAYS = 3;
/** The new season is the one people mean from July on; it is being played from October to June. */
const SEASON_MONTH = 7;
const OPENING_MONTH = 10;
const LEADERS_SAID = 5;
/** Enough rows to know of a tie at the fifth place, and to find the first of a Canadian team. */
const LEADERS_ROWS = 20;
/** A goalie of a few games has the best average of his team by accident: he needs a fifth of the busiest one's. */
const GOALIE_SHARE = 5;
/** No career has as many points. */
const CAREER_LIMIT = 5_000;

/** Figures of a season, a career, or some games; a goalie's at the end. `efficiency` in thousandths. */
interface Line {
  games: number | null;
  goals: number | null;
  assists: number | null;
  points: number | null;
  wins: number | null;
  shutouts: number | null;
  average: number | null;
  efficiency: number | null;
}

/** One of a player's last games; `day` is the Eastern date. */
interface PlayerGame extends Pick<Line, "goals" | "assists" | "points"> {
  day: string;
  club: string | null;
  opponent: Club | null;
  home: boolean | null;
  decision: "W" | "L" | "O" | null;
  shots: number | null;
  against: number | null;
}

type Position = "C" | "L" | "R" | "D" | "G";

/** A row of the search. */
interface Hit {
  id: number;
  name: string;
  position: Position | null;
  club: string | null;
  team: Club | null;
  /** The search gives a club of today, not only the last one. */
  signed: boolean;
  number: number | null;
  active: boolean | null;
}

/**
 * `season` is the year it began, of `line`. `listed`: the source says this club, and the last game says `team`.
 * `former`: the club of his last game, when he has changed since. `unsigned`: he plays, and no club is given. `played`: in
 * this league, ever.
 */
interface Player {
  name: string;
  position: Position | null;
  team: Club | null;
  listed: Club | null;
  former: Club | null;
  active: boolean | null;
  unsigned: boolean;
  played: boolean | null;
  onRoster: boolean | null;
  season: number | null;
  line: Line | null;
  playoffs: Line | null;
  career: Line | null;
  recent: PlayerGame[];
}

interface PlayerAnswer {
  player: Player;
  now: number;
  age: number | null;
}

/** A player as he was named: words of the name, and what tells him from another. */
interface Wanted {
  said: string;
  names: string[];
  clubs: string[];
  positions: Position[];
  number: number | null;
}

type Category = "points" | "buts" | "passes" | "victoires" | "efficacité";

interface Ranking {
  category: Category;
  team: Team | null;
}

interface Leader {
  skater: Skater | null;
  club: string | null;
  value: number;
}

/** `season`: the year it began, when the source tells. */
interface LeadersAnswer {
  ranking: Ranking;
  leaders: Leader[];
  season: number | null;
  playoffs: boolean;
  now: number;
  age: number | null;
}

const POSITIONS: Record<Position, string> = {
  C: "centre",
  L: "ailier gauche",
  R: "ailier droit",
  D: "défenseur",
  G: "gardien",
};

const POSITION_WORDS: Record<string, Position[]> = {
  centre: ["C"],
  ailier: ["L", "R"],
  gauche: ["L"],
  droit: ["R"],
  attaquant: ["C", "L", "R"],
  avant: ["C", "L", "R"],
  defenseur: ["D"],
  defense: ["D"],
  arriere: ["D"],
  gardien: ["G"],
  goaler: ["G"],
  goalie: ["G"],
};

/** Names that only fans give: the source's search doesn't know them. */
const NICKNAMES: Record<string, string> = {
  cc: "Cole Caufield",
  slaf: "Juraj Slafkovsky",
  slafy: "Juraj Slafkovsky",
  monty: "Sam Montembeault",
  gally: "Brendan Gallagher",
  sherif: "Arber Xhekaj",
  mcjesus: "Connor McDavid",
  drai: "Leon Draisaitl",
  nuge: "Ryan Nugent-Hopkins",
  rnh: "Ryan Nugent-Hopkins",
  petey: "Elias Pettersson",
  helly: "Connor Hellebuyck",
  kk: "Jesperi Kotkaniemi",
  ovi: "Alex Ovechkin",
  ovetchkine: "Alex Ovechkin",
  sid: "Sidney Crosby",
  "sid the kid": "Sidney Crosby",
  kuch: "Nikita Kucherov",
  flower: "Marc-Andre Fleury",
};

/** What people say before a name, and between a name and a team. */
const NAME_LEADS = new Set(
  "a au aux avec chez combien comment dans de des d du en est et fiche hockeyeur joue joueur l la le les m monsieur numero pour qui saison stat statistiques stats un va".split(
    " ",
  ),
);

/** `words` in the order of trust; `key` of the league's list, `field` of a team's; `noun` null for a rate. */
const CATEGORIES: Record<
  Category,
  { title: string; noun: "point" | "but" | "passe" | "victoire" | null; key: string; field: keyof Line; words: string }
> = {
  efficacité: {
    title: "gardiens",
    noun: null,
    key: "savePctg",
    field: "efficiency",
    words: "efficacite efficace efficaces arret arrets pourcentage taux",
  },
  victoires: {
    title: "gardiens",
    noun: "victoire",
    key: "wins",
    field: "wins",
    words: "victoire victoires gardien gardiens goaler goalers goalie goalies",
  },
  passes: {
    title: "passeurs",
    noun: "passe",
    key: "assists",
    field: "assists",
    words: "passe passes passeur passeurs aide aides mention mentions assistance assistances decisive decisives",
  },
  buts: {
    title: "marqueurs",
    noun: "but",
    key: "goals",
    field: "goals",
    words: "but buts buteur buteurs marqueur marqueurs compteur compteurs",
  },
  points: {
    title: "pointeurs",
    noun: "point",
    key: "points",
    field: "points",
    words: "point points pointeur pointeurs pts pointage",
  },
};

/** What people say around a category. */
const RANKING_FILLERS = new Set(
  (
    "5 actuel actuels champion championnat championne chez cinq classement joueur joueurs leader leaders ligue liste mene meneur meneurs " +
    "menent meilleur meilleurs meilleure meilleures nationale nombre patineur patineurs plus premier premiers saison top tete total"
  ).split(" "),
);

const PLAYER_DOWN =
  "La Ligue nationale ne répond pas en ce moment. Ça dure d'habitude quelques minutes, et ça ne veut pas dire que ce joueur ne joue plus. Redemande dans une minute.";
const LEADERS_DOWN =
  "La Ligue nationale ne répond pas en ce moment. Ça dure d'habitude quelques minutes, et ça ne veut pas dire qu'il n'y a pas de meneurs. Redemande dans une minute.";

/** The year the season that people mean began. */
function seasonAt(now: number): number {
  return seasonStarting(localTime(now, HOME_ZONE).day);
}

function seasonStarting(day: string): number {
  const [year, month] = day.split("-").map(Number);
  return month < SEASON_MONTH ? year - 1 : year;
}

function isUnderWay(now: number): boolean {
  const month = Number(localTime(now, HOME_ZONE).day.slice(5, 7));
  return month < SEASON_MONTH || month >= OPENING_MONTH;
}

/** Words of a name, ready to compare: « J.T. Miller » is `jt miller`, « Mc David » is `mcdavid`. A comma stays a word. */
function nameWords(text: string): string[] {
  return (
    fold(text)
      // Not an accent but a letter: « Søgaard ».
      .replaceAll("ø", "o")
      .replace(/(^|[^a-z0-9])([dl])'/g, "$1$2 ")
      .replace(/\b([a-z])\.(?=[a-z]{2})/g, "$1 ")
      .replace(/['.]/g, "")
      .replace(/\b(ma?c) (?=[a-z])/g, "$1")
      .replace(/\bsaint(?=[ -])/g, "st")
      .replace(/[(),;:]+/g, " , ")
      .split(/[^a-z0-9,]+/)
      .filter((word) => word !== "")
  );
}

/** Every word that names a club, by its abbreviation. Read at the first question: the table is below the tools. */
function clubsNamed(word: string): string[] {
  return Object.entries(CLUB_WORDS).flatMap(([abbrev, [place, name]]) => {
    const known = `${abbrev.toLowerCase()} ${place} ${name}`.split(" ").filter((one) => !NAME_LEADS.has(one));
    return known.includes(word) ? [abbrev] : [];
  });
}

/** What people say before a player's name. */
const ABOUT_A_PLAYER =
  /^\s*(?:(?:combien de \p{L}+ (?:a|à|as|avait|aura)(?: marqué| compté| fait| récolté)?|comment va|pour qui joue|(?:les )?stat(?:istique)?s de|il est rendu à combien de \p{L}+,?)\s+|(?:les )?stat(?:istique)?s d')/iu;

/**
 * The player that was said, in words to look for; « Sebastian Aho des Hurricanes » says also which one. Throws a
 * `Refusal` for a team, or when no word names anybody.
 */
function findWanted(said: string): Wanted {
  const name = said.replace(ABOUT_A_PLAYER, "");
  if (name !== said && name !== "") return findWanted(name);
  const teams = wordsOf(plainOf(said));
  if (teams.length > 0 && (firstTeam(plainOf(said)) !== null || findClubs(teams).length > 0)) {
    throw new Refusal(sayTeamNotPlayer(said));
  }
  const words = nameWords(said);
  const tells = (word: string) =>
    clubsNamed(word).length > 0 || Object.hasOwn(POSITION_WORDS, word) || /^\d{1,2}$/.test(word);
  const isTail = (word: string) => tells(word) || NAME_LEADS.has(word) || word === ",";
  // Martin Saint-Louis doesn't play for the Blues.
  const begins = (word: string) => isTail(word) && word !== "st" && word !== "louis";
  const cut = words.findIndex((word, index) => {
    const tail = words.slice(index);
    return index > 0 && begins(word) && tail.every(isTail) && tail.some(tells);
  });
  const start = words.findIndex(
    (word) => !NAME_LEADS.has(word) && !Object.hasOwn(POSITION_WORDS, word) && word !== ",",
  );
  const end = cut === -1 ? words.length : cut;
  const bare = start === -1 ? [] : words.slice(start, end).filter((word) => word !== ",");
  const about = [...words.slice(0, Math.max(0, start)), ...words.slice(end)];
  const nickname = bare.join(" ");
  const names = Object.hasOwn(NICKNAMES, nickname) ? nameWords(NICKNAMES[nickname]) : joinInitials(bare);
  if (!names.some((name) => /[a-z]{2}/.test(name))) throw new Refusal(sayUnknownPlayer(bare.length === 0 ? "" : said));
  return {
    said,
    names,
    clubs: about.flatMap(clubsNamed),
    positions: about.flatMap((word) => (Object.hasOwn(POSITION_WORDS, word) ? POSITION_WORDS[word] : [])),
    number: Number(about.find((word) => /^\d{1,2}$/.test(word)) ?? Number.NaN) || null,
  };
}

/** « J. T. Miller » in three words is « J.T. Miller » in two. */
function joinInitials(words: string[]): string[] {
  return words
    .join(" ")
    .replace(/\b([a-z]) (?=[a-z]\b)/g, "$1")
    .split(" ")
    .filter((word) => word !== "");
}

/** How well a name answers: 2 is the whole name, 1 is some of its words, 0 is with slips; `null` is another name. */
function rankName(wanted: string[], name: string): number | null {
  const words = joinInitials(nameWords(name));
  const exact = wanted.every((said) =>
    words.some((word) => word === said || (said.length === 1 && word.startsWith(said))),
  );
  if (exact) return wanted.length === words.length && wanted.every((said) => said.length > 1) ? 2 : 1;
  // « Nicholas Suzuki » is Nick: a first name has many forms.
  const isShort = (said: string) =>
    said === wanted[0] && wanted.length > 1 && said.slice(0, 3) === words[0]?.slice(0, 3);
  return wanted.every((said) => isShort(said) || words.some((word) => isAlike(said, word))) ? 0 : null;
}

/** Short for each other, « Sam » and « Samuel », or a slip of speech-to-text apart: « Caufeild ». */
function isAlike(said: string, word: string): boolean {
  const short = Math.min(said.length, word.length);
  if (said.length === 1 || short >= 3) {
    if (word.startsWith(said) || (word.length >= 3 && said.length - word.length < 2 && said.startsWith(word)))
      return true;
  }
  return isClose(said, word) || (short >= 7 && editsBetween(said, word) <= 2);
}

/** Letters to add, remove or change from one word to another. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[other.length];
}

/**
 * The one player of these rows who is meant, `null` when none is. What was said of team and position decides first, then
 * who still plays, then the team of the house for half a name. Throws a `Refusal` that asks which of several.
 */
function findHit({ names, clubs, positions, number }: Wanted, hits: Hit[], env: Env): Hit | null {
  const ranks = hits.map(({ name }) => rankName(names, name));
  const best = Math.max(...ranks.map((rank) => rank ?? -1));
  if (best < 0) return null;
  const prefer = (rows: Hit[], isMeant: (hit: Hit) => boolean) => {
    const meant = rows.filter(isMeant);
    return meant.length === 0 ? rows : meant;
  };
  let rows = hits.filter((hit, index) => ranks[index] === best && hits.findIndex(({ id }) => id === hit.id) === index);
  if (clubs.length > 0) rows = prefer(rows, ({ club }) => club !== null && clubs.includes(club));
  if (positions.length > 0) rows = prefer(rows, ({ position }) => position !== null && positions.includes(position));
  if (number !== null) rows = prefer(rows, (hit) => hit.number === number);
  rows = prefer(rows, ({ active }) => active !== false);
  if (best < 2 && rows.length > 1) {
    const house = rows.filter(({ club }) => club === findTeam(undefined, env).abbrev);
    if (house.length === 1) return house[0];
  }
  if (rows.length > 1) throw new Refusal(sayWhich(rows));
  return rows[0];
}

/**
 * The season of the player who was said, in at most three calls: the search, once more with the first letters of a name
 * that was misheard, his page; and his team's roster when his page doesn't hold it. Throws a `Refusal` that asks which
 * of several, or for the whole name.
 */
async function fetchPlayer(wanted: Wanted, given: Deps): Promise<PlayerAnswer> {
  const now = given.now();
  const { deps, cost } = counting(given);
  const heard = wanted.names.filter((name) => name.length > 1);
  // The search may want the apostrophe of « O'Reilly », which people and their machines leave out.
  const written = wanted.said.match(/\p{L}['’]\p{L}+/gu) ?? [];
  const query = heard.map((name) => {
    const whole = written.map((one) => fold(one).replace("’", "'"));
    return whole.find((one) => one.replace("'", "") === name) ?? name;
  });
  const hits = await fetchHits(query.join(" "), SEARCH_ROWS, SEARCH_TIMEOUT_MS, deps);
  let hit = findHit(wanted, hits, deps.env);
  if (hit === null) {
    // Not found is a fact only after the second look.
    if (Date.now() - cost.began > SECOND_SEARCH_MS) throw new Refusal(PLAYER_DOWN);
    const letters = (heard.at(-1) ?? "").slice(0, WIDE_SEARCH_LETTERS);
    const wide = fetchHits(letters, WIDE_SEARCH_ROWS, SECOND_SEARCH_TIMEOUT_MS, deps);
    hit = findHit(wanted, await orRefuse(wide, PLAYER_DOWN), deps.env);
  }
  if (hit === null) throw new Refusal(sayUnknownPlayer(wanted.said));
  const { data, at, stale } = await fetchPage(hit.id, deps);
  const player = { ...locate(data, hit, now), onRoster: null as boolean | null };
  if (player.club !== null && !player.seen) {
    const canAsk = cost.calls < 3 && Date.now() - cost.began <= LAST_CALL_MS;
    const ids = data.roster ?? (canAsk ? await attempt(fetchRoster(player.club, deps)) : null);
    player.onRoster = ids === null ? null : ids.includes(hit.id);
  }
  return { player, now, age: stale ? now - at : null };
}

/**
 * Whose player he is: the source's word, unless a game of these days says otherwise. `club` is the one whose roster to
 * look at; `seen`: on the ice with it lately.
 */
function locate(
  { recent: games, ...page }: Page,
  hit: Hit,
  now: number,
): Omit<Player, "onRoster"> & { club: string | null; seen: boolean } {
  const today = localTime(now, HOME_ZONE).day;
  const recent = games.filter(({ day }) => day <= today);
  const [last] = recent;
  const lately = last !== undefined && daysBetween(last.day, today) <= WITNESS_DAYS;
  const lastClub = last?.club ?? null;
  const active = lately ? true : (page.active ?? hit.active);
  const differs = page.club !== null && lastClub !== null && lastClub !== page.club;
  const doubt = differs && lately;
  const club = doubt || (page.club === null && lately) ? lastClub : page.club;
  return {
    ...page,
    name: page.name ?? hit.name,
    position: page.position ?? hit.position,
    recent,
    active,
    unsigned: active === true && club === null && !hit.signed,
    club: active === false || doubt ? null : club,
    seen: lately && lastClub === club,
    team: club === page.club ? page.team : clubOf(club, null),
    listed: doubt ? page.team : null,
    former: differs && !doubt ? clubOf(lastClub, null) : null,
  };
}

/** A club by its abbreviation; one that isn't in the table by the name that the source gives. */
function clubOf(abbrev: string | null, name: unknown): Club | null {
  if (abbrev !== null && Object.hasOwn(CLUBS, abbrev)) return CLUBS[abbrev];
  const given = cleanName(localText(name), 4);
  return given === null ? null : { who: given, at: `contre ${given}`, team: given };
}

/** The players whose name answers to `words`. */
async function fetchHits(words: string, rows: number, wait: number, deps: Deps): Promise<Hit[]> {
  const path = `/api/v1/search/player?culture=en-us&limit=${rows}&q=${encodeURIComponent(words)}`;
  const url = addressOf(path, "NHL_SEARCH_API", deps);
  const work = read(url, deps, () => SEARCH_TTL_MS, wait, parseHits, undefined, PLAYER_STALE_MS);
  return (await orRefuse(work, PLAYER_DOWN)).data;
}

async function fetchPage(id: number, deps: Deps): Promise<{ data: Page; at: number; stale: boolean }> {
  const url = addressOf(`/v1/player/${id}/landing`, "NHL_API", deps);
  const work = read(url, deps, () => PLAYER_TTL_MS, BOARD_TIMEOUT_MS, parsePage, undefined, PLAYER_STALE_MS);
  return orRefuse(work, PLAYER_DOWN);
}

/** The numbers of the players of a club's roster. */
async function fetchRoster(club: string, deps: Deps): Promise<number[]> {
  const url = addressOf(`/v1/roster/${club}/current`, "NHL_API", deps);
  return (await read(url, deps, () => SEASON_TTL_MS, EXTRA_TIMEOUT_MS, parseRoster)).data;
}

/** Another season, one night, one game, one place, teams: rankings near ours that the source doesn't give here. */
const NOT_RANKED =
  /\b(?:saison passee?|passees?|derniere?s?|an|annees?|hier|soir|matin|demain|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|domicile|etranger|finale|matchs?|game|partie|joute|rencontre|direct|contre|gagnants?|perd(?:ent|u)?|tirs|equipes?|clubs?)\b/;

/**
 * What is ranked, and for whom; points of the whole league when nothing is said. A team may have been said with the
 * category. Throws a `Refusal` that lists the categories, or names the seven teams.
 */
function findRanking(categorie: unknown, equipe: unknown, env: Env): Ranking {
  const said = typeof categorie === "string" ? categorie : "";
  const words = nameWords(said).filter((word) => word !== ",");
  const isOf = (word: string, category: Category) => {
    return CATEGORIES[category].words.split(" ").some((known) => isClose(word, known));
  };
  const ours = OUR_TEAM.test(fold(said));
  if (NOT_RANKED.test(fold(said).replace(OUR_TEAM, " "))) throw new Refusal(sayUnknownCategory(said));
  const found = (Object.keys(CATEGORIES) as Category[]).filter((category) =>
    words.some((word) => isOf(word, category)),
  );
  const fillers = (word: string) => RANKING_FILLERS.has(word) || FILLER_WORDS.has(word) || NAME_LEADS.has(word);
  const rest = words.filter((word) => !found.some((category) => isOf(word, category)) && !fillers(word));
  const club = rest.length === 0 ? null : firstTeam(rest.join(" "));
  if ((rest.length > 0 && club === null) || (said !== "" && words.length === 0)) {
    throw new Refusal(sayUnknownCategory(said));
  }
  const both = found.includes("buts") && found.includes("passes");
  const category = both || found.length === 0 ? "points" : found[0];
  if (typeof equipe === "string" && !isLeague(equipe)) return { category, team: findLeadersTeam(equipe, env) };
  if (ours && club === null) return { category, team: findTeam(undefined, env) };
  return { category, team: club === null ? null : teamOf(club) };
}

/** « le meilleur pointeur de l'équipe », « notre meilleur pointeur »: the house has one. */
const OUR_TEAM = /\b(?:(?:mon|notre|de l')\s?(?:equipe|club)|du club|notre|nos)\b/;

/** « toute la ligue », « la LNH », « toutes les équipes »; « la Ligue américaine » is another one. */
function isLeague(said: string): boolean {
  const text = fold(said);
  return LEAGUE_WORDS.test(text) && wordsOf(text.replace(LEAGUE_AROUND, " ")).length === 0;
}

/** « le Canadien dans la ligue » is a team. */
function findLeadersTeam(said: string, env: Env): Team {
  const abbrev = firstTeam(plainOf(said).replace(LEAGUE_AROUND, " "));
  return abbrev === null ? findTeam(said, env) : teamOf(abbrev);
}

const LEAGUE_WORDS = /\b(?:ligue|lnh|nhl|toutes)\b/;
const LEAGUE_AROUND = /\b(?:ligue|nationale|toutes?|entiere|equipes)\b/g;

/** The leaders, best first, in one call: of the league's own lists, or of everybody who played for a team this season. */
async function fetchLeaders(ranking: Ranking, deps: Deps): Promise<LeadersAnswer> {
  const { category, team } = ranking;
  const [kind, keys] = ["victoires", "efficacité"].includes(category)
    ? ["goalie", "wins,savePctg"]
    : ["skater", "points,goals,assists"];
  const path =
    team === null
      ? `/v1/${kind}-stats-leaders/current?categories=${keys}&limit=${LEADERS_ROWS}`
      : `/v1/club-stats/${team.abbrev}/now`;
  const parse = team === null ? parseLeaders : parseClubStats;
  const url = addressOf(path, "NHL_API", deps);
  const work = read(url, deps, () => PLAYER_TTL_MS, TIMEOUT_MS, parse, undefined, PLAYER_STALE_MS);
  const { data, at, stale } = await orRefuse(work, LEADERS_DOWN);
  const leaders = data.lists[category];
  if (leaders === null) throw new Refusal(LEADERS_DOWN);
  const { season, playoffs } = data;
  const now = deps.now();
  return { ranking, leaders, season, playoffs, now, age: stale ? now - at : null };
}

function parseHits({ items }: Json): Hit[] {
  const rows = listOf(items);
  if (rows === null) throw new Refusal(SOURCE_DOWN);
  const hits = rows.flatMap((row) => {
    const id = count(row.playerId);
    const name = cleanName(localText(row.name), 5);
    if (!id || name === null) return [];
    const current = parseAbbrev(row.teamAbbrev);
    const club = current ?? parseAbbrev(row.lastTeamAbbrev);
    const number = small(row.sweaterNumber);
    const active = typeof row.active === "boolean" ? row.active : null;
    const position = parsePosition(row.positionCode);
    return { id, name, position, club, team: clubOf(club, null), signed: current !== null, number, active };
  });
  // Rows that can't be read are not « nobody of that name ».
  if (rows.length > 0 && hits.length === 0) throw new Refusal(SOURCE_DOWN);
  return hits;
}

/** The rows of a list, none when it is empty; `null` when it isn't a list, or holds no row. */
function listOf(value: unknown): Json[] | null {
  const rows = list(value);
  return Array.isArray(value) && (value.length === 0 || rows.length > 0) ? rows : null;
}

/** A player's page: what doesn't depend on the moment. `roster`: his club's, when the page holds it. */
type Page = Pick<
  Player,
  "position" | "team" | "active" | "played" | "season" | "line" | "playoffs" | "career" | "recent"
> & {
  name: string | null;
  club: string | null;
  roster: number[] | null;
};

function parsePage(body: Json): Page {
  const featured = object(body.featuredStats);
  const regular = object(featured.regularSeason);
  const totals = parseTotals(body.seasonTotals);
  const year = parseSeasonYear(featured.season);
  const shown = parseLine(regular.subSeason);
  // The featured season may lag behind the totals; of the same season, it is the one that knows a goalie's averages.
  const lags = shown === null || (year !== null && totals !== null && totals.season > year);
  const best = lags ? totals : { line: shown, season: year };
  const career = parseLine(regular.career) ?? parseLine(object(body.careerTotals).regularSeason);
  const skater = parseSkater(body);
  const club = parseAbbrev(body.currentTeamAbbrev);
  const roster = list(body.currentTeamRoster).flatMap(({ playerId }) => count(playerId) ?? []);
  const known = Array.isArray(body.seasonTotals) || career !== null;
  const everPlayed = best !== null || (career?.games ?? 0) > 0 || list(body.seasonTotals).some(isOfLeague);
  return {
    name: skater === null ? null : sayFullName(skater),
    position: parsePosition(body.position),
    club,
    team: clubOf(club, body.fullTeamName),
    active: typeof body.isActive === "boolean" ? body.isActive : null,
    played: everPlayed ? true : known ? false : null,
    season: best?.season ?? null,
    line: best?.line ?? null,
    playoffs: lags ? null : parseLine(object(featured.playoffs).subSeason),
    career,
    recent: parseRecent(body.last5Games),
    roster: roster.length === 0 ? null : roster,
  };
}

function isOfLeague({ leagueAbbrev }: Json): boolean {
  return leagueAbbrev === "NHL";
}

/** The newest regular season in the league: a row for each club he played for. */
function parseTotals(value: unknown): { line: Line; season: number } | null {
  const rows = list(value).flatMap((row) => {
    const season = parseSeasonYear(row.season);
    const line = parseLine(row);
    return isOfLeague(row) && count(row.gameTypeId) === REGULAR && season !== null && line !== null
      ? { season, line }
      : [];
  });
  if (rows.length === 0) return null;
  const season = Math.max(...rows.map((row) => row.season));
  return { season, line: sumLines(rows.filter((row) => row.season === season).map(({ line }) => line)) };
}

/** Counts add up, unless one is unknown; averages don't add up. */
function sumLines(lines: Partial<Line>[]): Line {
  const sum = (key: keyof Line) => {
    const values = lines.map((line) => line[key] ?? null);
    return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
  };
  const only = (key: keyof Line) => (lines.length === 1 ? (lines[0][key] ?? null) : null);
  return {
    games: sum("games"),
    goals: sum("goals"),
    assists: sum("assists"),
    points: sum("points"),
    wins: sum("wins"),
    shutouts: sum("shutouts"),
    average: only("average"),
    efficiency: only("efficiency"),
  };
}

/** Figures under the names of any endpoint; `null` when there are none. */
function parseLine(value: unknown): Line | null {
  const row = object(value);
  const figure = (raw: unknown) => {
    const number = count(raw);
    return number !== null && number <= CAREER_LIMIT ? number : null;
  };
  const [goals, assists] = [figure(row.goals), figure(row.assists)];
  const efficiency = parseRate(row.savePctg ?? row.savePercentage, 1);
  const line = {
    games: figure(row.gamesPlayed),
    goals,
    assists,
    points: figure(row.points) ?? (goals === null || assists === null ? null : goals + assists),
    wins: figure(row.wins),
    shutouts: figure(row.shutouts),
    average: parseRate(row.goalsAgainstAvg ?? row.goalsAgainstAverage, 60),
    efficiency: efficiency === null ? null : efficiency * 1000,
  };
  return Object.values(line).every((figure) => figure === null) ? null : line;
}

/** A number with decimals, as a number or a text. */
function parseRate(value: unknown, most: number): number | null {
  const rate = typeof value === "string" && /^\d*\.?\d+$/.test(value) ? Number(value) : value;
  return typeof rate === "number" && rate >= 0 && rate <= most ? rate : null;
}

/** The last games, newest first. */
function parseRecent(value: unknown): PlayerGame[] {
  const games = list(value).flatMap((row): PlayerGame[] => {
    const day = parseDay(row.gameDate);
    if (
      day === null ||
      Number.isNaN(Date.parse(day)) ||
      ![REGULAR, PLAYOFFS].includes(count(row.gameTypeId) ?? REGULAR)
    )
      return [];
    const { goals = null, assists = null, points = null } = parseLine(row) ?? {};
    const { decision, homeRoadFlag } = row;
    return [
      {
        day,
        club: parseAbbrev(row.teamAbbrev),
        opponent: clubOf(parseAbbrev(row.opponentAbbrev), row.opponentCommonName),
        home: homeRoadFlag === "H" ? true : homeRoadFlag === "R" ? false : null,
        goals,
        assists,
        points,
        decision: decision === "W" || decision === "L" || decision === "O" ? decision : null,
        shots: small(row.shotsAgainst),
        against: small(row.goalsAgainst),
      },
    ];
  });
  return games.toSorted((one, other) => other.day.localeCompare(one.day)).slice(0, 5);
}

function parseRoster({ forwards, defensemen, goalies }: Json): number[] {
  const ids = [forwards, defensemen, goalies].flatMap(list).flatMap(({ id }) => count(id) ?? []);
  if (ids.length === 0) throw new Refusal(SOURCE_DOWN);
  return ids;
}

function parseAbbrev(value: unknown): string | null {
  const abbrev = localText(value)?.toUpperCase() ?? "";
  return /^[A-Z]{3}$/.test(abbrev) ? abbrev : null;
}

/** `L` and `R`, or `LW` and `RW` elsewhere. */
function parsePosition(value: unknown): Position | null {
  const [letter] = typeof value === "string" ? value.toUpperCase() : "";
  return letter !== undefined && Object.hasOwn(POSITIONS, letter) ? (letter as Position) : null;
}

/** 20262027 is the season that began in 2026. */
function parseSeasonYear(value: unknown): number | null {
  const years = /^(20\d{2}|19\d{2})(\d{4})$/.exec(String(value));
  return years !== null && Number(years[2]) === Number(years[1]) + 1 ? Number(years[1]) : null;
}

/** Leaders by category, best first; `null` for a list that the answer doesn't have. */
interface LeaderLists {
  lists: Record<Category, Leader[] | null>;
  season: number | null;
  playoffs: boolean;
}

/** The league's lists don't say of which season they are: the address they came from does, or the pictures of players. */
function parseLeaders(body: Json, address: string): LeaderLists {
  const [, seasonDigits = "", type = ""] = /\/(\d{8})\/(\d+)$/.exec(new URL(address).pathname) ?? [];
  const pictures = Object.values(body)
    .flatMap(list)
    .map(({ headshot }) => /\/nhl\/(\d{8})\//.exec(String(headshot))?.[1]);
  const lists = byCategory(({ key }) => {
    const rows = listOf(body[key])?.map((row) => {
      const value = key === "savePctg" ? parseLine({ savePctg: row.value })?.efficiency : count(row.value);
      return { skater: parseSkater(row), club: parseAbbrev(row.teamAbbrev), value: value ?? null };
    });
    // Without the first one's figure, the second one would be said to lead.
    return rows?.[0]?.value === null ? undefined : rows;
  });
  const season = parseSeasonYear(seasonDigits) ?? parseSeasonYear(pictures.find((one) => one !== undefined));
  return { lists, season, playoffs: Number(type) === PLAYOFFS };
}

/** Everybody who played for the club, those who have left too. */
function parseClubStats({ skaters, goalies, season, gameType }: Json): LeaderLists {
  const busiest = Math.max(0, ...list(goalies).map(({ gamesPlayed }) => count(gamesPlayed) ?? 0));
  const lists = byCategory(({ field }) => {
    return listOf(field === "wins" || field === "efficiency" ? goalies : skaters)?.map((row) => {
      const line = parseLine(row);
      const rare = field === "efficiency" && (line?.games ?? busiest) < busiest / GOALIE_SHARE;
      return { skater: parseSkater(row), club: null, value: rare ? 0 : (line?.[field] ?? null) };
    });
  });
  return { lists, season: parseSeasonYear(season), playoffs: count(gameType) === PLAYOFFS };
}

/** Zero leads nothing; a list without a single figure is no list. */
function byCategory(
  rowsFor: (
    category: (typeof CATEGORIES)[Category],
  ) => (Omit<Leader, "value"> & { value: number | null })[] | undefined,
): LeaderLists["lists"] {
  const lists = Object.entries(CATEGORIES).map(([name, category]) => {
    const rows = rowsFor(category);
    if (rows === undefined || (rows.length > 0 && rows.every(({ value }) => value === null))) return [name, null];
    const leaders = rows.flatMap((row): Leader[] => {
      const value = row.value ?? 0;
      return value === 0 || value > CAREER_LIMIT ? [] : [{ ...row, value }];
    });
    return [name, leaders.toSorted((one, other) => other.value - one.value)];
  });
  return Object.fromEntries(lists);
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

// The clubs and the players of the made-up league: the tables, and how the source writes their names. The names are
// real ones, every figure is invented, and stands as of the morning: tonight's games don't move it.

/**
 * Clubs, as the source names them: `of` is its French with a preposition; `record` and `table` are of this morning:
 * victories in regulation, then won and lost in shootouts, goals for and against, the record at home, the last ten, and
 * the series under way.
 * @typedef {{ id: number, place: string, placeFr?: string, nick: string, nickFr?: string, of: string, venue: string, zone: string, offset: string, record: string, division: string, table: string }} Club
 */
export const CLUBS = {
  MTL: {
    id: 8,
    place: "Montréal",
    nick: "Canadiens",
    of: "de Montréal",
    venue: "Centre Bell",
    zone: "America/Montreal",
    offset: "-05:00",
    record: "27-14-5",
    division: "A",
    table: "24 0 3 147-127 14-7-2 6-3-1 W3",
  },
  TOR: {
    id: 10,
    place: "Toronto",
    nick: "Maple Leafs",
    of: "de Toronto",
    venue: "Scotiabank Arena",
    zone: "America/Toronto",
    offset: "-05:00",
    record: "24-16-6",
    division: "A",
    table: "20 4 3 140-134 13-7-3 6-3-1 W1",
  },
  OTT: {
    id: 9,
    place: "Ottawa",
    nick: "Senators",
    nickFr: "Sénateurs",
    of: "d'Ottawa",
    venue: "Canadian Tire Centre",
    zone: "America/Toronto",
    offset: "-05:00",
    record: "23-17-6",
    division: "A",
    table: "20 1 0 141-137 12-8-3 5-4-1 OT1",
  },
  WPG: {
    id: 52,
    place: "Winnipeg",
    nick: "Jets",
    of: "de Winnipeg",
    venue: "Canada Life Centre",
    zone: "America/Winnipeg",
    offset: "-06:00",
    record: "25-17-4",
    division: "C",
    table: "16 1 2 140-133 14-7-2 5-4-1 W2",
  },
  CGY: {
    id: 20,
    place: "Calgary",
    nick: "Flames",
    of: "de Calgary",
    venue: "Scotiabank Saddledome",
    zone: "America/Edmonton",
    offset: "-07:00",
    record: "19-22-6",
    division: "P",
    table: "12 2 1 131-153 11-9-3 3-6-1 W1",
  },
  EDM: {
    id: 22,
    place: "Edmonton",
    nick: "Oilers",
    of: "d'Edmonton",
    venue: "Rogers Place",
    zone: "America/Edmonton",
    offset: "-07:00",
    record: "26-15-6",
    division: "P",
    table: "18 4 0 146-139 15-5-3 7-2-1 L1",
  },
  VAN: {
    id: 23,
    place: "Vancouver",
    nick: "Canucks",
    of: "de Vancouver",
    venue: "Rogers Arena",
    zone: "America/Vancouver",
    offset: "-08:00",
    record: "18-23-5",
    division: "P",
    table: "11 3 2 129-144 9-12-2 4-5-1 OT1",
  },
  BOS: {
    id: 6,
    place: "Boston",
    nick: "Bruins",
    of: "de Boston",
    venue: "TD Garden",
    zone: "America/New_York",
    offset: "-05:00",
    record: "22-19-5",
    division: "A",
    table: "15 1 3 138-143 11-10-2 4-5-1 W1",
  },
  BUF: {
    id: 7,
    place: "Buffalo",
    nick: "Sabres",
    of: "de Buffalo",
    venue: "KeyBank Center",
    zone: "America/New_York",
    offset: "-05:00",
    record: "21-20-5",
    division: "A",
    table: "17 2 5 138-148 12-9-2 6-3-1 L1",
  },
  DET: {
    id: 17,
    place: "Detroit",
    nick: "Red Wings",
    of: "de Detroit",
    venue: "Little Caesars Arena",
    zone: "America/Detroit",
    offset: "-05:00",
    record: "25-17-5",
    division: "A",
    table: "16 5 3 142-139 14-7-2 5-4-1 W3",
  },
  NYI: {
    id: 2,
    place: "New York",
    nick: "Islanders",
    of: "de New York",
    venue: "UBS Arena",
    zone: "America/New_York",
    offset: "-05:00",
    record: "23-18-5",
    division: "M",
    table: "18 3 2 141-138 14-7-2 6-3-1 L2",
  },
  MIN: {
    id: 30,
    place: "Minnesota",
    nick: "Wild",
    of: "du Minnesota",
    venue: "Grand Casino Arena",
    zone: "America/Chicago",
    offset: "-06:00",
    record: "28-13-6",
    division: "C",
    table: "24 1 2 156-127 14-6-3 6-3-1 W2",
  },
  CAR: {
    id: 12,
    place: "Carolina",
    placeFr: "Caroline",
    nick: "Hurricanes",
    of: "de la Caroline",
    venue: "Lenovo Center",
    zone: "US/Eastern",
    offset: "-05:00",
    record: "30-13-3",
    division: "M",
    table: "28 2 3 157-128 16-5-2 6-3-1 L3",
  },
  UTA: {
    id: 68,
    place: "Utah",
    nick: "Mammoth",
    of: "de l'Utah",
    venue: "Delta Center",
    zone: "US/Mountain",
    offset: "-07:00",
    record: "22-20-4",
    division: "C",
    table: "16 1 3 140-145 12-9-2 6-3-1 L3",
  },
  STL: {
    id: 19,
    place: "St. Louis",
    nick: "Blues",
    of: "de St. Louis",
    venue: "Enterprise Center",
    zone: "US/Central",
    offset: "-06:00",
    record: "20-20-7",
    division: "C",
    table: "15 1 6 135-148 10-10-4 5-4-1 W1",
  },
  LAK: {
    id: 26,
    place: "Los Angeles",
    nick: "Kings",
    of: "de Los Angeles",
    venue: "Crypto.com Arena",
    zone: "US/Pacific",
    offset: "-08:00",
    record: "24-15-8",
    division: "P",
    table: "20 3 2 149-142 14-5-4 5-3-2 W1",
  },
  SEA: {
    id: 55,
    place: "Seattle",
    nick: "Kraken",
    of: "de Seattle",
    venue: "Climate Pledge Arena",
    zone: "US/Pacific",
    offset: "-08:00",
    record: "21-18-8",
    division: "P",
    table: "17 1 4 140-152 11-9-4 5-3-2 W2",
  },
  FLA: {
    id: 13,
    place: "Florida",
    placeFr: "Floride",
    nick: "Panthers",
    of: "de la Floride",
    venue: "Amerant Bank Arena",
    zone: "US/Eastern",
    offset: "-05:00",
    record: "26-17-3",
    division: "A",
    table: "23 0 3 143-136 13-8-2 6-3-1 W2",
  },
  TBL: {
    id: 14,
    place: "Tampa Bay",
    nick: "Lightning",
    of: "de Tampa Bay",
    venue: "Benchmark International Arena",
    zone: "US/Eastern",
    offset: "-05:00",
    record: "29-13-4",
    division: "A",
    table: "24 1 0 148-126 15-6-2 6-3-1 L2",
  },
  CBJ: {
    id: 29,
    place: "Columbus",
    nick: "Blue Jackets",
    of: "de Columbus",
    venue: "Nationwide Arena",
    zone: "US/Eastern",
    offset: "-05:00",
    record: "19-19-7",
    division: "M",
    table: "13 1 0 128-139 10-9-4 3-5-2 L3",
  },
  NJD: {
    id: 1,
    place: "New Jersey",
    nick: "Devils",
    of: "du New Jersey",
    venue: "Prudential Center",
    zone: "US/Eastern",
    offset: "-05:00",
    record: "22-21-3",
    division: "M",
    table: "18 4 0 138-146 12-9-2 5-4-1 W2",
  },
  NYR: {
    id: 3,
    place: "New York",
    nick: "Rangers",
    of: "de New York",
    venue: "Madison Square Garden",
    zone: "US/Eastern",
    offset: "-05:00",
    record: "20-22-5",
    division: "M",
    table: "15 2 1 133-152 11-10-2 5-4-1 W3",
  },
  PHI: {
    id: 4,
    place: "Philadelphia",
    placeFr: "Philadelphie",
    nick: "Flyers",
    of: "de Philadelphie",
    venue: "Xfinity Mobile Arena",
    zone: "US/Eastern",
    offset: "-05:00",
    record: "22-17-7",
    division: "M",
    table: "17 4 3 139-136 13-6-4 5-3-2 L1",
  },
  PIT: {
    id: 5,
    place: "Pittsburgh",
    nick: "Penguins",
    of: "de Pittsburgh",
    venue: "PPG Paints Arena",
    zone: "US/Eastern",
    offset: "-05:00",
    record: "21-18-7",
    division: "M",
    table: "14 1 2 135-143 10-9-4 5-3-2 W3",
  },
  WSH: {
    id: 15,
    place: "Washington",
    nick: "Capitals",
    of: "de Washington",
    venue: "Capital One Arena",
    zone: "US/Eastern",
    offset: "-05:00",
    record: "24-19-4",
    division: "M",
    table: "21 1 0 141-146 13-9-2 5-4-1 L1",
  },
  CHI: {
    id: 16,
    place: "Chicago",
    nick: "Blackhawks",
    of: "de Chicago",
    venue: "United Center",
    zone: "US/Central",
    offset: "-06:00",
    record: "18-23-5",
    division: "C",
    table: "11 3 2 127-152 10-11-2 3-6-1 W2",
  },
  COL: {
    id: 21,
    place: "Colorado",
    nick: "Avalanche",
    of: "du Colorado",
    venue: "Ball Arena",
    zone: "US/Mountain",
    offset: "-07:00",
    record: "31-9-6",
    division: "C",
    table: "25 2 1 158-118 18-2-3 8-1-1 L1",
  },
  DAL: {
    id: 25,
    place: "Dallas",
    nick: "Stars",
    of: "de Dallas",
    venue: "American Airlines Center",
    zone: "US/Central",
    offset: "-06:00",
    record: "27-13-7",
    division: "C",
    table: "23 2 2 149-134 14-6-4 5-4-1 W2",
  },
  NSH: {
    id: 18,
    place: "Nashville",
    nick: "Predators",
    of: "de Nashville",
    venue: "Bridgestone Arena",
    zone: "US/Central",
    offset: "-06:00",
    record: "19-24-4",
    division: "C",
    table: "15 3 4 130-154 11-11-2 4-5-1 W3",
  },
  ANA: {
    id: 24,
    place: "Anaheim",
    nick: "Ducks",
    of: "d'Anaheim",
    venue: "Honda Center",
    zone: "US/Pacific",
    offset: "-08:00",
    record: "21-22-3",
    division: "P",
    table: "15 3 1 136-147 12-9-2 6-3-1 W2",
  },
  SJS: {
    id: 28,
    place: "San Jose",
    nick: "Sharks",
    of: "de San Jose",
    venue: "SAP Center at San Jose",
    zone: "US/Pacific",
    offset: "-08:00",
    record: "20-23-3",
    division: "P",
    table: "14 6 3 131-148 11-10-2 5-4-1 L2",
  },
  VGK: {
    id: 54,
    place: "Vegas",
    nick: "Golden Knights",
    of: "de Vegas",
    venue: "T-Mobile Arena",
    zone: "US/Pacific",
    offset: "-08:00",
    record: "24-14-8",
    division: "P",
    table: "16 0 2 141-133 13-6-4 6-2-2 W1",
  },
};

/**
 * Who plays for whom, the goalie first: number, name, position, games, then goals + assists and the difference; for a
 * goalie victories-defeats-overtime, goals against / shots against and shutouts. `from`: the figures with the club that
 * a player left this season, on top of these. `to`: traded last night, and hasn't played for the new club yet.
 * `absent`: injured for long, not on the roster. A rookie has no season before this one.
 */
const ROSTERS = {
  MTL: `35 Samuel Montembeault G 28 16-9-3 76/748 2
    14 Nick Suzuki C 46 16+38 +11
    13 Cole Caufield R 46 27+22 +6
    20 Juraj Slafkovský L 46 19+24 +8
    93 Ivan Demidov R 46 13+31 +5 rookie
    48 Lane Hutson D 46 8+40 +9
    53 Noah Dobson D 46 9+25 +12
    71 Jake Evans C 45 8+11 +1
    72 Arber Xhekaj D 38 1+5 -4
    21 Kaiden Guhle D 11 1+3 +2 absent`,
  TOR: `60 Joseph Woll G 26 14-8-4 70/738 1
    34 Auston Matthews C 43 25+18 +7
    88 William Nylander R 44 20+35 +2
    91 John Tavares C 46 20+24 -3
    44 Morgan Rielly D 46 7+20 -8
    23 Matthew Knies L 45 13+28 +4
    11 Max Domi C 46 6+15 -9
    55 Nicolas Roy C 40 5+11 +3`,
  OTT: `35 Linus Ullmark G 30 15-10-5 85/790 1
    7 Brady Tkachuk L 30 12+19 +4
    18 Tim Stützle C 46 22+29 +3
    19 Drake Batherson R 45 17+26 -2
    85 Jake Sanderson D 46 9+27 +7
    12 Shane Pinto C 44 14+11 +1
    71 Ridly Greig C 45 9+17 -5
    72 Thomas Chabot D 43 5+19 +6`,
  WPG: `37 Connor Hellebuyck G 33 18-12-3 82/893 3
    55 Mark Scheifele C 46 23+36 +5
    81 Kyle Connor L 46 24+29 +2
    44 Josh Morrissey D 46 9+31 +8
    91 Cole Perfetti C 33 6+14 -3
    13 Gabriel Vilardi C 45 17+21 +1`,
  CGY: `32 Dustin Wolf G 34 14-16-4 103/961 1
    10 Jonathan Huberdeau L 42 10+18 -11
    91 Nazem Kadri C 47 11+27 -14
    27 Matt Coronato R 46 14+15 -9
    52 MacKenzie Weegar D 47 4+17 -16`,
  EDM: `30 Calvin Pickard G 22 12-6-3 61/576 1
    97 Connor McDavid C 47 29+51 +9
    29 Leon Draisaitl C 47 27+40 +6
    2 Evan Bouchard D 47 11+36 +3
    93 Ryan Nugent-Hopkins C 40 11+25 -1
    18 Zach Hyman L 30 18+12 +5
    25 Darnell Nurse D 47 5+14 -6`,
  VAN: `35 Thatcher Demko G 24 9-12-3 73/661 0
    40 Elias Pettersson C 44 13+19 -8
    6 Brock Boeser R 45 15+14 -13
    17 Filip Hronek D 46 5+24 -2
    74 Jake DeBrusk L 46 14+11 -12
    8 Conor Garland R 43 8+17 -7
    21 Nils Höglander L 20 2+4 -5
    25 Elias Pettersson D 39 2+5 -4`,
  BOS: `1 Jeremy Swayman G 32 17-12-3 91/900 1
    88 David Pastrnak R 44 23+38 +4
    28 Elias Lindholm C 38 9+21 -4
    18 Pavel Zacha C 45 16+19 +2
    73 Charlie McAvoy D 36 4+26 +1
    71 Viktor Arvidsson R 41 12+14 -1
    39 Morgan Geekie C 46 25+16 +3
    91 Nikita Zadorov D 46 2+13 +6`,
  BUF: `1 Ukko-Pekka Luukkonen G 27 12-11-4 76/734 2
    72 Tage Thompson C 46 23+24 +2
    26 Rasmus Dahlin D 45 9+33 +7
    89 Alex Tuch R 45 16+24 +1
    9 Zach Benson L 38 7+20 +3
    19 Peyton Krebs C 46 6+14 -4`,
  DET: `36 John Gibson G 31 18-10-3 81/816 3
    71 Dylan Larkin C 47 24+23 +2
    53 Moritz Seider D 47 7+31 +9
    93 Alex DeBrincat R 47 26+25 +4
    23 Lucas Raymond L 45 15+38 +3
    88 Patrick Kane R 39 9+25 -5`,
  NYI: `30 Ilya Sorokin G 33 17-13-3 83/910 4
    13 Mathew Barzal C 45 13+30 +5
    14 Bo Horvat C 40 22+17 +3
    27 Anders Lee L 46 13+15 -2
    48 Matthew Schaefer D 46 14+19 +6 rookie
    25 Sebastian Aho D 38 3+9 +1`,
  MIN: `30 Filip Gustavsson G 30 18-8-4 71/792 3
    97 Kirill Kaprizov L 47 28+33 +10
    12 Matt Boldy L 47 26+26 +12
    43 Quinn Hughes D 20 2+22 +9 from VAN 26 2+21 -9`,
  CAR: `31 Frederik Andersen G 26 17-7-2 58/610 2
    20 Sebastian Aho C 46 19+32 +9
    37 Andrei Svechnikov R 46 18+20 +4
    27 Nikolaj Ehlers L 46 14+25 +7
    4 Shayne Gostisbehere D 38 7+28 +8`,
  UTA: `70 Karel Vejmelka G 34 19-12-3 90/876 1
    9 Clayton Keller C 46 16+30 +4
    8 Nick Schmaltz C 46 18+25 +2
    98 Mikhail Sergachev D 46 7+27 +3`,
  STL: `50 Jordan Binnington G 28 11-12-5 85/711 1
    18 Robert Thomas C 43 12+24 -6
    25 Jordan Kyrou R 40 13+15 -10
    10 Brayden Schenn C 47 9+12 -9`,
  LAK: `35 Darcy Kuemper G 29 16-8-5 69/736 2
    9 Adrian Kempe R 47 19+25 +8
    11 Anze Kopitar C 41 8+18 +3
    12 Kevin Fiala L 47 20+21 -3
    24 Phillip Danault C 44 4+13 -2 to MTL`,
  SEA: `35 Joey Daccord G 29 14-10-5 78/807 1
    7 Jordan Eberle R 47 17+18 +3
    10 Matty Beniers C 47 11+22 -2
    62 Brandon Montour D 42 8+18 -4`,
  FLA: `72 Sergei Bobrovsky G 31 19-11-1 82/798 3
    13 Sam Reinhart C 46 26+23 +2
    63 Brad Marchand L 44 23+26 +1
    23 Carter Verhaeghe C 46 14+20 -3
    19 Matthew Tkachuk L 8 2+6 +1`,
  TBL: `88 Andrei Vasilevskiy G 33 22-9-2 75/848 3
    86 Nikita Kucherov R 44 24+46 +14
    21 Brayden Point C 38 14+20 +5
    38 Brandon Hagel L 44 23+22 +13`,
  CBJ: `73 Jet Greaves G 29 13-11-5 80/809 1
    8 Zach Werenski D 45 17+34 +6
    91 Kent Johnson C 44 7+13 -9
    23 Sean Monahan C 44 9+16 -4`,
  NJD: `25 Jacob Markstrom G 24 12-11-1 72/642 0
    86 Jack Hughes C 29 12+17 -1
    13 Nico Hischier C 46 16+21 +3
    63 Jesper Bratt L 46 11+29 -5
    43 Luke Hughes D 45 4+20 -8`,
  NYR: `31 Igor Shesterkin G 35 16-15-4 88/952 2
    10 Artemi Panarin L 47 17+35 +1
    93 Mika Zibanejad C 46 17+24 -2
    23 Adam Fox D 32 4+24 +5`,
  PHI: `80 Dan Vladar G 27 15-8-4 64/658 1
    11 Travis Konecny R 46 16+26 +5
    39 Matvei Michkov R 45 12+17 -6
    46 Trevor Zegras C 46 19+23 +2`,
  PIT: `37 Tristan Jarry G 24 11-9-4 69/690 1
    87 Sidney Crosby C 46 25+28 +6
    71 Evgeni Malkin C 33 9+25 +3
    65 Erik Karlsson D 46 6+32 +7`,
  WSH: `48 Logan Thompson G 34 18-12-4 83/925 3
    8 Alex Ovechkin L 47 20+21 +4
    17 Dylan Strome C 46 12+26 +1
    43 Tom Wilson R 42 22+21 +8`,
  CHI: `30 Spencer Knight G 33 14-15-4 92/971 3
    98 Connor Bedard C 34 20+29 +5
    86 Teuvo Teravainen L 45 10+16 -8
    91 Frank Nazar C 34 7+15 -3`,
  COL: `39 Mackenzie Blackwood G 25 18-4-2 52/640 3
    29 Nathan MacKinnon C 46 36+42 +33
    8 Cale Makar D 46 14+39 +28
    88 Martin Necas R 46 21+35 +24
    62 Artturi Lehkonen L 44 16+18 +19`,
  DAL: `29 Jake Oettinger G 32 19-8-5 80/812 2
    21 Jason Robertson L 47 27+29 +8
    96 Mikko Rantanen R 46 18+41 +5
    53 Wyatt Johnston C 47 25+26 +7
    4 Miro Heiskanen D 46 6+33 +10`,
  NSH: `74 Juuse Saros G 36 16-17-3 104/1004 2
    9 Filip Forsberg L 47 19+18 -6
    90 Ryan O'Reilly C 46 14+27 -3
    59 Roman Josi D 35 8+18 -7`,
  ANA: `1 Lukas Dostal G 33 16-15-2 99/929 1
    91 Leo Carlsson C 44 18+27 +2
    19 Troy Terry R 42 13+28 -1
    92 Cutter Gauthier L 46 23+19 -4`,
  SJS: `30 Yaroslav Askarov G 30 14-14-2 92/885 1
    71 Macklin Celebrini C 46 25+46 +8
    2 Will Smith C 33 13+21 +1
    73 Tyler Toffoli R 46 13+17 -10`,
  VGK: `79 Carter Hart G 18 10-5-3 47/458 1
    9 Jack Eichel C 42 16+36 +5
    48 Tomas Hertl C 46 18+22 -2
    93 Mitch Marner R 44 14+38 +11
    61 Mark Stone R 30 15+29 +12`,
};

/** As above, each with the club and the season of the last game. */
const RETIRED = [
  ["MTL", 20212022, "31 Carey Price G 45 20-18-6 121/1290 1"],
  ["MTL", 20152016, "79 Andrei Markov D 82 5+39 -6"],
];

/**
 * A skater's figures, or a goalie's, over one season with one club.
 * @typedef {{ games: number, goals: number, assists: number, points: number, plusMinus: number }} SkaterLine
 * @typedef {{ games: number, wins: number, losses: number, overtime: number, against: number, shots: number, shutouts: number }} GoalieLine
 *
 * `club` is where the player is now, null once retired; `last` is where the last games were played, in `season`.
 * `clubs`: the figures of that season, one entry per club, in order.
 * @typedef {object} Player
 * @property {number} id
 * @property {number} number
 * @property {string} first
 * @property {string} last
 * @property {string} position
 * @property {string | null} club
 * @property {string} played
 * @property {number} season
 * @property {[club: string, line: SkaterLine | GoalieLine][]} clubs
 * @property {boolean} absent
 * @property {boolean} rookie
 */

const SEASON = 20252026;

/**
 * @param {string} games
 * @param {string} figures
 * @param {string} [last]
 * @returns {SkaterLine | GoalieLine}
 */
function lineOf(games, figures, last) {
  const goalie = /^(\d+)-(\d+)-(\d+) (\d+)\/(\d+)$/.exec(figures)?.slice(1).map(Number);
  if (goalie !== undefined) {
    const [wins, losses, overtime, against, shots] = goalie;
    return { games: Number(games), wins, losses, overtime, against, shots, shutouts: Number(last) };
  }
  const [goals, assists] = figures.split("+").map(Number);
  return { games: Number(games), goals, assists, points: goals + assists, plusMinus: Number(last) };
}

const LINE =
  /^(\d+) (\S+) (.+) ([CLRDG]) (\d+) (\S+(?: \d+\/\d+)?) ([+-]?\d+)(?: from (\w{3}) (\d+) (\S+) (\S+))?(?: to (\w{3}))?( absent)?( rookie)?$/;

/**
 * @param {string} club
 * @param {number} season
 * @param {string} text
 * @param {number} index
 * @returns {Player}
 */
function parsePlayer(club, season, text, index) {
  const found = LINE.exec(text.trim());
  if (found === null) throw new Error(`not a player: ${text}`);
  const [, number, first, last, position, games, figures, end, from, before, earlier, difference, to] = found;
  return {
    id: 8490000 + clubOf(club).id * 100 + index,
    number: Number(number),
    first,
    last,
    position,
    club: season === SEASON ? (to ?? club) : null,
    played: club,
    season,
    clubs: [
      ...(from === undefined
        ? []
        : [/** @type {[string, SkaterLine | GoalieLine]} */ ([from, lineOf(before, earlier, difference)])]),
      [club, lineOf(games, figures, end)],
    ],
    absent: found[13] !== undefined,
    rookie: found[14] !== undefined,
  };
}

/** Everybody that the source knows. @type {Player[]} */
export const PLAYERS = [
  ...Object.entries(ROSTERS).flatMap(([club, text]) =>
    text.split("\n").map((line, index) => parsePlayer(club, SEASON, line, index)),
  ),
  // Some place after those of today.
  ...RETIRED.map(([club, season, line], index) => parsePlayer(String(club), Number(season), String(line), 90 + index)),
];

/**
 * @param {string} club
 * @param {string} lastName
 */
export function playerOf(club, lastName) {
  const player = PLAYERS.find(({ played, last, season }) => played === club && last === lastName && season === SEASON);
  if (player === undefined) throw new Error(`nobody named ${lastName} plays for ${club}`);
  return player;
}

/** @param {string} club */
export function goalieOf(club) {
  const goalie = PLAYERS.find(({ played, position }) => played === club && position === "G");
  if (goalie === undefined) throw new Error(`nobody keeps the net of ${club}`);
  return goalie;
}

/** @param {string} abbrev */
export function isClub(abbrev) {
  return Object.hasOwn(CLUBS, abbrev);
}

/** @param {string} abbrev */
export function clubOf(abbrev) {
  /** @type {Record<string, Club>} */
  const clubs = CLUBS;
  return clubs[abbrev];
}

/**
 * The source gives French only where it differs.
 * @param {string} text
 * @param {string} [french]
 */
export function localized(text, french) {
  return french === undefined || french === text ? { default: text } : { default: text, fr: french };
}

/**
 * « Canadiens de Montréal »: the names of a club, as most endpoints give them.
 * @param {string} abbrev
 */
export function namesOf(abbrev) {
  const { place, placeFr, nick, nickFr, of } = clubOf(abbrev);
  return {
    full: localized(`${place} ${nick}`, `${nickFr ?? nick} ${of}`),
    common: localized(nick, nickFr),
    place: localized(place, placeFr),
    withPreposition: localized(place, of),
  };
}

/**
 * @param {string} abbrev
 * @param {"light" | "dark"} [kind]
 */
export function logoOf(abbrev, kind = "light") {
  return `https://assets.nhle.com/logos/nhl/svg/${abbrev}_${kind}.svg`;
}

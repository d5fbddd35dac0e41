// What the two gazetteers answer, in their real shapes: geogratis for Canada, Open-Meteo's for the world.

/**
 * A place of Canada: `province` is a code of Statistics Canada, 24 for Québec.
 * @typedef {object} CanadianPlace
 * @property {string} name
 * @property {number} lat
 * @property {number} lon
 * @property {string} [concise] CITY, TOWN, VILG, HAM, UNP, MUN1
 * @property {string} [province]
 * @property {string} [location]
 */

/**
 * @typedef {object} WorldPlace
 * @property {string} name
 * @property {number} lat
 * @property {number} lon
 * @property {string} country
 * @property {string} countryCode
 * @property {string} zone
 * @property {string} [region]
 * @property {number} [population]
 * @property {string} [feature] PPL, PPLA2, PPLC
 */

const GEONAME = "https://geogratis.gc.ca/services/geoname/fr";

/**
 * `/services/geoname/fr/geonames.json`
 * @param {CanadianPlace[]} places
 */
export function geogratis(places) {
  return { items: places.map(canadian) };
}

/**
 * @param {CanadianPlace} place
 * @param {number} index
 */
function canadian({ name, lat, lon, concise = "UNP", province = "24", location = "" }, index) {
  const id = `EX${String.fromCharCode(65 + (index % 26))}${name.length % 10}`;
  const coded = (/** @type {string} */ kind, /** @type {string} */ code) => ({
    code,
    links: { self: { href: `${GEONAME}/codes/${kind}/${code}` } },
  });
  return {
    id,
    links: { self: { href: `${GEONAME}/geonames/${id}` } },
    name,
    language: coded("language", "und"),
    category: "O",
    status: coded("status", "official"),
    concise: coded("concise", concise),
    generic: coded("generic", "1"),
    location,
    province: coded("province", province),
    latitude: lat,
    longitude: lon,
    map: ["031X00"],
    relevance: 1_000_000,
    bbox: [lon - 0.02, lat - 0.02, lon + 0.02, lat + 0.02],
    accuracy: 100,
    position: { type: "Point", coordinates: [lon, lat] },
    decision: "1971-03-04",
  };
}

/**
 * `/services/geolocation/fr/locate`: an array, best first.
 * @param {{ title: string, lat: number, lon: number, type?: string }[]} places
 */
export function locate(places) {
  return places.map(({ title, lat, lon, type = "ca.gc.nrcan.geoloc.data.model.PostalCode" }) => ({
    title,
    qualifier: "LOCATION",
    type,
    geometry: { type: "Point", coordinates: [lon, lat] },
  }));
}

/**
 * `/v1/search`: without a result, there is no list either.
 * @param {WorldPlace[]} places
 */
export function geocoder(places) {
  return {
    ...(places.length > 0 && { results: places.map(worldly) }),
    generationtime_ms: 0.61,
  };
}

/**
 * @param {WorldPlace} place
 * @param {number} index
 */
function worldly({ name, lat, lon, country, countryCode, zone, region, population, feature = "PPL" }, index) {
  return {
    id: 9_100_001 + index,
    name,
    latitude: lat,
    longitude: lon,
    elevation: 34,
    feature_code: feature,
    country_code: countryCode,
    admin1_id: 9_200_001 + index,
    timezone: zone,
    ...(population !== undefined && { population }),
    country_id: 9_300_001 + index,
    country,
    ...(region !== undefined && { admin1: region }),
  };
}

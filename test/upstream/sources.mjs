// The made-up sources of every door, at once: what `npm run demo` and the tests with real clients serve the fleet on.
import { buildBlog, serveFiles } from "./blog.mjs";
import { DAY, startEccc } from "./eccc.mjs";
import { NIGHT, startNhl } from "./nhl.mjs";

/**
 * Serves the night of hockey, the day of weather and the blog on the loopback.
 * @param {{ clock?: number, speed?: number }} [night] where the night of hockey starts, in ms since 1970, and how much
 *   faster than life it goes; a door's own clock always runs at the speed of life
 * @returns {Promise<{
 *   vars: { hockey: Vars, meteo: Vars, articles: Vars }, nhl: Awaited<ReturnType<typeof startNhl>>, close(): Promise<void>
 * }>} `vars`: the variables of each door, its clock among them
 *
 * @typedef {Record<string, string>} Vars
 */
export async function startSources({ clock = NIGHT.starts, speed = 1 } = {}) {
  const nhl = await startNhl({ clock, speed });
  const eccc = await startEccc();
  // By words: made-up vectors only know words, so the search by meaning would find nothing more.
  const blog = await serveFiles(await buildBlog());
  const vars = {
    hockey: { NHL_API: nhl.url, NHL_SEARCH_API: nhl.url, CLOCK: new Date(clock).toISOString() },
    meteo: {
      ...{ ECCC_API: eccc.url, OPEN_METEO_API: eccc.url, GEO_API: eccc.url, GEO_WORLD_API: eccc.url },
      CLOCK: new Date(DAY.starts).toISOString(),
    },
    articles: { INDEX_URL: blog.url },
  };
  const close = async () => {
    await Promise.all([nhl, eccc, blog].map((source) => source.close()));
  };
  return { vars, nhl, close };
}

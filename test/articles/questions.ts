// What people ask, in everyday French of Québec, and the tool that each question calls for.
import { type Asked, listQuestions } from "../questions.ts";

const BY_TOOL: Record<string, Asked[]> = {
  articles_chercher: [
    ["Dans quel article il parle de ses onduleurs ?", "dans quel article il en parle", "il parle de ses onduleurs"],
    ["Qu'est-ce qu'il dit de ses sauvegardes ?", "qu'est-ce qu'il dit de"],
    ["Comment il a branché son antenne ?", "comment il a branche"],
    ["A-t-il écrit sur le café ?", "a-t-il ecrit sur"],
    ["Pourquoi elle a changé ses thermostats ?", "pourquoi"],
    ["Avec quoi elle refroidit son serveur ?", "avec quoi"],
    ["Elle en parle-tu, du Minitel ?", "parle"],
    ["Cherche « nftables » dans les articles.", "cherche dans les articles"],
  ],
  articles_lire: [
    ["Lis-moi l'article sur les onduleurs.", "lis-moi l'article sur"],
    ["Lis-moi son article au complet.", "lis-moi son article au complet"],
    ["Continue, la partie deux.", "la partie deux"],
    ["Peux-tu me lire le dernier article ?", "lis-moi le dernier article"],
    ["Lis la suite.", "continue", "a voix haute"],
    ["Lis-moi « Mes sauvegardes en trois, deux, un » à voix haute.", "a voix haute", "par son titre"],
  ],
  articles_lister: [
    ["C'est quoi le dernier article ?", "quoi le dernier article"],
    ["Quoi de neuf sur le blogue ?", "quoi de neuf"],
    ["C'est quoi ses cinq derniers articles ?", "cinq derniers articles"],
    ["Ses articles sur la domotique, les plus récents ?", "les plus recents"],
    ["Quels articles ont l'étiquette réseau ?", "etiquette"],
    ["Elle a publié quoi dernièrement ?", "derniers articles parus"],
  ],
};

export const QUESTIONS = listQuestions(BY_TOOL);

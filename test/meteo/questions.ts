// What people ask, in everyday French of Québec, and the tool that each question calls for.
import { type Asked, listQuestions } from "../questions.ts";

const BY_TOOL: Record<string, Asked[]> = {
  meteo_actuelle: [
    ["Il fait combien dehors ?", "il fait combien"],
    ["Fait-tu froid à Saguenay ?", "fait-il froid dehors", "en ce moment"],
    ["Est-ce qu'il vente à soir à Gaspé, là, maintenant ?", "est-ce qu'il vente"],
    ["C'est quoi la température ressentie ?", "ressenti avec le vent"],
    ["Il pleut-tu en ce moment ?", "qui tombe"],
    ["Quel temps fait-il à Paris ?", "quel temps fait-il"],
    ["Il fait-tu soleil à Québec, là ?", "en ce moment dehors", "ciel"],
  ],
  meteo_previsions: [
    ["Quel temps va-t-il faire demain ?", "quel temps va-t-il faire demain"],
    ["La météo de la fin de semaine à Sherbrooke ?", "meteo de la fin de semaine"],
    ["Ça va être comment cette nuit ?", "ca va etre comment cette nuit"],
    ["Donne-moi les sept prochains jours.", "sept prochains jours"],
    ["Va-t-il venter samedi ?", "va-t-il venter samedi"],
    ["Il va faire combien à 15 heures ?", "une heure precise d'ici demain"],
    ["C'est quoi le maximum demain à Gatineau ?", "maximum ou minimum"],
    ["Qu'est-ce qu'ils annoncent pour ce soir ?", "previsions officielles", "ce soir"],
  ],
  meteo_precipitations: [
    ["Va-t-il pleuvoir cet après-midi ?", "va-t-il pleuvoir"],
    ["Combien de neige ils annoncent ?", "combien de neige"],
    ["J'ai-tu besoin d'un parapluie ?", "parapluie"],
    ["La pluie arrête à quelle heure ?", "a quelle heure la pluie arrete"],
    ["Va-t-il neiger demain à Québec ?", "neiger"],
    ["Y a-tu du verglas qui s'en vient ?", "verglas", "va-t-il pleuvoir"],
    ["On annonce-tu des orages ce soir ?", "orages", "va-t-il pleuvoir"],
  ],
  meteo_alertes: [
    ["Y a-tu des alertes météo ?", "alertes meteo"],
    ["Est-ce qu'on annonce une tempête ?", "annonce une tempete"],
    ["C'est quoi l'avertissement pour Drummondville ?", "quoi l'avertissement"],
    ["Lis-moi la suite de l'alerte.", "suite de l'alerte"],
    ["L'avertissement de neige, c'est jusqu'à quand ?", "avertissements", "jusqu'a quand"],
  ],
  meteo_air: [
    ["Comment est la qualité de l'air ?", "qualite de l'air"],
    ["C'est quoi l'indice UV ?", "indice uv"],
    ["Faut-il de la crème solaire ?", "creme solaire"],
    ["Y a-tu de la fumée dans l'air ?", "fumee"],
    ["L'air est-tu bon à Montréal ?", "l'air est-tu bon"],
  ],
  meteo_soleil: [
    ["À quelle heure se couche le soleil ?", "se couche le soleil"],
    ["Le soleil se lève à quelle heure demain ?", "le soleil se leve"],
    ["Il fait noir à quelle heure ?", "noir a quelle heure"],
    ["Combien d'heures de clarté on a ?", "heures de clarte"],
    ["Les jours rallongent de combien à Noël ?", "duree du jour"],
  ],
  meteo_normales: [
    ["Est-ce que c'est dans les normales ?", "dans les normales"],
    ["C'est-tu normal pour la saison ?", "normal pour la saison"],
    ["Fait-il plus froid que d'habitude ?", "plus froid que d'habitude"],
    ["C'est quoi la normale à Val-d'Or ?", "quoi la normale"],
    ["De combien on dépasse la normale aujourd'hui ?", "de combien de degres"],
  ],
};

export const QUESTIONS = listQuestions(BY_TOOL);

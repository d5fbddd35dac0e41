// What people ask, in everyday French of Québec, and the tool that each question calls for.

/**
 * `decides`: what makes a model choose that tool and no other, as the beginnings of words, folded. The tool's
 * description says at least one of them; no other tool says them all.
 */
export interface Question {
  asked: string;
  tool: string;
  decides: string[];
}

const BY_TOOL: Record<string, [asked: string, ...decides: string[]][]> = {
  match_lnh: [
    ["C'est quoi le score ?", "quoi le score"],
    ["Est-ce que le Canadien joue ce soir ?", "le canadien joue ce soir"],
    ["Qui a compté pour les Habs ?", "qui a compte"],
    ["Il reste combien de temps à la troisième ?", "temps qu'il reste"],
    ["Le match est-tu à RDS ou à TVA Sports ?", "a quel poste"],
    ["Est-ce qu'Ottawa est en avantage numérique ?", "avantage numerique"],
    ["Le Canadien a-tu gagné hier ?", "qui a gagne hier"],
    ["La game des Leafs, c'est rendu où ?", "en ce moment"],
    ["C'est-tu l'entracte ou on est en prolongation ?", "entracte", "prolongation"],
  ],
  soiree_lnh: [
    ["Qui joue ce soir ?", "qui joue ce soir"],
    ["C'est quoi les scores dans la ligue ?", "scores dans la ligue"],
    ["Donne-moi les résultats d'hier.", "resultats d'hier"],
    ["Il y a-tu des matchs samedi ?", "matchs samedi"],
    ["Il y a-tu du hockey demain ?", "demain"],
    ["Les autres équipes, elles ont fait quoi hier soir ?", "chaque match"],
    ["Fais-moi le tour des matchs de la soirée.", "chaque match", "soiree"],
    ["Combien de matchs il y a le 5 décembre ?", "une date"],
    ["Comment ça a fini partout à soir ?", "toute la lnh", "scores dans la ligue"],
  ],
  calendrier_lnh: [
    ["C'est quand le prochain match du Canadien ?", "quand le prochain match"],
    ["C'est quand les prochains matchs des Oilers ?", "prochains matchs"],
    ["Contre qui on joue cette semaine ?", "cette semaine"],
    ["Donne-moi le calendrier des Sénateurs.", "calendrier"],
    ["Les Jets jouent quand, après ce soir ?", "prochains matchs"],
    ["C'est quoi les cinq prochains matchs de Toronto ?", "prochains matchs"],
    ["Le Canadien est-tu sur la route la semaine prochaine ?", "prochains matchs", "a l'etranger"],
    ["On reçoit qui au Centre Bell cette semaine ?", "cette semaine", "a domicile"],
  ],
  classement_lnh: [
    ["Le Canadien est rendu combientième ?", "rang"],
    ["Où est Toronto au classement ?", "au classement"],
    ["Qui mène l'Atlantique ?", "mene l'atlantique"],
    ["Ottawa a combien de points ?", "fiche", "points"],
    ["Est-ce qu'on est loin des séries ?", "loin des series"],
    ["C'est quoi la fiche des Oilers ?", "fiche"],
    ["Qui est repêché dans l'Est ?", "repech"],
    ["Est-ce que les Canucks ont une place en séries ?", "place en series"],
    ["C'est qui la meilleure équipe de la ligue ?", "premieres equipes"],
  ],
  joueur_lnh: [
    ["Combien de buts a Caufield ?", "combien de buts a"],
    ["Comment va Suzuki ces temps-ci ?", "comment va"],
    ["Slafkovský a fait quoi dans ses derniers matchs ?", "ses derniers matchs"],
    ["Pour qui joue Kotkaniemi asteure ?", "pour qui joue"],
    ["Il est rendu à combien de points, McDavid ?", "combien de points"],
    ["C'est quoi les stats de Montembeault ?", "stats de"],
    ["Danault s'est-tu fait échanger ?", "change d'equipe"],
    ["Carey Price joue-tu encore ?", "plus actif"],
    ["Guhle est-tu dans la formation ?", "formation"],
  ],
  meneurs_lnh: [
    ["Qui mène les pointeurs ?", "pointeur"],
    ["Qui a le plus de buts dans la ligue ?", "le plus de buts"],
    ["C'est qui le meilleur compteur de la ligue ?", "compteur"],
    ["C'est qui le meilleur pointeur du Canadien ?", "meilleur pointeur"],
    ["Quel gardien a le plus de victoires ?", "plus de victoires"],
    ["Quel gardien est le plus efficace ?", "efficacite des gardiens"],
    ["Qui a le plus de passes à Edmonton ?", "meneurs", "passes"],
    ["C'est quoi le top 5 des marqueurs ?", "meneurs"],
  ],
  series_lnh: [
    ["Où en sont les séries ?", "ou en sont les series"],
    ["La série est rendue à combien ?", "serie est rendue"],
    ["Qui a gagné la Coupe Stanley ?", "coupe stanley"],
    ["Contre qui joue le Canadien en première ronde ?", "premiere ronde"],
    ["Les Oilers se sont-tu fait éliminer ?", "eliminee par"],
    ["Les séries commencent quand ?", "quand elles commencent"],
    ["C'est quand le prochain match de la série ?", "match de la serie"],
    ["Qui mène la série, Toronto ou Boston ?", "mene la serie"],
  ],
};

export const QUESTIONS: Question[] = Object.entries(BY_TOOL).flatMap(([tool, rows]) =>
  rows.map(([asked, ...decides]) => ({ asked, tool, decides })),
);

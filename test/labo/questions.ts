// What one person asks of a lab, in everyday French of Québec, and the tool that each question calls for.
import { type Asked, listQuestions } from "../questions.ts";

const BY_TOOL: Record<string, Asked[]> = {
  depots_lister: [
    ["J'ai quels dépôts, donc ?", "quels depots"],
    ["Fais-moi la liste de mes dépôts.", "quels depots"],
    ["C'est quoi mes dépôts sur GitHub ?", "mes depots"],
  ],
  depot_lire: [
    ["Lis-moi le README du cabanon.", "lis-moi le"],
    ["Qu'est-ce qu'il y a dans le fichier de config du serveur ?", "fichier de config"],
    ["Lis-moi la suite du fichier.", "suite du fichier"],
  ],
  depot_chercher: [
    ["Où est-ce que je me sers du mot « brake » dans mon code ?", "dans mon code"],
    ["Cherche « timeout » dans le dépôt du serveur.", "dans mon code", "dans le code"],
    ["Dans quel fichier j'ai mis le port 8123 ?", "dans quel fichier"],
  ],
  depot_activite: [
    ["Qu'est-ce qui a changé dans le cabanon cette semaine ?", "qu'est-ce qui a change"],
    ["C'est quoi les derniers commits ?", "derniers commits"],
    ["Qui a poussé quelque chose hier sur le serveur ?", "commit"],
  ],
  depot_pr: [
    ["Y a-tu des demandes de tirage ouvertes ?", "demandes de tirage"],
    ["La demande de tirage 12, elle fait quoi ?", "demande de tirage"],
    ["Est-ce que je peux fusionner la demande de tirage de Marie ?", "demande de tirage"],
  ],
  depot_problemes: [
    ["Y a-tu des problèmes ouverts dans le cabanon ?", "problemes ouverts"],
    ["C'est quoi le problème numéro 7 ?", "probleme"],
    ["Qu'est-ce que le monde a signalé dans mes dépôts ?", "problemes ouverts"],
  ],
  doc_chercher: [
    ["Qu'est-ce que ma documentation dit de la sauvegarde ?", "ma documentation"],
    ["C'est écrit où, dans la doc, comment redémarrer le routeur ?", "ma documentation", "la doc"],
    ["Cherche « onduleur » dans ma documentation.", "ma documentation"],
  ],
  doc_ecrire: [
    ["Note dans ma doc que le routeur est changé.", "note dans"],
    ["Écris dans la documentation comment repartir le serveur.", "ecri", "note dans"],
    ["Ajoute un paragraphe sur les sauvegardes à la doc.", "ajoute"],
  ],
  maison_demander: [
    ["Ferme les lumières du salon.", "ferme les lumieres"],
    ["Monte le chauffage à 21 dans la chambre.", "chauffage"],
    ["Allume la lampe du bureau.", "allume"],
  ],
  maison_etat: [
    ["La porte du garage est-tu ouverte ?", "porte du garage"],
    ["Il fait combien dans la chambre ?", "il fait combien dans"],
    ["La sécheuse est-tu partie ?", "en ce moment", "l'etat d'"],
  ],
  maison_pieces: [
    ["Qu'est-ce qu'il y a d'allumé dans le salon ?", "piece"],
    ["C'est quoi les pièces de la maison ?", "pieces"],
    ["Fais-moi le tour de la maison, pièce par pièce.", "piece"],
  ],
  maison_historique: [
    ["La porte d'en avant a été ouverte à quelle heure hier ?", "a quelle heure"],
    ["Le chauffage a-tu parti cette nuit ?", "cette nuit", "dernieres heures"],
    ["La température du sous-sol a fait quoi depuis hier ?", "historique", "depuis hier"],
  ],
  maison_camera: [
    ["Montre-moi la caméra de l'entrée.", "camera"],
    ["Y a-tu quelqu'un devant la porte ?", "camera"],
    ["Prends une photo de la cour.", "camera", "image"],
  ],
  taches_lister: [
    ["C'est quoi mes tâches planifiées ?", "taches planifiees"],
    ["Quelles tâches sont désactivées ?", "quelles taches"],
    ["Qu'est-ce qui roule de planifié chez nous ?", "taches planifiees"],
  ],
  tache_etat: [
    ["La sauvegarde a-tu passé cette nuit ?", "a-tu passe"],
    ["Quand est-ce que la sauvegarde a roulé la dernière fois ?", "derniere fois", "a-tu passe"],
    ["La synchronisation est-tu en train de rouler ?", "en train de"],
  ],
  tache_journal: [
    ["Pourquoi la sauvegarde a planté ?", "pourquoi"],
    ["Lis-moi le journal de la dernière sauvegarde.", "journal de la"],
    ["Qu'est-ce que la synchronisation a écrit avant d'échouer ?", "journal", "derniere execution"],
  ],
  tache_lancer: [
    ["Lance la sauvegarde.", "lance la"],
    ["Fais rouler la synchronisation tout de suite.", "lance", "tout de suite"],
    ["Pars la sauvegarde maintenant.", "lance"],
  ],
  tache_arreter: [
    ["Arrête la sauvegarde.", "arrete la"],
    ["Tue la synchronisation qui niaise.", "arrete"],
    ["Stoppe la tâche qui roule.", "arrete"],
  ],
  tache_activer: [
    ["Désactive la sauvegarde jusqu'à nouvel ordre.", "desactive"],
    ["Réactive la synchronisation.", "active", "desactive"],
    ["Mets la tâche du ménage en pause.", "desactive"],
  ],
  cluster_etat: [
    ["Le cluster va-tu bien ?", "le cluster va"],
    ["Est-ce que tous les nœuds sont là ?", "noeud", "nœud"],
    ["Y a-tu un pod qui plante dans le cluster ?", "le cluster va", "ce qui va mal"],
  ],
  cluster_evenements: [
    ["Qu'est-ce qui s'est passé dans le cluster ?", "evenements"],
    ["Y a-tu des avertissements dans l'espace monitoring ?", "avertissement"],
    ["C'est quoi les derniers événements du cluster ?", "evenements"],
  ],
  cluster_journaux: [
    ["Que dit le pod du blogue ?", "pod"],
    ["Lis-moi les journaux du pod de la base de données.", "journaux", "journal"],
    ["Le conteneur de grafana écrit quoi ?", "conteneur"],
  ],
  hotes_lister: [
    ["J'ai quelles machines ?", "quelles machines"],
    ["Qu'est-ce que tu peux lire sur mes machines ?", "quelles machines"],
    ["Liste-moi les hôtes.", "hotes", "quelles machines"],
  ],
  hote_etat: [
    ["Le serveur a-tu encore de la place sur le disque ?", "disque"],
    ["Ça fait combien de temps que le serveur roule ?", "depuis combien de temps", "combien de temps"],
    ["La machine est-tu chargée ?", "charge", "memoire"],
  ],
  hote_lire: [
    ["Lis-moi les services en panne sur le serveur.", "lecture"],
    ["Qu'est-ce que le journal du serveur dit ?", "lecture"],
    ["Montre-moi la lecture « disque » du nas.", "lecture"],
  ],
  web_chercher: [
    ["Cherche sur le web comment changer un filtre de fournaise.", "sur le web"],
    ["Trouve-moi un site qui explique les onduleurs.", "sur le web", "internet"],
    ["C'est quoi la dernière version de Debian, sur internet ?", "internet", "sur le web"],
  ],
  confier_a_claude_code: [
    ["Demande à Claude Code de réparer le lien brisé.", "demande a claude code"],
    ["Confie à Claude Code la mise à jour des dépendances.", "confie", "demande a claude code"],
    ["Donne ça à faire à Claude Code.", "demande a claude code", "confie"],
  ],
  suivi_claude_code: [
    ["Claude Code est rendu où ?", "rendu"],
    ["Est-ce que Claude Code a fini ?", "a fini", "rendu", "en sont"],
    ["Combien de travaux Claude Code a en cours ?", "en cours", "en sont"],
  ],
  labo_etat: [
    ["Est-ce que tout répond au labo ?", "tout repond"],
    ["Le labo marche-tu ?", "le labo marche"],
    ["Est-ce que GitHub répond ?", "github repond"],
  ],
};

export const QUESTIONS = listQuestions(BY_TOOL);

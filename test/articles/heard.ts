// What `articles_chercher` has said, taken apart.

/** What was said of an article. A passage is quoted, or announces some code or a table; in doubt, only the first has one. */
export interface Heard {
  title: string;
  date: string | null;
  passages: string[];
}

/** The articles of an answer, in the order in which they are said. */
export function heardIn(said: string): Heard[] {
  const quotes: string[] = [];
  // What is quoted may hold full stops: each quotation becomes one mark.
  const bare = said.replace(/« ([^»]*) »/g, (_, text) => `#${quotes.push(text) - 1}#`);
  const unquote = (text: string) => text.replace(/^#(\d+)#$/, (_, at) => quotes[at]);
  const [answers, others = ""] = bare.split("Sinon, il y a ");
  const quoted = [
    ...answers.matchAll(/(?:dans|Il y a aussi) (#\d+#)(?:, (du [^:#]+?))? : ([^.]*(?:\. On y lit aussi : [^.]*)*)\./gi),
  ].map(([, title, date, list]) => ({
    title: unquote(title),
    date: date ?? null,
    passages: list.split(". On y lit aussi : ").map(unquote),
  }));
  const named = [...others.matchAll(/#\d+#/g)].map(([title]) => ({ title: unquote(title), date: null, passages: [] }));
  return [...quoted, ...named];
}

export function titlesIn(said: string): string[] {
  return heardIn(said).map(({ title }) => title);
}

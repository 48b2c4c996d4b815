/**
 * Lets those who ask the same at the same time share an answer that is late for nobody: whoever comes while a question is being asked
 * waits for the next one, which begins after they came. However many there are, one is asked and one waits.
 */
export class FreshAnswers<T> {
  private readonly asked = new Map<string, Promise<T>>();
  private readonly waiting = new Map<string, Promise<T>>();

  /**
   * Returns an answer that was asked for after this was called. Rejects with what `ask` rejects with.
   *
   * @param question what makes two questions the same.
   * @param ask asks it; called once for all who wait together.
   */
  get(question: string, ask: () => Promise<T>): Promise<T> {
    const next = this.waiting.get(question);
    if (next !== undefined) return next;
    const before = this.asked.get(question);
    return before === undefined ? this.begin(question, ask) : this.wait(before, question, ask);
  }

  private begin(question: string, ask: () => Promise<T>): Promise<T> {
    const answer = ask().finally(() => this.asked.delete(question));
    this.asked.set(question, answer);
    return answer;
  }

  private wait(before: Promise<T>, question: string, ask: () => Promise<T>): Promise<T> {
    const begin = (): Promise<T> => {
      this.waiting.delete(question);
      return this.begin(question, ask);
    };
    const next = before.then(begin, begin);
    this.waiting.set(question, next);
    return next;
  }
}

/**
 * Shares results between identical concurrent calls without returning stale data. A call during a running query joins the next query, which
 * starts after the call. At most one query runs and one waits.
 */
export class FreshAnswers<T> {
  private readonly asked = new Map<string, Promise<T>>();
  private readonly waiting = new Map<string, Promise<T>>();

  /**
   * Returns a result whose query started after this call. Rejects with the error of `ask`.
   *
   * @param question key that identifies identical calls.
   * @param ask runs the query; called once for all callers that wait together.
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

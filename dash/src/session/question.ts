export type QuestionHandler = () => Promise<boolean>;

/** A question that a dialog of the page asks. Concurrent callers share one dialog. */
export class PageQuestion {
  private handler: QuestionHandler | null = null;
  private pending: Promise<boolean> | null = null;

  /** @param otherwise answer of a page without the dialog, or whose dialog is removed. */
  constructor(readonly otherwise: boolean) {}

  readonly setHandler = (handler: QuestionHandler | null): void => {
    this.handler = handler;
  };

  ask(): Promise<boolean> {
    this.pending ??= (this.handler?.() ?? Promise.resolve(this.otherwise)).finally(() => {
      this.pending = null;
    });
    return this.pending;
  }
}

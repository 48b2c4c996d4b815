export type Asker = () => Promise<boolean>;

/** A question that a dialog of the page asks. Concurrent callers share one dialog. */
export class PageQuestion {
  private asker: Asker | null = null;
  private pending: Promise<boolean> | null = null;

  /** @param otherwise answer of a page without the dialog, or whose dialog is removed. */
  constructor(readonly otherwise: boolean) {}

  readonly setAsker = (asker: Asker | null): void => {
    this.asker = asker;
  };

  ask(): Promise<boolean> {
    this.pending ??= (this.asker?.() ?? Promise.resolve(this.otherwise)).finally(() => {
      this.pending = null;
    });
    return this.pending;
  }
}

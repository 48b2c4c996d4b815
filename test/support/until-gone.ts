/** Repeats an action until the service is gone (TypeError of fetch). @throws every other error. */
export async function untilGone(once: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await once();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return;
    }
  }
}

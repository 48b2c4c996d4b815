/** Does something again and again until the service that it asks is gone. @throws whatever else stops it, such as an answer that refuses. */
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

/** Yields the parts. Calls `giveUp` if the reader takes no part for `stalledMs` milliseconds. */
export async function* watched(
  parts: AsyncIterable<string>,
  stalledMs: number,
  giveUp: () => void,
): AsyncGenerator<string> {
  for await (const part of parts) {
    const timer = setTimeout(giveUp, stalledMs);
    try {
      yield part;
    } finally {
      clearTimeout(timer);
    }
  }
}

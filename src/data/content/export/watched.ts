/** Passes parts on, and gives up on a reader who takes none for so many milliseconds. */
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

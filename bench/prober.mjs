/** Asks for an address at a steady pace from a process of its own, so that whoever presses is not in its way. See `Prober` in probe.mjs. */
import { readInput, serveUntilAsked } from './child.mjs';
import { probeDuring } from './probe.mjs';

const { url, headers } = readInput();
let end;
let probing;

serveUntilAsked({}, async () => undefined, {
  begin: async () => {
    const ended = new Promise((resolve) => (end = resolve));
    probing = probeDuring(url, headers, () => ended);
    // Whoever asks for the end hears of it.
    probing.catch(() => undefined);
  },
  end: async () => {
    end();
    return (await probing).times;
  },
});

/** Probes a URL at a steady pace from a separate process, so that the load generator does not delay it. See `Prober` in probe.mjs. */
import { readInput, serveUntilAsked } from './child.mjs';
import { probeDuring } from './probe.mjs';

const { url, headers } = readInput();
let end;
let probing;

serveUntilAsked({}, async () => undefined, {
  begin: async () => {
    const ended = new Promise((resolve) => (end = resolve));
    probing = probeDuring(url, headers, () => ended);
    // The caller of `end` gets the error.
    probing.catch(() => undefined);
  },
  end: async () => {
    end();
    return (await probing).times;
  },
});

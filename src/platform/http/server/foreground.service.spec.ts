import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { fastify } from 'fastify';
import { Foreground } from './foreground.service.js';

async function foregroundAfter(url?: string): Promise<Foreground> {
  const server = fastify();
  const foreground = new Foreground();
  foreground.watch(server);
  server.get('/read', () => 'ok');
  server.get('/progress', { config: { unhurried: true } }, () => 'ok');
  server.post('/upload', { config: { acceptsStream: true } }, () => 'ok');
  if (url !== undefined) await server.inject({ method: url === '/upload' ? 'POST' : 'GET', url });
  await server.close();
  return foreground;
}

/** Runs a step of a few milliseconds, and returns which follows first: the next step of the work, or the others. */
async function nextOf(foreground: Foreground, others: () => Promise<unknown>): Promise<string | undefined> {
  const pace = foreground.pace();
  const began = performance.now();
  while (performance.now() - began < 3);
  const order: string[] = [];
  await Promise.all([pace().then(() => order.push('work')), others().then(() => order.push('others'))]);
  return order[0];
}

const timer = (): Promise<void> => delay(1);
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await setImmediate();
};

describe('background work', () => {
  afterEach(() => jest.restoreAllMocks());

  it('pauses after each step during requests', async () => {
    expect(await nextOf(await foregroundAfter('/read'), timer)).toBe('others');
  });

  it('continues without requests, and after they end', async () => {
    expect(await nextOf(await foregroundAfter(), turns)).toBe('work');
    const foreground = await foregroundAfter('/read');
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 1_000);
    expect(await nextOf(foreground, turns)).toBe('work');
  });

  it.each(['/progress', '/upload'])('does not pause for metrics and uploads: %s', async (url) => {
    expect(await nextOf(await foregroundAfter(url), turns)).toBe('work');
  });

  it('lets pending events run before its next step, pausing or not', async () => {
    expect(await nextOf(await foregroundAfter(), () => setImmediate())).toBe('others');
  });
});

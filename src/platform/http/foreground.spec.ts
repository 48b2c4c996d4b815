import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { fastify } from 'fastify';
import { Foreground } from './server/foreground.service.js';

async function asked(url?: string): Promise<Foreground> {
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

describe('work in the background', () => {
  afterEach(() => jest.restoreAllMocks());

  it('rests after each step while somebody asks for something', async () => {
    expect(await nextOf(await asked('/read'), timer)).toBe('others');
  });

  it('goes on when nobody asks, or nobody does any more', async () => {
    expect(await nextOf(await asked(), turns)).toBe('work');
    const foreground = await asked('/read');
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 1_000);
    expect(await nextOf(foreground, turns)).toBe('work');
  });

  it.each(['/progress', '/upload'])('does not rest for who watches it, nor for a body that comes: %s', async (url) => {
    expect(await nextOf(await asked(url), turns)).toBe('work');
  });

  it('lets in what has come before its next step, whether it rests or not', async () => {
    expect(await nextOf(await asked(), () => setImmediate())).toBe('others');
  });
});

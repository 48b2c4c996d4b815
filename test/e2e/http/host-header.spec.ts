import { rawRequest } from '../../support/raw-http.js';
import { useTestApp } from '../../support/test-app.js';

const VALID = [
  'localhost',
  'localhost:8000',
  '127.0.0.1',
  '[::1]:8000',
  'api.example.com',
  'a_b.example',
  'x:',
  'xn--bcher-kva.example',
];
const INVALID = [
  '',
  ' ',
  'a b',
  'a, b',
  'http://a',
  'a/b',
  'a:b',
  'user@a',
  '[::1',
  'a:1:2',
  'ä',
  'a#b',
  '%zz',
  ':8000',
];

describe('the Host header', () => {
  const world = useTestApp();

  const status = async (lines: readonly string[], version = '1.1', path = '/healthz'): Promise<number | undefined> => {
    const head = [`GET ${path} HTTP/${version}`, ...lines, '', ''].join('\r\n');
    return (await rawRequest(world.app.url, head))?.status;
  };

  it.each(VALID)('is accepted: %j', async (host) => {
    expect(await status([`Host: ${host}`])).toBe(200);
    expect(await status([`hOST:${host}`])).toBe(200);
  });

  it.each(INVALID)('is rejected: %j', async (host) => {
    expect(await status([`Host: ${host}`])).toBe(400);
    expect(await status([`Host: ${host}`], '1.0')).toBe(400);
  });

  it('is rejected if it is sent twice, also with the same value', async () => {
    for (const second of ['b', 'a', '']) {
      for (const lines of [
        ['Host: a', `Host: ${second}`],
        ['host: a', 'X-A: 1', `HOST: ${second}`],
      ]) {
        expect(await status(lines)).toBe(400);
        expect(await status(lines, '1.0')).toBe(400);
        expect(await status(lines, '1.1', '/api/nothing')).toBe(400);
      }
    }
  });

  it('is required by HTTP/1.1 and not by HTTP/1.0', async () => {
    expect(await status(['X-A: b'])).toBe(400);
    expect(await status([], '1.0')).toBe(200);
  });
});

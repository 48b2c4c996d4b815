import { deviceName } from './device-name.js';
import * as account from '../../texts/en/account.js';
import { en } from '../../texts/en/en.js';
import { showTexts } from '../../texts/texts.js';

beforeAll(() => showTexts({ ...en, ...account }));

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('deviceName', () => {
  it.each<[string | null, string]>([
    [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/156.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/156.0.0.0 Safari/537.36 Edg/156.0`, 'Edge on Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 EdgiOS/150.0 Mobile Safari/604.1',
      'Edge on iPhone',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0', 'Firefox on Windows'],
    [
      `Mozilla/5.0 (Linux; Android 16; K) ${WEBKIT} SamsungBrowser/29.0 Chrome/150.0 Mobile`,
      'Samsung Internet on Android',
    ],
    ['curl/8.5.0', 'Program (curl)'],
    ['python-requests/2.32.3', 'Program (python-requests)'],
    ['node', 'node'],
    ['Mozilla/5.0 of its own kind', 'Mozilla/5.0 of its own kind'],
    ['x'.repeat(200), `${'x'.repeat(80)}…`],
    ['', 'Unknown device'],
    [null, 'Unknown device'],
  ])('describes %j: %s', (device, name) => expect(deviceName(device)).toBe(name));
});

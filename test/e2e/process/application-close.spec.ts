import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

const PROGRAM = join(__dirname, 'support/closing.mjs');
const AUTH = JSON.stringify({
  enabled_providers: ['example'],
  providers: { example: { issuer: 'http://127.0.0.1:9', client_id: 'an id', client_secret: 'a secret' } },
});

describe('a closed application', () => {
  const world = useServiceHome({ embedded: true });

  it('leaves no strategy, listener, timer, connection or referenced object in its process', async () => {
    const { PATH } = process.env;
    const env = { PATH, ...world.home.env, AUTH, AUTH_OTP_ENABLED: 'true' };
    // The program exits once nothing keeps it alive. Two runs separate leftovers of the first start from those of every start.
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', PROGRAM, '2'], { env });
    const nothing = { strategies: [], listeners: [], handles: [], objects: [] };
    expect(JSON.parse(stdout)).toEqual([nothing, nothing]);
    await world.home.databaseGone();
  });
});

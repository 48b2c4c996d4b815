import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Answer, type Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';
import { eventually } from '../../../packages/embedded-postgres/test/support/process-table.js';

jest.setTimeout(120_000);

/** Concurrent requests. Each needs a hash, one after another: the last is answered long after the first. */
const FLOOD = 40;

const ROOT = join(__dirname, '../../..');

describe('stopping the service', () => {
  const world = useServiceHome({ embedded: true });

  /**
   * Sends wrong logins, and waits until all are in flight. A response over a later connection shows that theirs are open and written to.
   * The second request is read no earlier than they are.
   */
  async function flood(service: Service): Promise<Promise<Answer>[]> {
    const logins = Array.from({ length: FLOOD }, (_, index) =>
      service.post('/api/auth/local/login', { login: `nobody${index}@example.com`, password: 'wrong as can be' }),
    );
    for (let turn = 0; turn < 2; turn += 1) expect((await service.get('/healthz')).status).toBe(200);
    return logins;
  }

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'answers every request in flight after %s, and exits with 0',
    async (name) => {
      const service = await world.home.start({ env: { RATE_LIMIT_ENABLED: 'false' } });
      const logins = await flood(service);
      service.signal(name);
      const answers = await Promise.all(logins);
      expect(answers.map(({ status }) => status)).toEqual(Array<number>(FLOOD).fill(401));
      expect(await service.exit).toEqual({ code: 0, signal: null });
      expect(service.stderr).toBe('');
      await world.home.databaseGone();
    },
  );

  it('treats one key press as one stop request, although a terminal and npm both forward it', async () => {
    const service = await world.home.start({ env: { RATE_LIMIT_ENABLED: 'false' } });
    const logins = await flood(service);
    service.signal('SIGINT');
    await service.says(/"msg":"stopping"/);
    service.signal('SIGINT');
    const answers = await Promise.all(logins);
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(FLOOD).fill(401));
    expect((await service.exit).code).toBe(0);
  });

  it('stops when npm, its parent, is stopped', async () => {
    const { home } = world;
    const env = { ...process.env, ...home.env, PORT: '0', LOG_LEVEL: 'info', NODE_ENV: 'development' };
    const npm = spawn('npm', ['start'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(npm, 'exit');
    let output = '';
    for await (const chunk of npm.stdout.setEncoding('utf8')) {
      output += chunk as string;
      if (output.includes('is ready at')) break;
    }
    const url = / is ready at (\S+)/.exec(output)?.[1] ?? '';
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    npm.kill('SIGTERM');
    await ended;
    await eventually('the port to close', async () => (await fetch(`${url}/healthz`).catch(() => null)) === null);
    await home.databaseGone();
  });

  it('does not wait for idle connections', async () => {
    const service = await world.home.start();
    const idle = connect(Number(new URL(service.url).port), '127.0.0.1');
    idle.on('error', () => undefined);
    await once(idle, 'connect');
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    idle.destroy();
    await world.home.databaseGone();
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Mailbox, until } from '../../support/mailbox.js';
import { builtProduct, type Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';
import { newcomer, signUp } from '../../support/service-users.js';

jest.setTimeout(240_000);

/** With this setting, each sign-up commits a mail. */
const AUTH = JSON.stringify({ providers: { local: { activation_method: 'email' } } });
const WORKS = /runs background jobs and serves no requests/;
const WAITS =
  /"kinds":\[[^\]]*"mail\.[a-z]+"[^\]]*\][^\n]*Background jobs are waiting, and no process runs their kinds/;

describe('processes with roles on one database', () => {
  const world = useServiceHome({ embedded: true });
  let mailbox: Mailbox;
  let web: Service;
  const env = (more: Record<string, string>) => ({ AUTH, MAIL_URL: mailbox.url, RATE_LIMIT_ENABLED: 'false', ...more });
  const worker = async (more: Record<string, string> = {}): Promise<Service> => {
    // The port is in use: a worker opens none.
    const started = world.home.spawn({ env: env({ ROLE: 'work', PORT: new URL(web.url).port, ...more }) });
    await started.says(WORKS);
    return started;
  };
  const signedUp = async (count = 1): Promise<string[]> => {
    const people = Array.from({ length: count }, newcomer);
    for (const person of people) await signUp(web, person);
    return people.map(({ email }) => email);
  };
  const delivered = (addresses: readonly string[]): Promise<void> =>
    until(() => addresses.every((to) => mailbox.mailsTo(to).length > 0), 'all mails');

  beforeAll(async () => {
    mailbox = await Mailbox.open();
    web = await world.home.start({ env: env({ ROLE: 'serve' }) });
  });
  afterAll(async () => {
    await mailbox?.close();
  });

  it('leave jobs to a worker, and warn while there is none', async () => {
    const addresses = await signedUp(2);
    await web.says(WAITS);
    expect(mailbox.attempts).toEqual([]);
    expect(web.stdout.match(/Background jobs are waiting/g)).toHaveLength(1);
    const started = await worker();
    await delivered(addresses);
    expect(await started.stop()).toEqual({ code: 0, signal: null });
    expect(started.stderr).toBe('');
  });

  it('warn at the start if jobs are waiting', async () => {
    await signedUp();
    await new Promise((later) => setTimeout(later, 11_000));
    await web.stop();
    web = await world.home.start({ env: env({ ROLE: 'serve' }) });
    await web.says(WAITS);
    expect(mailbox.attempts).toHaveLength(2);
  });

  it('lose nothing when the worker is killed', async () => {
    mailbox.behave('hang');
    const addresses = await signedUp(6);
    const victim = await worker();
    const begun = mailbox.attempts.length;
    await until(() => mailbox.attempts.length > begun, 'mails in progress');
    victim.signal('SIGKILL');
    await victim.exit;
    mailbox.behave('accept');
    const successor = await worker();
    await delivered(addresses);
    expect(addresses.map((to) => mailbox.mailsTo(to).length)).toEqual(addresses.map(() => 1));
    await successor.stop();
  });

  it('run the kinds in JOB_KINDS, and leave the others', async () => {
    const addresses = await signedUp();
    const other = await worker({ JOB_KINDS: 'files.*,expired.sweep' });
    await other.says(WAITS);
    expect(addresses.flatMap((to) => mailbox.mailsTo(to))).toEqual([]);
    const mails = await worker({ JOB_KINDS: 'mail.*' });
    await delivered(addresses);
    await Promise.all([other.stop(), mails.stop()]);
  });

  it('run as a worker with runWorker, for any ROLE', async () => {
    const program = join(world.home.directory, 'worker.mjs');
    const lintel = pathToFileURL(join(builtProduct(), '../src/lintel.js')).href;
    writeFileSync(program, `import { defineApp, runWorker } from '${lintel}';\nawait runWorker(defineApp({}));\n`);
    const addresses = await signedUp();
    const started = world.home.spawn({ program, env: env({ ROLE: 'serve', WORKERS: '2' }) });
    await started.says(WORKS);
    await started.says(/"worker":2,"pid"/);
    await delivered(addresses);
    expect(await started.stop()).toEqual({ code: 0, signal: null });
  });

  it.each([
    [{ ROLE: 'worker' }, /ROLE must be one of serve, work, both/],
    [{ ROLE: 'serve', JOB_KINDS: 'mail.send' }, /JOB_KINDS must not be set with ROLE=serve/],
    [{ JOB_KINDS: ' , ' }, /JOB_KINDS must contain at least one job kind/],
    [{ JOB_KINDS: '*' }, /JOB_KINDS must contain names of job kinds/],
    [
      { JOB_KINDS: 'mail.sent' },
      /JOB_KINDS contains mail\.sent, which is not a known job kind\. Did you mean mail\.send\?/,
    ],
    [{ JOB_KINDS: 'acme.*' }, /JOB_KINDS contains acme\.\*, which is not a known job kind\. Known kinds: /],
  ])('do not start with %j', async (wrong, message) => {
    const refused = world.home.spawn({ env: env(wrong) });
    expect((await refused.exit).code).toBe(1);
    expect(refused.stderr).toMatch(message);
  });
});

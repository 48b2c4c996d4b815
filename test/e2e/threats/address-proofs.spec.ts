import { HostileProvider } from '../../support/hostile-provider.js';
import { Mailbox, type MailedApp } from '../../support/mailbox.js';
import { type OwnerStep, PreHijack, type ThiefStep } from '../../support/pre-hijack.js';
import { sampled } from '../../support/sampled.js';
import { providersVariable } from '../../support/social-fixture.js';
import { TestApp } from '../../support/test-app.js';

const SCRIPT: readonly ThiefStep[] = ['enter', 'wait', 'change', 'confirm', 'enter', 'link'];
const FIRST: readonly OwnerStep[] = ['otp', 'native', 'provider', 'reset', 'cancel'];
const LATER: readonly OwnerStep[] = ['provider', 'otp', 'reset', 'native'];

/** Every point in the script of the thief at which the owner acts, with each method. After a cancelled change, another method follows. */
const ORDERS = Array.from({ length: SCRIPT.length + 1 }, (_, at) => at).flatMap((at) =>
  FIRST.map((first, index) => ({ at, first, later: LATER[(at + index) % LATER.length]! })),
);

/**
 * Settings of activation and refresh tokens. `every` selects one of so many orders. An administrator activates accounts that are not active
 * immediately.
 */
const WORLDS = [
  { activation: 'auto', refresh: 'true', every: 1 },
  { activation: 'auto', refresh: 'false', every: 8 },
  { activation: 'manual', refresh: 'true', every: 8 },
  { activation: 'email', refresh: 'false', every: 8 },
] as const;

/**
 * After the proof by the owner, no earlier credential opens the account, with any method and in any order.
 */
describe.each(WORLDS)('an address that a thief registered first ($activation, refresh $refresh)', (settings) => {
  const providers = { owner: new HostileProvider(), thief: new HostileProvider() };
  const world = {} as { app: TestApp; mailbox: Mailbox } & MailedApp;

  beforeAll(async () => {
    await Promise.all([providers.owner.start(), providers.thief.start()]);
    // Userinfo would describe another user.
    for (const provider of [providers.owner, providers.thief]) provider.userinfo = null;
    world.mailbox = await Mailbox.open();
    const social = JSON.parse(
      providersVariable({ owner: providers.owner.settings(), thief: providers.thief.settings() }),
    ) as { providers: object };
    const AUTH = { ...social, providers: { ...social.providers, local: { activation_method: settings.activation } } };
    world.app = await TestApp.start({
      env: {
        MAIL_URL: world.mailbox.url,
        AUTH: JSON.stringify(AUTH),
        AUTH_OTP_ENABLED: 'true',
        AUTH_CLI_LOGIN_ENABLED: 'true',
        AUTH_ENABLE_REFRESH_TOKEN: settings.refresh,
      },
    });
  });

  afterAll(async () => {
    await world.app?.stop();
    await Promise.all([world.mailbox?.close(), providers.owner.stop(), providers.thief.stop()]);
  });

  const idOf = async (token: string): Promise<string> =>
    (await world.app.as(token).get('/api/auth/me').expect(200)).body.id as string;

  /** Returns the state of the owner's account, and the methods that open it for the thief. */
  async function stateOf(hijack: PreHijack): Promise<unknown> {
    const id = await idOf(hijack.owned ?? '');
    const ways = await hijack.waysIn(id);
    const [account] = await world.app.sql<{ email: string }>('SELECT email FROM users WHERE id = $1', [id]);
    const stolen = await world.app.sql(`SELECT 1 FROM identities WHERE user_id = $1 AND subject LIKE 'thief%'`, [id]);
    return { ways, email: account?.email, stolen };
  }

  const orders = sampled(ORDERS.filter((_, index) => index % settings.every === 0));
  it.each(orders)('belongs only to its owner: step $at, then $first, then $later', async ({ at, first, later }) => {
    const hijack = new PreHijack(world, providers);
    await hijack.preRegister();
    for (const step of SCRIPT.slice(0, at)) await hijack.thief(step);
    await hijack.owner(first);
    for (const step of SCRIPT.slice(at)) await hijack.thief(step);
    if (hijack.owned === null) await hijack.owner(later);
    if (hijack.owned === null) await hijack.ownerRegisters();
    const expected = { ways: [], email: hijack.address, stolen: [] };
    expect(await stateOf(hijack)).toEqual(expected);
  });
});

import fc from 'fast-check';
import { AddressContest, type ContestStep, OWNER_STEPS, THIEF_STEPS } from '../../support/address-contest.js';
import { HostileProvider } from '../../support/hostile-provider.js';
import { Mailbox, type MailedApp } from '../../support/mailbox.js';
import { providersVariable } from '../../support/social-fixture.js';
import { TestApp } from '../../support/test-app.js';

jest.setTimeout(180_000);

const anyStep: fc.Arbitrary<ContestStep> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ who: fc.constant('thief' as const), does: fc.constantFrom(...THIEF_STEPS) }) },
  { weight: 4, arbitrary: fc.record({ who: fc.constant('owner' as const), does: fc.constantFrom(...OWNER_STEPS) }) },
  { weight: 1, arbitrary: fc.constant({ who: 'administrator', does: 'activate' } as const) },
);
const thief = (...does: (typeof THIEF_STEPS)[number][]): ContestStep[] =>
  does.map((one) => ({ who: 'thief', does: one }));
/** Starts with the thief or the owner, then any steps. */
const anyOrder = fc
  .tuple(
    fc.constantFrom<readonly ContestStep[]>(
      thief('register'),
      thief('register', 'enter'),
      thief('register', 'enter', 'change', 'confirm', 'enter', 'wait'),
      [{ who: 'owner', does: 'register' }],
    ),
    fc.array(anyStep, { minLength: 3, maxLength: 12 }),
  )
  .map(([first, then]) => [...first, ...then]);

/** Always tried: the owner gets access before its end. */
const OWNER_IN: ContestStep[] = [
  ...thief('register'),
  { who: 'administrator', does: 'activate' },
  { who: 'owner', does: 'provider' },
];

const WORLDS = [
  { activation: 'auto', refresh: 'true', runs: 20 },
  { activation: 'manual', refresh: 'false', runs: 8 },
  { activation: 'email', refresh: 'true', runs: 8 },
] as const;

/** A proof of an address takes over the account with every sign-in method, in every order. */
describe.each(WORLDS)('an address that two users claim ($activation)', ({ activation, refresh, runs }) => {
  const providers = { owner: new HostileProvider(), thief: new HostileProvider() };
  const world = {} as { app: TestApp; mailbox: Mailbox } & MailedApp;
  let proofs = 0;
  let contests = 0;

  beforeAll(async () => {
    await Promise.all([providers.owner.start(), providers.thief.start()]);
    for (const provider of [providers.owner, providers.thief]) provider.userinfo = null;
    world.mailbox = await Mailbox.open();
    const social = JSON.parse(
      providersVariable({ owner: providers.owner.settings(), thief: providers.thief.settings() }),
    ) as { providers: object };
    const AUTH = { ...social, providers: { ...social.providers, local: { activation_method: activation } } };
    world.app = await TestApp.start({
      env: {
        MAIL_URL: world.mailbox.url,
        AUTH: JSON.stringify(AUTH),
        AUTH_OTP_ENABLED: 'true',
        AUTH_CLI_LOGIN_ENABLED: 'true',
        AUTH_ENABLE_REFRESH_TOKEN: refresh,
      },
    });
  });

  afterAll(async () => {
    await world.app?.stop();
    await Promise.all([world.mailbox?.close(), providers.owner.stop(), providers.thief.stop()]);
  });

  it('belongs to the owner of its mailbox from the first proof on, without credentials of the other user', async () => {
    await fc.assert(
      fc.asyncProperty(anyOrder, async (steps) => {
        const contest = new AddressContest(world, providers);
        for (const step of steps) {
          if (!(await contest.play(step))) continue;
          for (const account of contest.accounts) expect(await contest.livesOn(account)).toEqual([]);
        }
        await contest.play({ who: 'administrator', does: 'activate' });
        await contest.play({ who: 'owner', does: 'provider' });
        for (const account of contest.accounts) {
          expect(await contest.waysIn(account)).toEqual([]);
          const [row] = await world.app.sql<{ email: string }>('SELECT email FROM users WHERE id = $1', [account]);
          expect([contest.address, contest.second]).toContain(row?.email);
        }
        expect(contest.accounts.size).toBeGreaterThan(0);
        proofs += contest.proofs;
        contests += 1;
      }),
      { numRuns: runs, examples: [[OWNER_IN]] },
    );
    // The owner got access in some runs.
    expect(proofs).toBeGreaterThan(contests);
  });
});

import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Newcomer, newcomer, signIn, signUp } from '../../support/service-users.js';
import type { Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

const PEOPLE = 20;
const ENV = { RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'error' };

describe('a service that is killed during registrations', () => {
  const world = useServiceHome({ embedded: true });
  let service: Service;

  beforeAll(async () => {
    service = await world.home.start({ env: ENV });
  });
  afterAll(async () => {
    await service?.stop();
  });

  /** Registers many users concurrently, kills the service after some were acknowledged, and returns both groups. */
  async function killWhileRegistering(
    kill: (service: Service) => Promise<unknown>,
  ): Promise<{ acknowledged: Newcomer[]; unanswered: Newcomer[] }> {
    const people = Array.from({ length: PEOPLE }, newcomer);
    const acknowledged: Newcomer[] = [];
    const wanted = randomInt(1, PEOPLE - 5);
    let enough = (): void => undefined;
    const someDone = new Promise<void>((resolve) => (enough = resolve));
    const registrations = people.map((person) =>
      signUp(service, person).then(
        () => {
          acknowledged.push(person);
          if (acknowledged.length >= wanted) enough();
        },
        () => undefined,
      ),
    );
    await someDone;
    await delay(randomInt(20));
    await kill(service);
    await Promise.all(registrations);
    return { acknowledged, unanswered: people.filter((person) => !acknowledged.includes(person)) };
  }

  const KILLS = {
    'the process': async (service: Service) => {
      service.signal('SIGKILL');
      await service.exit;
    },
    'the process with its whole tree': (service: Service) => world.home.killTree(service),
  };

  it.each(Object.entries(KILLS))('loses no acknowledged account when %s is killed, twice', async (_, kill) => {
    for (let round = 0; round < 2; round += 1) {
      const { acknowledged, unanswered } = await killWhileRegistering(kill);
      service = await world.home.start({ env: ENV });
      for (const person of acknowledged) await assertWorks(person);
      for (const person of unanswered) {
        // Either the account works completely, or it does not exist and can be registered.
        await signUp(service, person).catch((error: Error) => expect(error.message).toContain('email_taken'));
        await assertWorks(person);
      }
    }
  });

  async function assertWorks(person: Newcomer): Promise<void> {
    const { body } = await service.get('/api/auth/me', await signIn(service, person));
    expect(body).toMatchObject({ email: person.email, activated: true, roles: ['user'] });
  }
});

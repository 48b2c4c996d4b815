import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { Authenticated, CurrentPrincipal, Public } from '../../../src/identity/auth/access/access.decorators.js';
import type { Principal } from '../../../src/kernel/principal.types.js';
import { outcome } from '../../support/api-keys.js';
import { createPerson, signedIn } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const OPEN = '/api/acme/open';
const MINE = '/api/acme/mine';

@Controller('api/acme')
@UseGuards(AuthGuard('jwt'))
class AcmeController {
  @Get('open')
  @Public()
  open(@CurrentPrincipal() principal: Principal): object {
    return emailOf(principal);
  }

  @Get('mine')
  @Authenticated()
  mine(@CurrentPrincipal() principal: Principal): object {
    return emailOf(principal);
  }
}

function emailOf(principal: Principal): object {
  return { email: principal.kind === 'account' ? principal.email : null };
}

@Module({ controllers: [AcmeController] })
class AcmeModule {}

const registered = (): unknown => (passport as unknown as { _strategy(name: string): unknown })._strategy('jwt');

describe('AuthGuard("jwt") in two applications of one process', () => {
  const world = useTestApp({ modules: [AcmeModule] });
  const other = useTestApp({
    modules: [AcmeModule],
    env: { APP_KEY: 'another key that is long enough for it', AUTH_TOKEN_ALG: 'EdDSA' },
  });

  it.each([OPEN, MINE])('accepts the tokens of the application that gets the request: %s', async (path) => {
    for (const { app } of [world, other]) {
      const { token, person } = await signedIn(app);
      for (let round = 0; round < 2; round += 1)
        expect((await app.as(token).get(path).expect(200)).body).toEqual({ email: person.email });
      const byCookie = await app.asGuest().get(path).set('cookie', `token=${token}`).expect(200);
      expect(byCookie.body).toEqual({ email: person.email });
    }
  });

  it.each([OPEN, MINE])('rejects the tokens of the other application: %s', async (path) => {
    const [{ token }, { token: foreign }] = [await signedIn(world.app), await signedIn(other.app)];
    expect(outcome(await other.app.as(token).get(path))).toEqual([401, 'token_invalid']);
    expect(outcome(await world.app.as(foreign).get(path))).toEqual([401, 'token_invalid']);
  });

  it('rejects requests without a token', async () => {
    expect(outcome(await world.app.asGuest().get(OPEN))).toEqual([401, 'unauthorized']);
    expect(outcome(await world.app.asGuest().get(MINE))).toEqual([401, 'token_missing']);
  });

  it('rejects expired tokens, and tokens of revoked sessions', async () => {
    const { token } = await signedIn(world.app);
    await world.app.as(token).get(OPEN).expect(200);
    await world.app.as(token).post('/api/auth/logout').expect(200);
    expect(outcome(await world.app.as(token).get(OPEN))).toEqual([401, 'token_invalid']);
    const { token: another } = await signedIn(other.app);
    other.app.clock.advance(604_801);
    expect(outcome(await other.app.as(another).get(OPEN))).toEqual([401, 'token_expired']);
  });

  it('keeps the principal of a request as another user', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const { id, email } = await createPerson(world.app);
    const { body } = await world.app.as(token).get(MINE).set('lintel-view-as', `user:${id}`).expect(200);
    expect(body).toEqual({ email });
  });

  it('works after another application of the process was closed', async () => {
    const third = await TestApp.start({ modules: [AcmeModule] });
    const { token: lost } = await signedIn(third);
    await third.as(lost).get(OPEN).expect(200);
    await third.stop();
    const { token } = await signedIn(world.app);
    await world.app.as(token).get(OPEN).expect(200);
    expect(outcome(await world.app.as(lost).get(OPEN))).toEqual([401, 'token_invalid']);
  });
});

describe('a host with its own strategy "jwt"', () => {
  class HostStrategy extends PassportStrategy(Strategy, 'jwt') {
    constructor() {
      super({ jwtFromRequest: () => null, secretOrKey: 'a secret of the host' });
    }

    validate(): object {
      return {};
    }
  }

  afterEach(() => {
    passport.unuse('jwt');
  });

  it.each(['before', 'after'])('keeps it if it registered it %s Lintel', async (order) => {
    let own = order === 'before' ? new HostStrategy() : null;
    const app = await TestApp.start({ modules: [AcmeModule] });
    own ??= new HostStrategy();
    expect(registered()).toBe(own);
    const { token, person } = await signedIn(app);
    expect(outcome(await app.as(token).get(OPEN))).toEqual([401, 'unauthorized']);
    expect((await app.as(token).get('/api/auth/me').expect(200)).body).toMatchObject({ email: person.email });
    await app.stop();
    expect(registered()).toBe(own);
  });

  it('releases the name after the last application is closed', async () => {
    const app = await TestApp.start({ modules: [AcmeModule] });
    expect(registered()).toBeDefined();
    await app.stop();
    expect(registered()).toBeUndefined();
  });
});

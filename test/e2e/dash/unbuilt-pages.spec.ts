import { BUILT_PAGES } from '../../../src/edge/dash/page.service.js';
import { useTestApp } from '../../support/test-app.js';

const PATHS = [
  '/dash',
  '/dash/login',
  '/dash/assets/x.js',
  '/auth/local/activate',
  '/auth/local/recover',
  '/auth/local/email/confirm',
  '/auth/local/email/cancel',
  '/api/docs',
];

describe('the pages before they are built', () => {
  const world = useTestApp({ override: (builder) => builder.overrideProvider(BUILT_PAGES).useValue(null) });

  it.each(PATHS)('return an envelope for %s', async (path) => {
    const { body } = await world.app.asGuest().get(path).expect(404);
    expect(body).toMatchObject({ code: '404', data: { error: 'route_not_found' } });
  });

  it('do not prevent the start, which logs it', () => {
    expect(world.app.log.join('\n')).toContain('The web application was not built');
  });
});

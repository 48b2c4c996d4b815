import { DocumentInHand } from '../../support/openapi-document.js';
import { useTestApp } from '../../support/test-app.js';

const AUTH = JSON.stringify({
  enabled_providers: ['github'],
  providers: { github: { client_id: 'id', client_secret: 'secret' } },
});

describe('the document in federated-only mode', () => {
  const world = useTestApp({ env: { AUTH_DISABLE_LOCAL_LOGIN: 'true', AUTH } });

  it('has only the available routes', async () => {
    const { paths } = await DocumentInHand.of(world.app.asGuest());
    for (const name of ['register', 'activate', 'recover']) expect(paths[`/api/auth/local/${name}`]).toBeUndefined();
    expect(paths['/api/setup']).toBeUndefined();
    expect(paths['/api/auth/{provider}/login']).toHaveProperty('get');
    // The route exists only to refuse.
    expect(paths['/api/auth/local/login']!['post']!.responses).toHaveProperty('403');
  });
});

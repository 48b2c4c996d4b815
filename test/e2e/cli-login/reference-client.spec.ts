import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createPerson, PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

class ReferenceClient {
  private constructor(
    private readonly process: ChildProcess,
    readonly output: { text: string },
  ) {}

  static start(server: string): ReferenceClient {
    const child = spawn(process.execPath, ['examples/native-login.mjs', '--server', server, '--no-open']);
    const output = { text: '' };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output.text += chunk.toString()));
    return new ReferenceClient(child, output);
  }

  async address(): Promise<URL> {
    for (;;) {
      const found = /^ {2}(http\S+)$/m.exec(this.output.text);
      if (found?.[1] !== undefined) return new URL(found[1]);
      if (this.process.exitCode !== null) throw new Error(this.output.text);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async exitCode(): Promise<number | null> {
    if (this.process.exitCode === null) await once(this.process, 'exit');
    return this.process.exitCode;
  }

  stop(): void {
    this.process.kill();
  }
}

describe('examples/native-login.mjs', () => {
  const world = useTestApp({ env: { AUTH_CLI_LOGIN_ENABLED: 'true' } });
  const clients: ReferenceClient[] = [];
  const start = (server: string): ReferenceClient => {
    const client = ReferenceClient.start(server);
    clients.push(client);
    return client;
  };
  afterEach(() => clients.splice(0).forEach((client) => client.stop()));

  it('signs a user in, and rejects a response with a wrong state', async () => {
    const person = await createPerson(world.app, { username: 'native.person' });
    const client = start(world.app.url);
    const page = await client.address();
    expect(page.origin + page.pathname).toBe(`${world.app.url}/dash/login`);

    const body = { carrier: page.searchParams.get('cli'), login: person.email, password: PASSWORD };
    const { headers } = await world.app.asGuest().post('/api/auth/cli/login/local').type('form').send(body).expect(302);
    const answer = new URL(headers['location'] as string);
    const forged = new URL(answer);
    forged.searchParams.set('state', 'guessed');
    expect((await fetch(forged)).status).toBe(400);
    expect((await fetch(new URL('/', answer))).status).toBe(404);
    const shown = await fetch(answer);
    expect(shown.status).toBe(200);
    expect(await shown.text()).toContain('You are signed in');

    expect(await client.exitCode()).toBe(0);
    expect(client.output.text).toContain(`Signed in as native.person <${person.email}>`);
    expect(client.output.text).not.toContain(answer.searchParams.get('code'));
    expect(client.output.text).not.toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
  });

  it('reports the reason if the service does not support it', async () => {
    const off = await world.app.secondInstance();
    try {
      const client = start(off.url);
      expect(await client.exitCode()).toBe(1);
      expect(client.output.text).toContain('cli_login_disabled');
    } finally {
      await off.stop();
    }
  });
});

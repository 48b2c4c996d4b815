import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../support/mailbox.js';
import { newcomer, signIn, signUp } from '../../support/service-users.js';
import type { Service } from '../../support/service.js';
import { type ServiceHome, useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

/** Time within which a service knows the changes of another process. */
const PROMISED_MS = 1_000;
const READER = { name: 'reader', description: 'May look', permissions: [{ resource: 'notes.*', value: 'allow' }] };
const NO_ME = { name: 'user', permissions: [{ resource: 'auth.me', value: 'deny' }] };

describe('roles:seed', () => {
  let world: { readonly home: ServiceHome };

  function rolesFile(content: unknown): string {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(world.home.directory, 'roles.json'), text);
    return 'roles.json';
  }

  function seed(content: unknown, ...more: string[]): ReturnType<typeof world.home.run> {
    return world.home.run(['roles:seed', '--file', rolesFile(content), ...more]);
  }

  describe('without a service', () => {
    const alone = useServiceHome({ embedded: 'new', commandsInOneProcess: true });
    beforeAll(() => {
      world = alone;
    });

    it('rejects an invalid file with all its errors before using the database', async () => {
      const { code, stdout, stderr } = await seed({
        roles: [
          { name: 'Reader', permissions: [{ resource: 'notes..list', value: '' }] },
          { name: 'guest', root: true, permissions: [{ resource: 'notes.*', value: 'Deny' }] },
          { name: 'twice', colour: 'red' },
          { name: 'twice', permissions: {} },
        ],
      });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      const places = stderr.split('\n').flatMap((line) => /^ {2}- (\S+)/.exec(line)?.[1] ?? []);
      expect(places).toEqual([
        'roles[0].name',
        'roles[0].permissions[0].resource',
        'roles[0].permissions[0].value',
        'roles[1].root',
        'roles[1].permissions[0].value',
        'roles[2]',
        'roles[3].permissions',
        'roles',
      ]);
      expect(existsSync(world.home.dataDir)).toBe(false);
    });

    it('rejects a file that is not JSON, missing, or a directory, in one line each', async () => {
      expect(await seed('{"roles": [')).toMatchObject({ code: 1, stderr: expect.stringContaining('must be JSON') });
      for (const name of ['nowhere.json', '.']) {
        const { code, stderr } = await world.home.run(['roles:seed', '--file', name]);
        expect(code).toBe(1);
        expect(stderr).toMatch(/^\S+ cannot be read: E[A-Z]+\n$/);
      }
      expect(existsSync(world.home.dataDir)).toBe(false);
    });

    it('exits with code 2 for an unknown option or command', async () => {
      const options = await world.home.run(['roles:seed', '--fiel', 'roles.json']);
      expect(options).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--fiel') });
      const command = await world.home.run(['roles:sed']);
      expect(command).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('roles:sed') });
    });

    it('starts only the database, seeds, and leaves no process', async () => {
      const { code, stdout, stderr } = await seed({ roles: [READER] });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/create +reader +\(role\)/);
      expect(stdout).toMatch(/create +reader +notes\.\* +allow/);
      expect(stdout).toContain('2 changes applied.');
      await world.home.databaseGone();
    });
  });

  describe('beside a running service', () => {
    const beside = useServiceHome({ commandsInOneProcess: true });
    const person = newcomer();
    let service: Service;
    let token = '';

    beforeAll(async () => {
      world = beside;
      service = await world.home.start();
      await signUp(service, person);
      token = await signIn(service, person);
      expect((await seed({ roles: [READER] })).code).toBe(0);
    });

    const me = async (): Promise<number> => (await service.get('/api/auth/me', token)).status;

    it('changes nothing the second time', async () => {
      const { code, stdout } = await seed({ roles: [READER] });
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Nothing to change.\n' });
      const builtIn = await world.home.run(['roles:seed']);
      expect(builtIn).toEqual({ code: 0, stdout: 'Nothing to change.\n', stderr: '' });
    });

    it('adds and replaces with --merge or as the file says, and deletes nothing', async () => {
      const permission = (resource: string, value = 'allow') => ({ resource, value });
      const resources = async (file: unknown, ...more: string[]): Promise<string[]> => {
        const { stdout } = await seed(file, ...more);
        return [...stdout.matchAll(/^(create|update|delete) +reader +(\S+)/gm)].map(([, ...words]) => words.join(' '));
      };
      const first = { name: 'reader', permissions: [permission('tags.list')] };
      expect(await resources({ roles: [first] }, '--merge')).toEqual(['create tags.list']);
      expect(await resources({ roles: [first] }, '--merge')).toEqual([]);
      const second = { ...first, merge: true, permissions: [permission('tags.list', 'deny'), permission('tags.get')] };
      expect(await resources({ roles: [second] })).toEqual(['update tags.list', 'create tags.get']);
      expect(await resources({ roles: [{ name: 'reader', description: 'Other' }] }, '--merge')).toEqual([
        'update (role)',
      ]);
      expect((await resources({ roles: [READER] }, '--dry-run')).sort()).toEqual([
        'delete tags.get',
        'delete tags.list',
        'update (role)',
      ]);
      expect((await resources({ roles: [READER] })).length).toBe(3);
      expect(await seed({ roles: [{ ...READER, merge: 'yes' }] })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('roles[0].merge must be true or false'),
      });
      const alone = await world.home.run(['roles:seed', '--merge']);
      expect(alone).toMatchObject({ code: 1, stderr: '--merge requires a roles file.\n' });
    });

    it('changes nothing with --dry-run, and prints the changes', async () => {
      const { code, stdout } = await seed({ roles: [NO_ME] }, '--dry-run');
      expect(code).toBe(0);
      expect(stdout).toMatch(/create +user +auth\.me +deny/);
      expect(stdout).toContain('would be applied.');
      expect(await me()).toBe(200);
      const again = await world.home.json<{ changes: unknown[] }>('roles:seed', '--file', 'roles.json', '--dry-run');
      expect(again).toMatchObject({ dry_run: true, changes: expect.arrayContaining([]) });
      expect(again.changes.length).toBeGreaterThan(0);
    });

    it('applies a permission within a second, and its removal too', async () => {
      expect(await me()).toBe(200);
      const args = ['roles:seed', '--file', rolesFile({ roles: [NO_ME] }), '--json'];
      const { stdout } = await world.home.run(args, { program: 'cli.js' });
      await until(async () => (await me()) === 403, 'the permission', PROMISED_MS);
      expect((JSON.parse(stdout) as { changes: unknown[] }).changes).toContainEqual({
        action: 'create',
        role: 'user',
        resource: 'auth.me',
        detail: 'deny',
      });
      expect((await seed({ roles: [{ name: 'user', permissions: [] }] })).code).toBe(0);
      await until(async () => (await me()) === 200, 'its removal', PROMISED_MS);
    });

    it('keeps the permissions of a role that the file lists without them', async () => {
      const { changes } = await world.home.json<{ changes: unknown[] }>(
        'roles:seed',
        '--file',
        rolesFile({ roles: [{ name: 'reader', description: 'May look around' }] }),
      );
      expect(changes).toEqual([{ action: 'update', role: 'reader', resource: null, detail: 'May look around' }]);
      expect((await seed({ roles: [READER] })).stdout).toContain('1 change applied.');
    });

    it('keeps a changed built-in role without a file', async () => {
      const changed = { name: 'user', permissions: [{ resource: 'notes.*', value: 'allow' }] };
      expect((await seed({ roles: [changed] })).code).toBe(0);
      expect((await world.home.run(['roles:seed'])).stdout).toBe('Nothing to change.\n');
      expect((await seed({ roles: [changed] }, '--dry-run')).stdout).toBe('Nothing to change.\n');
    });
  });
});

import type { Permissions } from '../../api/openapi.js';
import { type CommandTexts, commandsFor, findCommands } from './commands.js';
import { firstPage } from '../frame/sections.js';
import { intentOf } from './shortcuts.js';

const TEXTS: CommandTexts = {
  sections: {
    records: 'Records',
    model: 'Data model',
    access: 'Access',
    people: 'Users',
    programs: 'Service accounts',
    service: 'Service',
    account: 'Your account',
  },
  parts: {
    glance: 'Overview',
    mails: 'E-mails',
    jobs: 'Jobs',
    audit: 'Audit log',
    backups: 'Backups',
    migrations: 'Migrations',
    settings: 'Settings',
  },
  list: (schema) => `${schema}: list`,
  create: (schema) => `New ${schema}`,
  define: (schema) => `Schema ${schema}`,
  newSchema: 'New schema',
  diagram: 'Diagram',
  reference: 'API reference',
};
const permissions = (content: Permissions['content'], resources: string[] = [], root = false): Permissions => ({
  root,
  roles: [],
  resources,
  content,
});
const labels = (permissionSet: Permissions, text = ''): string[] =>
  findCommands(commandsFor(permissionSet, TEXTS), text).map(({ label }) => label);

describe('first page after a sign-in', () => {
  it.each([
    ['an administrator', permissions({}, [], true), '/dash/records'],
    ['a user with access to jobs', permissions({}, ['jobs.list']), '/dash/service'],
    [
      'a user who can list records and read the model',
      permissions({ a: { list: { value: 'allow' } } }, ['schema.list']),
      '/dash/records',
    ],
    ['a user who can list records', permissions({ a: { list: { value: 'allow' } } }), '/dash/account'],
    ['a user without permissions', permissions({}), '/dash/account'],
  ])('for %s', (_name, permissionSet, page) => {
    expect(firstPage(permissionSet)).toBe(page);
  });
});

describe('the commands', () => {
  it('link to accessible pages only', () => {
    expect(labels(permissions({}))).toEqual(['Your account', 'API reference']);
    const reader = permissions({ post: { list: { value: 'rules' } }, tag: { get: { value: 'allow' } } }, [
      'audit.list',
    ]);
    expect(labels(reader)).toEqual(['Records', 'Service', 'Your account', 'API reference', 'Audit log', 'Post: list']);
    const root = permissions({ post: { list: { value: 'allow' }, create: { value: 'allow' } } }, [], true);
    expect(labels(root)).toEqual(
      expect.arrayContaining(['Users', 'Settings', 'Post: list', 'New Post', 'Schema post', 'Diagram', 'New schema']),
    );
  });

  it('are found by all words, ignoring case and accents, best match first', () => {
    const schemas = {
      post: { list: { value: 'allow' as const } },
      café_outpost: { list: { value: 'allow' as const } },
    };
    const permissionSet = permissions(schemas, ['schema.get']);
    expect(labels(permissionSet, 'post')).toEqual([
      'Post: list',
      'Schema post',
      'Café outpost: list',
      'Schema café_outpost',
    ]);
    expect(labels(permissionSet, '  CAFE   list ')).toEqual(['Café outpost: list']);
    expect(labels(permissionSet, 'post nothing')).toEqual([]);
    expect(labels(permissionSet, '(.*[')).toEqual([]);
  });

  it('have distinct labels', () => {
    const ids = commandsFor(permissions({ a: { list: { value: 'allow' } } }, [], true), TEXTS).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a shortcut', () => {
  const none = { ctrlKey: false, metaKey: false, altKey: false, repeat: false };
  const idle = { isMac: false, isTyping: false, isPrefixed: false };

  it('is ⌘K on a Mac and Ctrl+K elsewhere, also while typing', () => {
    for (const isTyping of [true, false]) {
      expect(intentOf({ ...none, key: 'k', ctrlKey: true }, { ...idle, isTyping })).toBe('palette');
      expect(intentOf({ ...none, key: 'K', metaKey: true }, { ...idle, isTyping, isMac: true })).toBe('palette');
    }
    expect(intentOf({ ...none, key: 'k', ctrlKey: true }, { ...idle, isMac: true })).toBeNull();
    expect(intentOf({ ...none, key: 'k', ctrlKey: true, metaKey: true }, idle)).toBeNull();
  });

  it('is ignored as a single letter while typing', () => {
    for (const key of ['?', 'g', 'k']) expect(intentOf({ ...none, key }, { ...idle, isTyping: true })).toBeNull();
    expect(intentOf({ ...none, key: '?' }, idle)).toBe('help');
    expect(intentOf({ ...none, key: '?', ctrlKey: true }, idle)).toBeNull();
  });

  it('opens a section after g, and ignores other letters', () => {
    expect(intentOf({ ...none, key: 'g' }, idle)).toBe('prefix');
    expect(intentOf({ ...none, key: 'p' }, idle)).toBeNull();
    expect(intentOf({ ...none, key: 'p' }, { ...idle, isPrefixed: true })).toBe('people');
    for (const key of ['x', 'constructor', '?', 'g'])
      expect(intentOf({ ...none, key }, { ...idle, isPrefixed: true })).toBeNull();
    expect(intentOf({ ...none, key: 'p', repeat: true }, { ...idle, isPrefixed: true })).toBeNull();
  });
});

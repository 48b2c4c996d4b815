import type { Permissions } from '../../api/openapi.js';
import { type CommandWords, commandsFor, findCommands } from './commands.js';
import { firstPage } from '../frame/sections.js';
import { intentOf } from './shortcuts.js';

const WORDS: CommandWords = {
  sections: {
    records: 'Records',
    model: 'Data model',
    access: 'Access',
    people: 'People',
    programs: 'Programs',
    service: 'Service',
    account: 'Your account',
  },
  parts: {
    glance: 'At a glance',
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
const labels = (given: Permissions, text = ''): string[] =>
  findCommands(commandsFor(given, WORDS), text).map(({ label }) => label);

describe('the page after a sign-in', () => {
  it.each([
    ['an administrator', permissions({}, [], true), '/dash/records'],
    ['who sees the jobs', permissions({}, ['jobs.list']), '/dash/service'],
    [
      'who may list and who sees the model',
      permissions({ a: { list: { value: 'allow' } } }, ['schema.list']),
      '/dash/records',
    ],
    ['who reads some records', permissions({ a: { list: { value: 'allow' } } }), '/dash/account'],
    ['who may do nothing', permissions({}), '/dash/account'],
  ])('of %s', (_who, given, page) => {
    expect(firstPage(given)).toBe(page);
  });
});

describe('the commands', () => {
  it('lead to what is open to somebody, and nowhere else', () => {
    expect(labels(permissions({}))).toEqual(['Your account', 'API reference']);
    const reader = permissions({ post: { list: { value: 'rules' } }, tag: { get: { value: 'allow' } } }, [
      'audit.list',
    ]);
    expect(labels(reader)).toEqual(['Records', 'Service', 'Your account', 'API reference', 'Audit log', 'Post: list']);
    const root = permissions({ post: { list: { value: 'allow' }, create: { value: 'allow' } } }, [], true);
    expect(labels(root)).toEqual(
      expect.arrayContaining(['People', 'Settings', 'Post: list', 'New Post', 'Schema post', 'Diagram', 'New schema']),
    );
  });

  it('are found by every word, however it is written, the best first', () => {
    const schemas = {
      post: { list: { value: 'allow' as const } },
      café_outpost: { list: { value: 'allow' as const } },
    };
    const given = permissions(schemas, ['schema.get']);
    expect(labels(given, 'post')).toEqual(['Post: list', 'Schema post', 'Café outpost: list', 'Schema café_outpost']);
    expect(labels(given, '  CAFE   list ')).toEqual(['Café outpost: list']);
    expect(labels(given, 'post nothing')).toEqual([]);
    expect(labels(given, '(.*[')).toEqual([]);
  });

  it('are told apart', () => {
    const ids = commandsFor(permissions({ a: { list: { value: 'allow' } } }, [], true), WORDS).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a shortcut', () => {
  const none = { ctrlKey: false, metaKey: false, altKey: false, repeat: false };
  const idle = { isMac: false, isTyping: false, isPrefixed: false };

  it('is ⌘K on a Mac, and Ctrl+K elsewhere, while one types, too', () => {
    for (const isTyping of [true, false]) {
      expect(intentOf({ ...none, key: 'k', ctrlKey: true }, { ...idle, isTyping })).toBe('palette');
      expect(intentOf({ ...none, key: 'K', metaKey: true }, { ...idle, isTyping, isMac: true })).toBe('palette');
    }
    expect(intentOf({ ...none, key: 'k', ctrlKey: true }, { ...idle, isMac: true })).toBeNull();
    expect(intentOf({ ...none, key: 'k', ctrlKey: true, metaKey: true }, idle)).toBeNull();
  });

  it('is a letter and nothing else while one types', () => {
    for (const key of ['?', 'g', 'k']) expect(intentOf({ ...none, key }, { ...idle, isTyping: true })).toBeNull();
    expect(intentOf({ ...none, key: '?' }, idle)).toBe('help');
    expect(intentOf({ ...none, key: '?', ctrlKey: true }, idle)).toBeNull();
  });

  it('leads to a part after g, and to none by any other letter', () => {
    expect(intentOf({ ...none, key: 'g' }, idle)).toBe('prefix');
    expect(intentOf({ ...none, key: 'p' }, idle)).toBeNull();
    expect(intentOf({ ...none, key: 'p' }, { ...idle, isPrefixed: true })).toBe('people');
    for (const key of ['x', 'constructor', '?', 'g'])
      expect(intentOf({ ...none, key }, { ...idle, isPrefixed: true })).toBeNull();
    expect(intentOf({ ...none, key: 'p', repeat: true }, { ...idle, isPrefixed: true })).toBeNull();
  });
});

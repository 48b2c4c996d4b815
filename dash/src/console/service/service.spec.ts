import type { ListedEvent, Permissions } from '../../api/openapi.js';
import { sizeText } from '../../ui/size-text.js';
import { accountsIn, auditPath, changeText, combined, personIn, readFilter, recordIn } from './audit-query.js';
import { glanceOf } from './glance.js';
import { openParts } from '../frame/service-parts.js';

const permissionsFor = (...resources: string[]): Permissions => ({ root: false, roles: [], resources, content: {} });

describe('the service', () => {
  it('shows the parts that a user can access', () => {
    expect(openParts(permissionsFor('audit.list', 'mails.retry'))).toEqual(['audit']);
    expect(openParts(permissionsFor())).toEqual([]);
    expect(openParts({ ...permissionsFor(), root: true })).toEqual([
      'glance',
      'mails',
      'jobs',
      'audit',
      'backups',
      'migrations',
      'settings',
    ]);
  });
});

describe('service overview', () => {
  const process = {
    started_at: '2026-11-25T00:00:00.000Z',
    node: 'v20',
    worker: null,
    memory_bytes: 5,
    processor_seconds: 1,
  };
  const metric = (name: string, ...values: [value: number, labels?: Record<string, string>][]) => {
    return {
      name,
      help: '',
      type: 'gauge' as const,
      values: values.map(([value, labels = {}]) => ({ value, labels })),
    };
  };
  const glance = (...metrics: ReturnType<typeof metric>[]) =>
    Object.fromEntries(glanceOf({ process, metrics }).map(({ name, ...tile }) => [name, tile]));

  it('adds up labelled metrics, and marks problems', () => {
    const tiles = glance(
      metric('lintel_database_up', [0]),
      metric(
        'lintel_jobs',
        [2, { kind: 'a', state: 'failed' }],
        [3, { kind: 'b', state: 'failed' }],
        [7, { kind: 'b', state: 'due' }],
      ),
      metric('lintel_jobs_late_seconds', [0, { kind: 'a' }], [61, { kind: 'b' }]),
      metric('lintel_mails_total', [4, { outcome: 'sent' }], [1, { outcome: 'refused' }], [1, { outcome: 'given_up' }]),
      metric('lintel_database_connections', [9, { state: 'idle' }], [1, { state: 'busy' }]),
      metric('lintel_database_connections_max', [10]),
    );
    expect(tiles).toMatchObject({
      databaseUp: { value: 0, needsAttention: true },
      jobsFailed: { value: 5, needsAttention: true },
      jobsWaiting: { value: 7, needsAttention: false },
      jobsLate: { value: 61, needsAttention: true },
      mailsSent: { value: 4, needsAttention: false },
      mailsRefused: { value: 2, needsAttention: true },
      connections: { value: 1, of: 10, needsAttention: false },
    });
  });

  it('omits missing metrics', () => {
    expect(Object.keys(glance())).toEqual(['jobsLate', 'mailsSent', 'mailsRefused', 'memory', 'started']);
  });

  it('reports a missing backup only if backups are scheduled', () => {
    const none = metric('lintel_backup_time_seconds', [0]);
    expect(glance(none, metric('lintel_backup_scheduled', [0]))['backup']).toBeUndefined();
    expect(glance(none, metric('lintel_backup_scheduled', [1]))['backup']).toMatchObject({ needsAttention: true });
    expect(glance(metric('lintel_backup_time_seconds', [9]))['backup']).toMatchObject({
      value: 9,
      needsAttention: false,
    });
  });

  it.each([
    [0, '0 byte'],
    [999, '999 byte'],
    [1_000, '1 kB'],
    [12_345_678, '12.3 MB'],
    [5e15, '5,000 TB'],
  ])('formats %d bytes', (bytes, text) => {
    expect(sizeText(bytes, 'en')).toBe(text);
  });
});

describe('the audit log', () => {
  it('is requested with the filled filters only', () => {
    const filter = readFilter({ actor: ' account ', action: '', outcome: 7, part: 'audit', __proto__: 'x' });
    expect(filter).toEqual({ actor: 'account' });
    expect(auditPath(filter, '')).toBe('/api/audit?actor=account');
    expect(auditPath({}, '')).toBe('/api/audit');
    expect(auditPath({ resource: 'user:1&x=2' }, 'c+/=')).toBe(
      '/api/audit?resource=user%3A1%26x%3D2&cursor=c%2B%2F%3D',
    );
  });

  it('includes the last day in the local time zone', () => {
    const { searchParams } = new URL(auditPath({ since: '2026-12-31', until: '2026-12-31' }, ''), 'http://x');
    expect(searchParams.get('since')).toBe(new Date(2026, 11, 31).toISOString());
    expect(searchParams.get('until')).toBe(new Date(2027, 0, 1).toISOString());
    expect(auditPath({ since: 'yesterday' }, '')).toBe('/api/audit?since=yesterday');
  });

  it('links to accounts only', () => {
    const id = '0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee';
    expect([`account:${id}`, `user:${id}`].map(personIn)).toEqual([id, id]);
    expect(['guest', 'system', `mail:${id}`, `user:${id}/x`, 'user'].map(personIn)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('combines equal reads of one page as another user, and nothing else', () => {
    const at = (seconds: number, more: Partial<ListedEvent> = {}): ListedEvent => ({
      id: String(seconds),
      at: new Date(1_000_000 - seconds * 1_000).toISOString(),
      actor: 'account:a',
      action: 'access.view',
      resource: 'role:editor',
      outcome: 'success',
      address: '127.0.0.1',
      request_id: String(seconds),
      key_id: null,
      changes: {},
      ...more,
    });
    const shown = (...events: ListedEvent[]) => combined(events).map(({ equal }) => equal.length + 1);
    expect(shown(at(0), at(1), at(2), at(9))).toEqual([4]);
    expect(shown(at(0), at(11))).toEqual([1, 1]);
    expect(shown(at(0), at(1, { resource: 'guest' }), at(2))).toEqual([1, 1, 1]);
    expect(shown(at(0), at(1, { outcome: 'permission_denied' }))).toEqual([1, 1]);
    expect(shown(at(0, { action: 'audit.read' }), at(1, { action: 'audit.read' }))).toEqual([1, 1]);
    expect(combined([])).toEqual([]);
  });

  it('links accounts and records of events', () => {
    const [one, other] = ['0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee', '0190aaaa-bbbb-7ccc-8ddd-ffffffffffff'];
    const events = [
      { actor: `account:${one}`, resource: `user:${other}` },
      { actor: 'guest', resource: `account:${one}` },
    ] as ListedEvent[];
    expect(accountsIn(events)).toEqual([one, other]);
    const all = { value: 'allow' } as const;
    const withAccess: Permissions = {
      ...permissionsFor(),
      content: { post: { get: all }, user: { get: all }, tag: { list: all } },
    };
    expect(recordIn('post:a:b', withAccess)).toEqual({ schema: 'post', id: 'a:b' });
    expect(
      ['post', `user:${one}`, 'tag:1', 'session:1', 'constructor:1'].map((name) => recordIn(name, withAccess)),
    ).toEqual([null, null, null, null, null]);
  });

  it('formats the logged changes', () => {
    expect(changeText('title', { before: 'a', after: 'b' })).toBe('title: "a" → "b"');
    expect(changeText('title', { before: 'a' })).toBe('title: "a" → null');
    expect(changeText('roles', { after: ['x'] })).toBe('roles: ["x"]');
    expect(changeText('password', {})).toBe('password');
  });
});

import type { Permissions } from '../../api/openapi.js';
import { auditPath, changeText, personIn, readFilter } from './audit-query.js';
import { openParts } from '../frame/service-parts.js';

const may = (...resources: string[]): Permissions => ({ root: false, roles: [], resources, content: {} });

describe('the service', () => {
  it('shows the parts that are open to somebody', () => {
    expect(openParts(may('audit.list', 'mails.retry'))).toEqual(['audit']);
    expect(openParts(may())).toEqual([]);
    expect(openParts({ ...may(), root: true })).toEqual(['mails', 'audit', 'settings']);
  });
});

describe('the audit log', () => {
  it('is asked for what is filled in, and for nothing else', () => {
    const filter = readFilter({ actor: ' account ', action: '', outcome: 7, part: 'audit', __proto__: 'x' });
    expect(filter).toEqual({ actor: 'account' });
    expect(auditPath(filter, '')).toBe('/api/audit?actor=account');
    expect(auditPath({}, '')).toBe('/api/audit');
    expect(auditPath({ resource: 'user:1&x=2' }, 'c+/=')).toBe(
      '/api/audit?resource=user%3A1%26x%3D2&cursor=c%2B%2F%3D',
    );
  });

  it('has the last day in it, as days are where the reader is', () => {
    const { searchParams } = new URL(auditPath({ since: '2026-12-31', until: '2026-12-31' }, ''), 'http://x');
    expect(searchParams.get('since')).toBe(new Date(2026, 11, 31).toISOString());
    expect(searchParams.get('until')).toBe(new Date(2027, 0, 1).toISOString());
    expect(auditPath({ since: 'yesterday' }, '')).toBe('/api/audit?since=yesterday');
  });

  it('leads to people, and to nothing that only looks like one', () => {
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

  it('says what was changed as far as it is kept', () => {
    expect(changeText('title', { before: 'a', after: 'b' })).toBe('title: "a" → "b"');
    expect(changeText('title', { before: 'a' })).toBe('title: "a" → null');
    expect(changeText('roles', { after: ['x'] })).toBe('roles: ["x"]');
    expect(changeText('password', {})).toBe('password');
  });
});

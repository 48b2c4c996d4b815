import { identityCandidates, type LaunchSituation } from './launch-identity.js';

const root = { uid: 0, gid: 0 };
const somebody = { uid: 1234, gid: 100 };

function waysOf(situation: Partial<LaunchSituation>): string[] {
  const candidates = identityCandidates({ uid: 0, dataOwner: root, parentOwner: root, hasName: true, ...situation });
  return candidates.map(({ prefix, become, owner }) =>
    [prefix[0] ?? 'plain', become?.uid ?? '', owner ? `data ${owner.uid}:${owner.gid}` : ''].join(' ').trim(),
  );
}

describe('identityCandidates', () => {
  it('changes nothing for an ordinary user', () => {
    expect(waysOf({ uid: 1000, dataOwner: somebody })).toEqual(['plain']);
  });

  it('gives a user without a name a name in a user namespace', () => {
    expect(waysOf({ uid: 4242, hasName: false })).toEqual(['unshare', 'plain']);
  });

  it('never runs as root', () => {
    expect(waysOf({})).toEqual(['unshare', 'plain 65534 data 65534:65534', 'setpriv  data 65534:65534']);
  });

  it('runs as the owner of the data if that is an ordinary user', () => {
    expect(waysOf({ dataOwner: somebody })).toEqual(['plain 1234 data 1234:100', 'setpriv  data 1234:100']);
  });

  it('runs as the owner of the parent directory when rights must be dropped', () => {
    expect(waysOf({ parentOwner: somebody }).slice(1)).toEqual(['plain 1234 data 1234:100', 'setpriv  data 1234:100']);
  });
});

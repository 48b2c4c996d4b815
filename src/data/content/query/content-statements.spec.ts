import { StatementCache } from './content-statements.js';

const names = (cache: StatementCache, ...texts: string[]) => texts.map((text) => cache.of(text).name);

describe('prepared statements', () => {
  it('are those seen before', () => {
    const cache = new StatementCache(2);
    expect(cache.of('a')).toEqual({ name: '', text: 'a' });
    const { name } = cache.of('a');
    expect(name).not.toBe('');
    expect(names(cache, 'a', 'b', 'b', 'a')).toEqual([name, '', expect.stringMatching(/./), name]);
  });

  it('have unique names, up to the limit', () => {
    const cache = new StatementCache(3);
    const used = new Set<string>();
    for (let at = 0; at < 20; at += 1) {
      names(cache, `s${at}`, `s${at}`);
      used.add(cache.of(`s${at}`).name);
    }
    expect(used.size).toBe(3);
    const kept = names(cache, 's17', 's18', 's19');
    expect(new Set(kept).size).toBe(3);
    expect(kept).not.toContain('');
  });

  it('are the most recently used: a stream of others does not take a name in use', () => {
    const cache = new StatementCache(3);
    names(cache, 'hot', 'hot');
    const { name } = cache.of('hot');
    for (let at = 0; at < 50; at += 1) {
      names(cache, `s${at}`, `s${at}`);
      expect(cache.of('hot').name).toBe(name);
    }
  });

  it('lose no name to a stream of single statements', () => {
    const cache = new StatementCache(3);
    names(cache, 'a', 'a', 'b', 'b', 'c', 'c');
    const before = names(cache, 'a', 'b', 'c');
    for (let at = 0; at < 500; at += 1) expect(cache.of(`once ${at}`).name).toBe('');
    expect(names(cache, 'a', 'b', 'c')).toEqual(before);
  });

  it('are dropped together, which frees their names', () => {
    const cache = new StatementCache(2);
    names(cache, 'a', 'a', 'b', 'b');
    cache.clear();
    expect(names(cache, 'a', 'b', 'c')).toEqual(['', '', '']);
    expect(new Set(names(cache, 'a', 'b')).size).toBe(2);
    expect(names(cache, 'a', 'b')).not.toContain('');
  });
});

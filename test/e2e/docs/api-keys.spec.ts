import { apiKeyHash, createApiKey } from '../../../src/kernel/keys/api-key-format.js';
import { createPerson } from '../../support/people.js';
import { isAsShown, pageParts, readPage, runBlocks } from '../../support/shell-page.js';
import { useTestApp } from '../../support/test-app.js';

describe('docs/guides/sign-in/api-keys.md', () => {
  const world = useTestApp();

  it('every command works and returns what the page shows', async () => {
    // The page shows a key whose last use is not recorded yet.
    await world.app.stopBackgroundWork();
    await createPerson(world.app, { email: 'you@example.com', roles: ['admin'] });
    const [part] = pageParts(`\`\`\`console\n\`\`\`\n${readPage('guides/sign-in/api-keys.md')}`);
    const run = await runBlocks(part!.blocks, { BASE: world.app.url }, '/');
    expect(run.length).toBe(6);
    for (const { block, printed, expected } of run) {
      const wrong = expected.filter((line, at) => !isAsShown(printed[at] ?? '', line));
      expect({ block, printed, wrong }).toEqual({ block, printed, wrong: [] });
      expect([block, printed.length]).toEqual([block, expected.length]);
    }
  });

  describe('the pattern for secret scanners', () => {
    const page = readPage('guides/sign-in/api-keys.md');
    const pattern = new RegExp(/```text\n(.*)\n```/.exec(page)![1]!, 'g');
    const rule = /```toml\n([^]*?)```/.exec(page)![1]!;

    it('finds every key in any position, exactly', () => {
      for (let n = 0; n < 500; n += 1) {
        const { key } = createApiKey(n % 2 === 0 ? 'pat' : 'svc');
        for (const text of [
          key,
          `KEY=${key}\n`,
          `"${key}"`,
          `https://x.example/?k=${key}&y`,
          `Bearer ${key},`,
          `(${key})`,
        ])
          expect(text.match(pattern)).toEqual([key]);
      }
    });

    it('finds nothing that is not shaped like a key; the checksum decides the rest', () => {
      const { key } = createApiKey('pat');
      for (const text of [
        key.slice(0, -1),
        `${key}x`,
        `x${key}`,
        key.replace('pat', 'adm'),
        key.toUpperCase(),
        'lin_pat_',
      ])
        expect([text, text.match(pattern)]).toEqual([text, null]);
      const found = `lin_pat_${'0'.repeat(36)}`.match(pattern);
      expect(found).toHaveLength(1);
      expect(apiKeyHash(found![0])).toBeNull();
    });

    it('is equal to the gitleaks rule', () => {
      expect(/^regex = '''(.*)'''$/m.exec(rule)![1]).toBe(pattern.source);
      for (const keyword of /^keywords = \["(.*)", "(.*)"\]$/m.exec(rule)!.slice(1))
        expect([createApiKey('pat').key, createApiKey('svc').key].some((key) => key.startsWith(keyword))).toBe(true);
    });
  });
});

import { createPerson } from '../../support/people.js';
import { isAsShown, pageParts, readPage, runBlocks } from '../../support/shell-page.js';
import { useTestApp } from '../../support/test-app.js';

describe('docs/files.md', () => {
  const world = useTestApp();

  it('every command works, and answers what the page shows', async () => {
    await createPerson(world.app, { email: 'you@example.com', roles: ['admin'] });
    const [part] = pageParts(`\`\`\`console\n\`\`\`\n${readPage('files.md')}`);
    const env = { BASE: world.app.url, TMPDIR: world.app.config.dataDir };
    const run = await runBlocks(part!.blocks, env, '/');
    expect(run.length).toBe(6);
    for (const { block, printed, expected } of run) {
      const wrong = expected.filter((line, at) => !isAsShown(printed[at] ?? '', line));
      expect({ block, printed, wrong }).toEqual({ block, printed, wrong: [] });
      expect([block, printed.length]).toEqual([block, expected.length]);
    }
  }, 60_000);
});

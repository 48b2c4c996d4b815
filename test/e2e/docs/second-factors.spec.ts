import { join } from 'node:path';
import { createPerson } from '../../support/people.js';
import { isAsShown, pageParts, readPage, runBlocks } from '../../support/shell-page.js';
import { useTestApp } from '../../support/test-app.js';

describe('docs/guides/sign-in/second-factors.md', () => {
  const world = useTestApp();

  it('every command works and returns what the page shows', async () => {
    await createPerson(world.app, { email: 'you@example.com' });
    const [part] = pageParts(`\`\`\`console\n\`\`\`\n${readPage('guides/sign-in/second-factors.md')}`);
    const variables = { BASE: world.app.url, NODE_PATH: join(__dirname, '../../../node_modules') };
    const run = await runBlocks(part!.blocks, variables, '/');
    expect(run.length).toBe(3);
    for (const { block, printed, expected } of run) {
      const wrong = expected.filter((line, at) => !isAsShown(printed[at] ?? '', line));
      expect({ block, printed, wrong }).toEqual({ block, printed, wrong: [] });
      expect([block, printed.length]).toEqual([block, expected.length]);
    }
  }, 60_000);
});

import { join } from 'node:path';
import { compile, makeConsumer } from '../../support/own-application.js';
import { useServiceHome } from '../../support/service-home.js';
import { readPage, shownFiles } from '../../support/shell-page.js';

jest.setTimeout(180_000);

const FILES = shownFiles(readPage('guides/operating/workers.md'));

describe('the application of docs/guides/operating/workers.md', () => {
  const place = useServiceHome();
  const program = (name: string): string => join(place.home.directory, 'dist', name);

  it('compiles', () => {
    makeConsumer(place.home.directory, FILES);
    expect(compile(place.home.directory, Object.keys(FILES))).toEqual([]);
  });

  it('runs its schedules in the worker, and not in the web process', async () => {
    const web = await place.home.start({ program: program('main.js'), env: { ROLE: 'serve' } });
    const worker = place.home.spawn({ program: program('worker.js') });
    await worker.says(/"msg":"Polled\."[^]*"msg":"Polled\."/);
    expect(web.stdout).not.toContain('Polled.');
    const { stdout } = await place.home.run(['config:check'], { program: program('main.js') });
    expect(stdout).toContain('ROLE');
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
    expect(await web.stop()).toEqual({ code: 0, signal: null });
  });
});

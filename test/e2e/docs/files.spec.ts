import { compileFunction } from 'node:vm';
import * as tus from 'tus-js-client';
import { FakeXhr } from '../../support/fake-xhr.js';
import { GIF, sha256 } from '../../support/file-fixture.js';
import { createPerson, signedIn } from '../../support/people.js';
import { codeBlocks, isAsShown, pageParts, readPage, runBlocks } from '../../support/shell-page.js';
import { useTestApp } from '../../support/test-app.js';

describe('docs/guides/data/files.md', () => {
  const world = useTestApp();

  it('every command works and returns what the page shows', async () => {
    await createPerson(world.app, { email: 'you@example.com', roles: ['admin'] });
    const [part] = pageParts(`\`\`\`console\n\`\`\`\n${readPage('guides/data/files.md')}`);
    const env = { BASE: world.app.url, TMPDIR: world.app.config.dataDir };
    const run = await runBlocks(part!.blocks, env, '/');
    expect(run.length).toBe(7);
    for (const { block, printed, expected } of run) {
      const wrong = expected.filter((line, at) => !isAsShown(printed[at] ?? '', line));
      expect({ block, printed, wrong }).toEqual({ block, printed, wrong: [] });
      expect([block, printed.length]).toEqual([block, expected.length]);
    }
  }, 60_000);

  /** The image as a browser has it: with a name and a type. */
  const file = Object.assign(new Blob([GIF], { type: 'image/gif' }), { name: 'Bild 1.gif' });
  const infoOf = async (id: string, token: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${world.app.url}/api/content/files/${id}?select=name,type,sha256`, { headers });
    return ((await answer.json()) as { data: unknown }).data;
  };

  it('its upload with a progress bar stores the file, and fails with the error of the server', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const [example = ''] = codeBlocks(readPage('guides/data/files.md'), 'js');
    const upload = compileFunction(`${example}; return upload;`, ['XMLHttpRequest'])(FakeXhr.of(world.app.url)) as (
      sent: Blob,
      own: string,
      onProgress: (share: number) => void,
    ) => Promise<{ id: string }>;
    const shares: number[] = [];
    const { id } = await upload(file, token, (share) => shares.push(share));
    expect(shares).toEqual([1]);
    expect(await infoOf(id, token)).toEqual({ name: 'Bild 1.gif', type: 'image/gif', sha256: sha256(GIF) });
    await expect(upload(file, 'wrong', () => undefined)).rejects.toMatchObject({ data: { error: 'token_invalid' } });
  });

  it('the tus sample of large-uploads.md stores the file and links it', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify({ title: 'Large' }) };
    const created = await fetch(`${world.app.url}/api/content/articles`, request);
    const { id } = ((await created.json()) as { data: { id: string } }).data;
    const [example = ''] = codeBlocks(readPage('guides/data/large-uploads.md'), 'js');
    const [statement, sample] = example.split(/\n\n(.*)/s);
    expect(statement).toBe("import * as tus from 'tus-js-client';");
    const names = ['tus', 'file', 'token', 'id', 'showProgress', 'showError', 'showFile'];
    const run = compileFunction(sample!.replace("'/api", `'${world.app.url}/api`), names) as (
      ...given: unknown[]
    ) => void;
    const sent = Object.assign(Buffer.from(GIF), { name: 'large.gif', type: 'image/gif' });
    const shares: number[] = [];
    const stored = await new Promise<string>((resolve, reject) =>
      run(tus, sent, token, id, (share: number) => shares.push(share), reject, resolve),
    );
    expect(shares.at(-1)).toBe(1);
    expect(await infoOf(stored, token)).toEqual({ name: 'large.gif', type: 'image/gif', sha256: sha256(GIF) });
    const article = await fetch(`${world.app.url}/api/content/articles/${id}`, { headers });
    expect(await article.json()).toMatchObject({ data: { images_ids: [stored] } });
  });
});

import { gzipSync } from 'node:zlib';
import { makeMagazine } from '../../support/content-fixture.js';
import { ImportJobs } from '../../support/import-jobs.js';
import { makeThings, faultSummary } from '../../support/import-samples.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** Characters of every width in UTF-8. */
const LINES = 'code,body\na,Zoë\nb,日本\nc,😀\n';

describe('CSV files', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    await makeThings(root);
  });
  afterEach(() => world.app.sql('TRUNCATE things CASCADE'));

  async function send(body: string | Uint8Array, headers: Record<string, string> = {}, query = '') {
    const answer = await fetch(`${world.app.url}/api/content/things/import?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${root.token}`, 'content-type': 'text/csv', ...headers },
      body: body as string,
    });
    const { data, message } = (await answer.json()) as { data: Record<string, unknown>; message?: string };
    return { status: answer.status, data, message };
  }
  const stored = () =>
    world.app.sql<{ code: string; body: string | null }>('SELECT code, body FROM things ORDER BY code');
  const faultsOf = (data: Record<string, unknown>) => faultSummary({ status: 400, data } as never).faults;

  describe('headers with many columns', () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `k${at}`).join(',');

    it.each([1_001, 20_000, 130_000])('refuses %i columns without comparing them', async (count) => {
      const { status, data } = await send(`${names(count)}\n1\n`, {}, 'dry_run=true');
      expect({ status, faults: faultsOf(data) }).toEqual({ status: 400, faults: [[1, 'thing', 'too_many']] });
    });

    it('reads 1,000 columns', async () => {
      const { data } = await send(`${names(1_000)}\n1\n`, {}, 'dry_run=true');
      expect([data['total'], faultsOf(data)?.[0]]).toEqual([1_001, [1, 'k0', 'unknown_field']]);
    });

    it('refuses them in compressed files and in the background', async () => {
      const packed = gzipSync(`${names(130_000)}\n1\n`);
      const { data } = await send(packed, { 'content-encoding': 'gzip' });
      expect(faultsOf(data)).toEqual([[1, 'thing', 'too_many']]);
      const answer = await fetch(`${world.app.url}/api/imports?schema=things`, {
        method: 'POST',
        headers: { authorization: `Bearer ${root.token}`, 'content-type': 'text/csv', 'content-encoding': 'gzip' },
        body: packed,
      });
      expect(answer.status).toBe(202);
      const jobs = new ImportJobs(world.app, root);
      const { data: begun } = (await answer.json()) as { data: { id: string } };
      expect(await jobs.settled(begun.id)).toMatchObject({ state: 'checked', faults: 1, rows: 0, plan: null });
    });
  });

  describe('encodings', () => {
    const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
    const marked = (text: string): Buffer => utf16(`\ufeff${text}`);
    const complete: readonly [string, Buffer, string][] = [
      ['UTF-8', Buffer.from(LINES), 'text/csv'],
      ['UTF-8 with a mark', Buffer.from(`\ufeff${LINES}`), 'text/csv; charset=UTF-8'],
      ['UTF-16LE with a mark', marked(LINES), 'text/csv'],
      ['UTF-16BE with a mark', marked(LINES).swap16(), 'text/csv'],
      ['UTF-16LE by its charset', utf16(LINES), 'text/csv;charset="utf-16le"'],
      ['UTF-16BE by its charset', utf16(LINES).swap16(), 'text/csv; header=present; Charset=utf-16be'],
      ['a mark before another charset', marked(LINES), 'text/csv; charset=windows-1252'],
    ];

    it.each(complete)('reads %s', async (_name, bytes, type) => {
      expect(await send(bytes, { 'content-type': type })).toMatchObject({ status: 200, data: { rows: 3 } });
      expect(await stored()).toEqual([
        { code: 'a', body: 'Zoë' },
        { code: 'b', body: '日本' },
        { code: 'c', body: '😀' },
      ]);
    });

    it('reads Windows-1252', async () => {
      const bytes = Buffer.from('code,body\na,Zo\xeb \x80\n', 'latin1');
      await send(bytes, { 'content-type': 'text/csv; charset=windows-1252' });
      expect(await stored()).toEqual([{ code: 'a', body: 'Zoë €' }]);
    });

    it.each(complete.slice(0, 6))('never shortens a value of a truncated file: %s', async (_name, bytes, type) => {
      const wrong: unknown[] = [];
      for (let length = 1; length < bytes.length; length += 1) {
        const { status, data } = await send(bytes.subarray(0, length), { 'content-type': type }, 'dry_run=true');
        const isCut = !isWhole(bytes.subarray(0, length), type);
        const codes = faultsOf(data)?.map(([, , code]) => code) ?? [];
        const isRefused = status === 400 && codes.includes('encoding_invalid');
        if (isCut !== isRefused) wrong.push([length, status, codes]);
      }
      expect(wrong).toEqual([]);
    });

    it.each(['utf-7', 'x', 'utf-32', '', 'shift_jis'])('refuses the charset %j by its name', async (charset) => {
      const { status, data, message } = await send(LINES, { 'content-type': `text/csv; charset=${charset}` });
      expect([status, data['error'], message]).toEqual([
        415,
        'content_type_unsupported',
        `The charset "${charset}" is not supported. Send UTF-8, UTF-16 or Windows-1252.`,
      ]);
    });

    it('refuses another charset than UTF-8 for JSON', async () => {
      const { status } = await send('[]', { 'content-type': 'application/json; charset=utf-16le' });
      expect(status).toBe(415);
    });

    it('names the compression of a damaged body', async () => {
      const packed = gzipSync(LINES);
      const damaged = [
        packed.subarray(0, packed.length - 9),
        Buffer.from('not gzip'),
        Buffer.from(packed).fill(7, 12, 20),
      ];
      for (const body of damaged) {
        const { status, data, message } = await send(body, { 'content-encoding': 'gzip' });
        expect([status, data['error'], message]).toEqual([400, 'body_malformed', expect.stringContaining('gzip')]);
      }
    });
  });

  describe('empty cells', () => {
    it.each([
      ['at the start', ',,\n,,\ncode,body,views\na,x,1\n', 2],
      ['in the middle', 'code,body,views\na,x,1\n,,\n\n,,\nb,y,2\n', 3],
      ['at the end', 'code,body\na,x\nb,y\n,\n,\n', 2],
      ['with other cell counts', 'code,body\n,,,\na,x\nb,y\n', 1],
    ])('skips and counts rows with empty cells only: %s', async (_name, file, blank) => {
      const { status, data } = await send(file);
      expect([status, data['blank']]).toEqual([200, blank]);
      const jobs = new ImportJobs(world.app, root);
      await world.app.sql('TRUNCATE things CASCADE');
      expect(await jobs.sent(file)).toMatchObject({ state: 'checked', faults: 0, blank });
    });

    it('keeps rows that have an empty text in quotation marks', async () => {
      const { data } = await send('code,body\n"",""\n');
      expect(data).toMatchObject({ rows: 1, blank: 0 });
    });

    it.each(['code,body,\na,x,\nb,y,\n', 'code,body,,\na,x,,\nb,y\n', 'code,body, \na,x\nb,y,\n'])(
      'ignores unnamed columns at the end without values: %j',
      async (file) => {
        expect(await send(file)).toMatchObject({ status: 200, data: { rows: 2 } });
      },
    );

    it.each<[string, unknown[]]>([
      ['code,body,\na,x,\nb,y,z\n', [3, 'column 3', 'required']],
      ['code,,body\na,,x\n', [1, 'column 2', 'required']],
      ['code,body,\na,x,,\n', [2, 'thing', 'columns_mismatch']],
      ['code,body,\na\n', [2, 'thing', 'columns_mismatch']],
    ])('refuses values without a column name: %j', async (file, fault) => {
      const { status, data } = await send(file);
      expect([status, faultsOf(data)]).toEqual([400, [fault]]);
      expect(await stored()).toEqual([]);
    });
  });

  it.each([
    'code,body\r\na,x\nb,y\rc,z\r\n',
    'code,body\na,x\r\nb,y\nc,z',
    'code,body\ra,x\nb,y\r\nc,z\r',
    '\ufeffcode,body\na,x\r\n"b",y\r"c","z"\n',
  ])('reads mixed line ends: %j', async (file) => {
    expect(await send(file)).toMatchObject({ status: 200, data: { rows: 3 } });
    expect(await stored()).toEqual([
      { code: 'a', body: 'x' },
      { code: 'b', body: 'y' },
      { code: 'c', body: 'z' },
    ]);
  });

  it('keeps line breaks in quotation marks', async () => {
    await send('code,body\r\n"a","x\r\ny\nz\r"\nb,""\r\n');
    expect(await stored()).toEqual([
      { code: 'a', body: 'x\r\ny\nz\r' },
      { code: 'b', body: '' },
    ]);
  });
});

/** Returns whether bytes end with a complete character. */
function isWhole(bytes: Uint8Array, type: string): boolean {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const declared = /utf-16[bl]e/.exec(type)?.[0] ?? 'utf-8';
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[mark] ?? declared;
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

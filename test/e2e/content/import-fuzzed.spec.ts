import { randomInt } from 'node:crypto';
import { makeMagazine } from '../../support/content-fixture.js';
import { makeThings, sendFile } from '../../support/import-samples.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** For more rounds: `IMPORT_FUZZ=5000 npm test -- test/e2e/content/import-fuzzed.spec.ts`. */
const ROUNDS = Number(process.env['IMPORT_FUZZ'] ?? 150);

const FILES = {
  csv: 'code,meta,raw,big,huge,score,live,at,kind,views,of.id,tags,title\r\na,"{""x"":[1,2]}",AAE=,1,2,1.5,true,2026-01-01,a,1,,[],\r\n"b",,,,,,,,,,,,\r\n',
  ndjson:
    '{"code":"a","meta":{"x":[1,2]},"raw":"AAE=","big":"1","score":1.5,"live":true,"kind":"a","of":null,"tags":[]}\n{"code":"b","of":{"id":"x"}}\n',
  json: '[{"code":"a","meta":[{"x":1}],"at":"2026-01-01","tags":[{"id":"1"}]},{"code":"b","views":3,"of_id":null}]',
};
const PIECES = [
  '"',
  '\\',
  ',',
  '\n',
  '\r',
  '[',
  ']',
  '{',
  '}',
  ':',
  '\0',
  '\ufeff',
  '\ud800',
  '1e999',
  'null',
  "'",
  '=',
  '__proto__',
];
const QUERIES = [
  '',
  'mode=upsert&key=code',
  'mode=update',
  'generated=keep',
  'mode=upsert&generated=keep',
  'delimiter=tab',
  'formulas=keep',
];

const pick = <T>(list: readonly T[]): T => list[randomInt(list.length)]!;

function mutated(text: string): Buffer {
  let bytes = Buffer.from(text);
  for (let times = randomInt(1, 6); times > 0; times -= 1) {
    const [from, to] = [randomInt(bytes.length + 1), randomInt(bytes.length + 1)].sort((one, other) => one - other) as [
      number,
      number,
    ];
    const cut = Math.min(to, from + randomInt(12));
    const put = randomInt(3) === 0 ? Buffer.from([randomInt(256)]) : Buffer.from(pick(PIECES));
    bytes = Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(cut)]);
  }
  return bytes;
}

describe('an import of broken files', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    await makeThings(root);
  });

  it('reports the error of each and writes nothing', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const format = pick(['csv', 'ndjson', 'json'] as const);
      const [file, query] = [mutated(FILES[format]), pick(QUERIES)];
      const { status, data } = await sendFile(world.app, root, file, { query: `format=${format}&${query}` });
      const what = { format, query, file: file.toString('base64'), status, error: data.error };
      if (status === 200) await world.app.sql('DELETE FROM things');
      else expect(what).toMatchObject({ status: 400, error: 'import_invalid' });
      expect({ ...what, left: await world.app.sql('SELECT 1 FROM things') }).toMatchObject({ left: [] });
    }
  });
});

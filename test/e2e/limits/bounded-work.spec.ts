import { monitorEventLoopDelay } from 'node:perf_hooks';
import { appendFileSync } from 'node:fs';
import { makeMagazine } from '../../support/content-world.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const JSON_TYPE = 'application/json';
const repeat = (bytes: number, item: (at: number) => string, separator = ','): string => {
  const parts: string[] = [];
  for (let at = 0, length = 0; length < bytes; at += 1) {
    const part = item(at);
    parts.push(part);
    length += part.length + separator.length;
  }
  return parts.join(separator);
};
const strapi = (bytes: number, attributes: (at: number) => object): string =>
  JSON.stringify({
    source: 'strapi',
    files: JSON.parse(
      `[${repeat(bytes, (at) =>
        JSON.stringify({ name: `components/a/c${at}.json`, text: JSON.stringify({ attributes: attributes(at) }) }),
      )}]`,
    ) as object[],
  });
const pocketbase = (bytes: number, item: (at: number) => object): string =>
  JSON.stringify({ source: 'pocketbase', files: [{ name: 'a.json', text: `[${repeat(bytes, (at) => JSON.stringify(item(at)))}]` }] });
const convert = (source: string, text: string): string => JSON.stringify({ source, files: [{ name: 'a.json', text }] });

interface Input { path: string; method?: string; type?: string; body: (bytes: number) => string }
const INPUTS: Record<string, Input> = {
  'csv names': { path: '/api/content/post/import?format=csv&dry_run=true', type: 'text/csv', body: (n) => `${repeat(n, (at) => `k${at}`)}\n1` },
  'csv cells': { path: '/api/content/post/import?format=csv&dry_run=true', type: 'text/csv', body: (n) => `title\n${','.repeat(n)}\n` },
  'csv 999 names': { path: '/api/content/post/import?format=csv&dry_run=true', type: 'text/csv', body: (n) => `${repeat(5000, (at) => `k${at}`)}\n${repeat(n, () => '1', '\n')}` },
  'csv rows': { path: '/api/content/post/import?format=csv&dry_run=true', type: 'text/csv', body: (n) => `title\n${repeat(n, () => '1', '\n')}` },
  'csv blank rows': { path: '/api/content/post/import?format=csv&dry_run=true', type: 'text/csv', body: (n) => `title,views\n${repeat(n, () => ',', '\n')}` },
  'csv quotes': { path: '/api/content/post/import?format=csv&dry_run=true', type: 'text/csv', body: (n) => `title,views\n${repeat(n, () => '"",""', '\n')}` },
  'ndjson rows': { path: '/api/content/post/import?format=ndjson&dry_run=true', type: 'application/x-ndjson', body: (n) => repeat(n, () => '{}', '\n') },
  'ndjson members': { path: '/api/content/post/import?format=ndjson&dry_run=true', type: 'application/x-ndjson', body: (n) => `{${repeat(n - 100, (at) => `"k${at}":1`)}}` },
  'json list': { path: '/api/content/post/import?format=json&dry_run=true', type: JSON_TYPE, body: (n) => `[${repeat(n, () => '{}')}]` },
  'imports names': { path: '/api/imports?schema=post', type: 'text/csv', body: (n) => `${repeat(n, (at) => `k${at}`)}\n1` },
  'create members': { path: '/api/content/post', body: (n) => `{${repeat(n, (at) => `"k${at}":1`)}}` },
  'create list': { path: '/api/content/post', body: (n) => `[${repeat(n, () => '{}')}]` },
  'create tags': { path: '/api/content/post', body: (n) => `{"title":"a","tags":[${repeat(n, () => '{}')}]}` },
  'create tag ids': { path: '/api/content/post', body: (n) => `{"title":"a","tags":[${repeat(n, () => '"6f1c2a52-7a39-4c8e-9d0a-1c8f5d9a7b11"')}]}` },
  'create json': { path: '/api/content/post', body: (n) => `{"title":"a","views":"x","meta":{${repeat(n, (at) => `"k${at}":1`)}}}` },
  'create json numbers': { path: '/api/content/post', body: (n) => `{"title":"a","views":"x","meta":[${repeat(n, () => `1`)}]}` },
  'create json texts': { path: '/api/content/post', body: (n) => `{"title":"a","views":"x","meta":[${repeat(n, () => `"a"`)}]}` },
  'create json objects': { path: '/api/content/post', body: (n) => `{"title":"a","views":"x","meta":[${repeat(n, () => `{}`)}]}` },
  'batch': { path: '/api/batch', body: (n) => `{"operations":[${repeat(n, () => '{}')}]}` },
  'batch nested': { path: '/api/batch', body: (n) => `{"operations":[{"op":"create","schema":"post","data":{"title":"a","meta":[${repeat(n, () => '{}')}],"views":"x"}}]}` },
  'bulk filter': { path: '/api/bulk-changes', body: (n) => `{"schema":"post","action":"delete","filter":{"$or":[${repeat(n, () => '{"title":"a"}')}]}}` },
  'bulk filter in': { path: '/api/bulk-changes', body: (n) => `{"schema":"post","action":"delete","filter":{"title":{"$in":[${repeat(n, () => '"a"')}]}}}` },
  'bulk members': { path: '/api/bulk-changes', body: (n) => `{${repeat(n, (at) => `"k${at}":1`)}}` },
  'access check': { path: '/api/access/check', body: (n) => `{"permissions":[${repeat(n, () => '{"resource":"content.post.list","value":"allow"}')}]}` },
  'access rules': { path: '/api/access/check', body: (n) => `{"permissions":[${repeat(n, (at) => `{"resource":"content.post.list","value":"record.title == '${at}'"}`)}]}` },
  'access rule': { path: '/api/access/check', body: (n) => JSON.stringify({ permissions: [{ resource: 'content.post.list', value: repeat(n, () => 'true', '&&') }] }) },
  'access brackets': { path: '/api/access/check', body: (n) => JSON.stringify({ permissions: [{ resource: 'content.post.list', value: '('.repeat(n) }] }) },
  'role permissions': { path: '/api/content/role', body: (n) => `{"name":"r","permissions":[${repeat(n, () => '{"resource":"content.post.list","value":"allow"}')}]}` },
  'role rule': { path: '/api/content/role', body: (n) => JSON.stringify({ name: 'r', permissions: [{ resource: 'content.post.list', value: repeat(n, () => 'true', '&&') }] }) },
  'schemas': { path: '/api/schema/validate', body: (n) => `{"schemas":[${repeat(n, (at) => `{"name":"s${at}","namespace":"n${at}","label_field":"a","fields":[{"name":"a","type":"string"}]}`)}]}` },
  'schemas plan': { path: '/api/schema/plan', body: (n) => `{"schemas":[${repeat(n, (at) => `{"name":"s${at}","namespace":"n${at}","label_field":"a","fields":[{"name":"a","type":"string"}]}`)}]}` },
  'schemas same': { path: '/api/schema/validate', body: (n) => `{"schemas":[${repeat(n, () => `{"name":"s","namespace":"n","label_field":"a","fields":[{"name":"a","type":"string"}]}`)}]}` },
  'schema fields': { path: '/api/schema/validate', body: (n) => `{"name":"s","namespace":"n","label_field":"a","fields":[${repeat(n, (at) => `{"name":"a${at}","type":"string"}`)}]}` },
  'schema same fields': { path: '/api/schema/validate', body: (n) => `{"name":"s","namespace":"n","label_field":"a","fields":[${repeat(n, () => `{"name":"a","type":"string"}`)}]}` },
  'schema enums': { path: '/api/schema/validate', body: (n) => `{"name":"s","namespace":"n","label_field":"a","fields":[{"name":"a","type":"enum","enums":[${repeat(n, (at) => `{"value":"${at}"}`)}]}]}` },
  'schema indexes': { path: '/api/schema/validate', body: (n) => `{"name":"s","namespace":"n","label_field":"a","fields":[{"name":"a","type":"string"}],"db":{"indexes":[${repeat(n, (at) => `{"name":"i${at}","columns":["a"]}`)}]}}` },
  'schema relations': { path: '/api/schema/validate?back_refs=create', body: (n) => `{"name":"s","namespace":"n","label_field":"a","fields":[{"name":"a","type":"string"},${repeat(n, (at) => `{"name":"r${at}","type":"relation","optional":true,"relation":{"schema":"tag","field":"b${at}","type":"m2o"}}`)}]}` },
  'schema getters': { path: '/api/schema/validate', body: (n) => `{"name":"s","namespace":"n","label_field":"a","fields":[{"name":"a","type":"string"},${repeat(n, (at) => `{"name":"g${at}","type":"string","getter":"record.a + '${at}'"}`)}]}` },
  'schema unknown members': { path: '/api/schema/validate', body: (n) => `{${repeat(n, (at) => `"k${at}":1`)}}` },
  'schema empty fields': { path: '/api/schema/validate', body: (n) => `{"name":"s","namespace":"n","label_field":"a","fields":[${repeat(n, () => `{}`)}]}` },
  'schema empty list': { path: '/api/schema/validate', body: (n) => `{"schemas":[${repeat(n, () => `{}`)}]}` },
  'strapi components': { path: '/api/schema/convert', body: (n) => strapi(n, (at) => ({ a: { type: 'component', component: `a.c${at + 1}` } })) },
  'strapi one component': { path: '/api/schema/convert', body: (n) => strapi(n, () => ({ a: { type: 'component', component: `a.c0` }, b: { type: 'component', component: `a.c0`, repeatable: true } })) },
  'strapi attributes': { path: '/api/schema/convert', body: (n) => convert('strapi', '').replace('"a.json"', '"components/a/c.json"').replace('"text":""', `"text":${JSON.stringify(`{"attributes":{${repeat(n, (at) => `"a${at}":{"type":"string"}`)}}}`)}`) },
  'strapi relations': { path: '/api/schema/convert', body: (n) => strapi(n, () => ({ a: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' } })) },
  'strapi zones': { path: '/api/schema/convert', body: (n) => strapi(n, () => ({ z: { type: 'dynamiczone', components: Array.from({ length: 20 }, (_, k) => `a.c${k}`) } })) },
  'pocketbase collections': { path: '/api/schema/convert', body: (n) => pocketbase(n, (at) => ({ id: `i${at}`, name: `c${at}`, type: 'base', listRule: 'a = 1', fields: [{ name: 'a', type: 'text' }] })) },
  'pocketbase rules': { path: '/api/schema/convert', body: (n) => pocketbase(n, (at) => ({ id: `i${at}`, name: `c${at}`, type: 'base', listRule: 'b.a = 1', fields: [{ name: 'a', type: 'text' }, { name: 'b', type: 'relation', collectionId: `i${at + 1}`, maxSelect: 1 }] })) },
  'pocketbase relations': { path: '/api/schema/convert', body: (n) => pocketbase(n, (at) => ({ id: `i${at}`, name: `c${at}`, type: 'base', fields: [{ name: 'b', type: 'relation', collectionId: `i0`, maxSelect: 1 }] })) },
  'pocketbase similar names': { path: '/api/schema/convert', body: (n) => pocketbase(n, (at) => ({ id: `i${at}`, name: `c${String.fromCodePoint(0x4e00 + at)}`, type: 'base', fields: [] })) },
  'pocketbase rule': { path: '/api/schema/convert', body: (n) => pocketbase(10, () => ({ id: `i`, name: `c`, type: 'base', listRule: repeat(n, () => 'a=1', '&&'), fields: [{ name: 'a', type: 'text' }] })) },
  'pocketbase rule brackets': { path: '/api/schema/convert', body: (n) => pocketbase(10, () => ({ id: `i`, name: `c`, type: 'base', listRule: '('.repeat(n), fields: [{ name: 'a', type: 'text' }] })) },
  'pocketbase indexes': { path: '/api/schema/convert', body: (n) => pocketbase(10, () => ({ id: `i`, name: `c`, type: 'base', indexes: JSON.parse(`[${repeat(n, (at) => `"CREATE INDEX i${at} ON c (a)"`)}]`) as string[], fields: [{ name: 'a', type: 'text' }] })) },
  'pocketbase values': { path: '/api/schema/convert', body: (n) => pocketbase(10, () => ({ id: `i`, name: `c`, type: 'base', fields: [{ name: 'a', type: 'select', values: JSON.parse(`[${repeat(n, (at) => `"${at}"`)}]`) as string[] }] })) },
  'directus fields': { path: '/api/schema/convert', body: (n) => convert('directus', `{"collections":[{"collection":"c"}],"fields":[${repeat(n, (at) => `{"collection":"c","field":"f${at}","type":"string"}`)}],"relations":[]}`) },
  'directus collections': { path: '/api/schema/convert', body: (n) => convert('directus', `{"collections":[${repeat(n / 2, (at) => `{"collection":"c${at}"}`)}],"fields":[${repeat(n / 2, (at) => `{"collection":"c${at}","field":"f","type":"string"}`)}],"relations":[]}`) },
  'directus relations': { path: '/api/schema/convert', body: (n) => convert('directus', `{"collections":[{"collection":"c"},{"collection":"d"}],"fields":[${repeat(n / 2, (at) => `{"collection":"c","field":"f${at}","type":"uuid"}`)}],"relations":[${repeat(n / 2, (at) => `{"collection":"c","field":"f${at}","related_collection":"d"}`)}]}`) },
  'directus junctions': { path: '/api/schema/convert', body: (n) => convert('directus', `{"collections":[{"collection":"c"},{"collection":"d"}],"fields":[],"relations":[${repeat(n, (at) => `{"collection":"c","field":"f${at}","related_collection":"d","meta":{"junction_field":"f${at + 1}"}}`)}]}`) },
  'fastschema files': { path: '/api/schema/convert', body: (n) => `{"source":"fastschema","files":[${repeat(n, (at) => `{"name":"schemas/${at}.json","text":"{\\"name\\":\\"a${at}\\",\\"namespace\\":\\"b${at}\\",\\"fields\\":[{\\"name\\":\\"a\\",\\"type\\":\\"string\\"}]}"}`)}]}` },
  'fastschema fields': { path: '/api/schema/convert', body: (n) => convert('fastschema', `{"name":"a","namespace":"b","label_field":"f0","fields":[${repeat(n, (at) => `{"name":"f${at}","type":"string"}`)}]}`) },
  'convert empty files': { path: '/api/schema/convert', body: (n) => `{"source":"strapi","files":[${repeat(n, () => `{"name":"a","text":""}`)}]}` },
  'key scopes': { path: '/api/auth/keys', body: (n) => `{"name":"k","scopes":[${repeat(n, () => '{"resource":"content.post.list"}')}]}` },
  'key scope members': { path: '/api/auth/keys', body: (n) => `{"name":"k","scopes":[{${repeat(n, (at) => `"k${at}":1`)}}]}` },
  'key addresses': { path: '/api/auth/keys', body: (n) => `{"name":"k","addresses":[${repeat(n, () => '"10.0.0.0/8"')}]}` },
  'service roles': { path: '/api/service-accounts', body: (n) => `{"name":"k","roles":[${repeat(n, (at) => `"r${at}"`)}]}` },
  'direct checksums': { path: '/api/files/direct', body: (n) => `{"name":"k","size":5,"part_size":5242880,"checksums":[${repeat(n, () => `"${'a'.repeat(64)}"`)}]}` },
  'direct parts': { path: '/api/files/direct/6f1c2a52-7a39-4c8e-9d0a-1c8f5d9a7b11/complete', body: (n) => `{"parts":[${repeat(n, () => `{"number":1,"etag":"a"}`)}]}` },
  'profile members': { path: '/api/auth/me', method: 'patch', body: (n) => `{${repeat(n, (at) => `"k${at}":1`)}}` },
  'login long': { path: '/api/auth/local/login', body: (n) => JSON.stringify({ login: 'a'.repeat(n), password: 'a' }) },
  'login password': { path: '/api/auth/local/login', body: (n) => JSON.stringify({ login: 'a', password: 'a'.repeat(n) }) },
  'register unicode': { path: '/api/auth/local/register', body: (n) => JSON.stringify({ email: `${'a'.repeat(n)}@example.com`, password: 'aaaaaaaaaaaa', password_confirmation: 'a' }) },
  'register dots': { path: '/api/auth/local/register', body: (n) => JSON.stringify({ email: `a@${repeat(n, () => 'a', '.')}`, password: 'aaaaaaaaaaaa', password_confirmation: 'a' }) },
  'passkey credential': { path: '/api/auth/passkeys/login', body: (n) => `{"credential":{${repeat(n, (at) => `"k${at}":1`)}}}` },
  'form': { path: '/api/auth/cli/login/local', type: 'application/x-www-form-urlencoded', body: (n) => repeat(n, (at) => `k${at}=1`, '&') },
  'callback form': { path: '/api/auth/google/callback', type: 'application/x-www-form-urlencoded', body: (n) => repeat(n, () => `a`, '&') },
  'multipart boundaries': { path: '/api/files', type: 'multipart/form-data; boundary=x', body: (n) => repeat(n, () => '--x', '\r\n') },
  'multipart fields': { path: '/api/files', type: 'multipart/form-data; boundary=x', body: (n) => `--x\r\n${repeat(n, () => 'content-disposition: form-data; name="a"\r\n\r\n', '\r\n--x\r\n')}\r\n--x--` },
  'multipart headers': { path: '/api/files', type: 'multipart/form-data; boundary=x', body: (n) => `--x\r\n${repeat(n, () => 'a: b', '\r\n')}\r\n\r\nx\r\n--x--` },
  'multipart dashes': { path: '/api/files', type: 'multipart/form-data; boundary=x', body: (n) => `--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${repeat(n, () => '\r\n-', '')}\r\n--x--` },
};

describe('bounded work', () => {
  const world = useTestApp({ env: { AUTH_CLI_LOGIN_ENABLED: 'true' } });
  let root: TestClient;
  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  it.each(Object.keys(INPUTS))('%s', async (name) => {
    const { path, method = 'post', type = JSON_TYPE, body } = INPUTS[name]!;
    const results: unknown[] = [];
    for (const bytes of [480_000, 960_000]) {
      const delay = monitorEventLoopDelay({ resolution: 5 });
      const text = body(bytes);
      const sent = Buffer.from(text);
      delay.enable();
      const cpu = process.cpuUsage();
      const answer = await fetch(`${world.app.url}${path}`, {
        method: method.toUpperCase(),
        headers: { authorization: `Bearer ${root.token}`, 'content-type': type },
        body: sent,
      }).catch((error: unknown) => ({ status: String(error), text: async () => Promise.resolve('') }));
      const answered = await answer.text();
      await new Promise((resolve) => setTimeout(resolve, 30));
      const used = process.cpuUsage(cpu);
      delay.disable();
      results.push([sent.length, answer.status, Math.round(delay.max / 1e6), Math.round(used.user / 1000), answered.length]);
    }
    appendFileSync('/tmp/imp/work.log', `${name}\t${JSON.stringify(results)}\n`);
  }, 240_000);
});

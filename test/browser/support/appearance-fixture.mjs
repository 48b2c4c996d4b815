import assert from 'node:assert/strict';
import { PASSWORD } from './world.mjs';

/** Data for the pages of the look scenarios. */

export const ROOT = { email: 'root@example.com', password: PASSWORD };
const CODES = JSON.stringify({ providers: { local: { verification_method: 'otp', activation_method: 'email' } } });

export async function recoveryLink({ main, mailbox, looks: { email } }) {
  const count = mailbox.countTo(email);
  await main.post('/api/auth/local/recover', { email });
  return (await mailbox.mailTo(email, count + 1)).links[0];
}

async function asRoot({ main }, path, body) {
  const { token } = await main.post('/api/auth/local/login', { login: ROOT.email, password: ROOT.password });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const answer = await fetch(main.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, data: (await answer.json()).data };
}

/** Creates a record that is deleted with the account; once per run. */
export async function makeLetters(world) {
  const sender = { type: 'relation', name: 'sender', optional: true };
  const relation = { schema: 'user', field: 'letters', type: 'o2m', on_erase: 'delete' };
  const title = { type: 'string', name: 'title' };
  const letter = {
    name: 'letter',
    namespace: 'letters',
    label_field: 'title',
    fields: [title, { ...sender, relation }],
  };
  const made = await asRoot(world, '/api/schema?back_refs=create', letter);
  if (made.status !== 201) return;
  const { data } = await asRoot(world, '/api/content/letters', { title: 'To Bob' });
  const { main, looks } = world;
  const { token } = await main.post('/api/auth/local/login', { login: looks.email, password: looks.password });
  const me = await fetch(`${main.url}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } });
  const { id } = await me.json();
  await asRoot(world, '/api/batch', {
    operations: [{ op: 'update', schema: 'letter', id: data.id, data: { sender: { id } } }],
  });
}

/** Recreates the API keys of the account. */
export async function makeKeys({ main, looks, secrets }) {
  const { token } = await main.post('/api/auth/local/login', { login: looks.email, password: looks.password });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const url = `${main.url}/api/auth/keys`;
  for (const { id } of (await (await fetch(url, { headers })).json()).data)
    await fetch(`${url}/${id}`, { method: 'DELETE', headers });
  const scopes = ['content.user.list', 'content.user.update', 'audit.*'].map((resource) => ({ resource }));
  for (const body of [
    { name: 'warehouse', expires_in_days: 3_650 },
    { name: 'nightly report', scopes, addresses: ['10.0.0.0/8', '2001:db8::/32'] },
  ]) {
    const proven = JSON.stringify({ ...body, current_password: looks.password });
    const made = await fetch(url, { method: 'POST', headers, body: proven });
    secrets.add((await made.json()).data.key);
  }
}

export async function makeProgram(world) {
  if (world.program !== undefined) return world.program;
  world.program = 'archive';
  const { data } = await asRoot(world, '/api/service-accounts', { name: world.program, roles: ['user'] });
  const key = { name: 'server', expires_in_days: null, current_password: ROOT.password };
  const made = await asRoot(world, `/api/service-accounts/${data.id}/keys`, key);
  world.secrets.add(made.data.key);
  return world.program;
}

export async function invitationLink(world) {
  world.guests = (world.guests ?? 0) + 1;
  const email = `guest${world.guests}@example.com`;
  assert.equal((await asRoot(world, '/api/content/users', { email, invite: true })).status, 201);
  return (await world.mailbox.mailTo(email)).links[0];
}

/** Creates an account, an administrator, and a second service that is not set up and mails codes; once per run. */
export async function prepare(world) {
  world.viewer ??= await world.person(world.main);
  world.unused ??= await world.start({ AUTH: CODES });
  await setUpOnce(world);
}

export async function setUpOnce({ main }) {
  const { data } = await (await fetch(`${main.url}/api/setup`)).json();
  if (data.completed) return;
  const [, token] = main.setupAddress.split('#token=');
  const fields = { email: 'root@example.com', password: PASSWORD, password_confirmation: PASSWORD };
  await main.post('/api/setup', { token, ...fields });
}

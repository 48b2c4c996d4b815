import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A program of its own: the plugin is an ES module, which this Jest does not import. At its end it tells what still keeps it. */
const PROGRAM = `
  import { UsersService } from 'lintel';
  import { testApp } from 'lintel/testing';
  const kept = () => process.getActiveResourcesInfo().filter((name) => !/^(TTY|Pipe|FSReq)/.test(name));
  const app = await testApp({}, { env: { DATA_DIR: process.argv[1] } });
  const password = 'sturdy walnut 47';
  const signUp = async (email) => {
    const json = { email, password, password_confirmation: password };
    const answer = await app.fetch('/api/auth/local/register', { json });
    const user = await app.get(UsersService).findByEmail(email);
    return { status: answer.status, body: await answer.json(), username: user?.username };
  };
  const answers = [await signUp('more@samples.example'), await signUp('ann@example.com')];
  await app.close();
  for (let tries = 0; kept().length > 0 && tries < 40; tries += 1) await new Promise((next) => setTimeout(next, 50));
  console.log(JSON.stringify([...answers, kept()]));`;

it('is asked at each sign-up, may refuse it or complete it, and nothing of the application is left after its close', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'acme-plugin-'));
  try {
    cpSync('plugins', join(dataDir, 'plugins'), { recursive: true });
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM, dataDir]);
    const [refused, made, left] = JSON.parse(stdout.trim().split('\n').at(-1)!) as object[];
    expect(refused).toMatchObject({
      status: 400,
      body: { message: 'No more samples, please order some tea.', data: { error: 'registration_rejected' } },
    });
    expect(made).toMatchObject({ status: 201, username: 'taster-ann' });
    expect(left).toEqual([]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

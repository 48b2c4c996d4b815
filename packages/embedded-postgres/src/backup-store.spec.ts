import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createDraft, sweepDrafts } from './backup-store.js';

const parent = mkdtempSync(join(tmpdir(), 'drafts-'));

afterAll(() => rmSync(parent, { recursive: true }));

describe('a draft', () => {
  it('stays as long as its process runs, and is published as a whole', () => {
    const draft = createDraft(parent, parent);
    expect(readdirSync(draft.path)).toEqual([]);
    sweepDrafts(parent);
    expect(readdirSync(parent)).toEqual([basename(draft.path)]);
    mkdirSync(join(draft.path, 'in it'));
    expect(readdirSync(draft.publish('done'))).toEqual(['in it']);
    expect(readdirSync(parent)).toEqual(['done']);
  });

  it('is deleted when its process has ended, or another process has its pid', async () => {
    const child = spawn(process.execPath, ['-e', '0']);
    await new Promise((resolve) => child.once('close', resolve));
    const draft = createDraft(parent, parent);
    const gone = basename(draft.path).replace(`-${process.pid}-`, `-${child.pid}-`);
    renameSync(draft.path, join(parent, gone));
    const another = basename(createDraft(parent, parent).path).replace(/-[0-9a-f]{16}-/, `-${'0'.repeat(16)}-`);
    mkdirSync(join(parent, another));
    mkdirSync(join(parent, '.draft-of an earlier version'));
    sweepDrafts(parent);
    const own = new RegExp(`^\\.draft-${process.pid}-(?!0{16})`);
    expect(readdirSync(parent).filter((name) => !own.test(name))).toEqual(['done']);
  });
});

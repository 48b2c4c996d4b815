import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether ClamAV is installed (Debian package `clamav-daemon`). Its tests are skipped otherwise. */
export const HAS_CLAMD = spawnSync('clamd', ['--version']).status === 0;

/** The EICAR test file: harmless, but every scanner reports it as a virus. */
export const EICAR = Buffer.from('X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*');

export class Clamd {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly socket: string,
  ) {}

  /** @param mostBytes the largest file that the daemon accepts. */
  static async start(mostBytes: number): Promise<Clamd> {
    const folder = mkdtempSync(join(tmpdir(), 'lintel-clamd-'));
    const socket = join(folder, 'clamd.ctl');
    mkdirSync(join(folder, 'db'));
    writeFileSync(join(folder, 'db', 'test.ndb'), `Eicar-Test:0:*:${EICAR.toString('hex')}\n`);
    const settings = {
      DatabaseDirectory: join(folder, 'db'),
      LocalSocket: socket,
      Foreground: 'yes',
      StreamMaxLength: mostBytes,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
    writeFileSync(join(folder, 'clamd.conf'), lines.join(''));
    const child = spawn('clamd', ['-c', join(folder, 'clamd.conf')], { stdio: 'ignore' });
    while (!existsSync(socket)) {
      if (child.exitCode !== null) throw new Error(`clamd ended with ${child.exitCode}.`);
      await delay(50);
    }
    return new Clamd(child, folder, socket);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      this.child.kill();
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

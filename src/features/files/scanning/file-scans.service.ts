import { finished } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { defineCounter } from '../../../kernel/metrics.js';
import { SERVICE } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { Scheduled, RunsJob } from '../../../platform/jobs/job.decorators.js';
import { DEFAULT_RETRY, defineJob, type Job, JobFault } from '../../../platform/jobs/jobs.public.js';
import { Jobs } from '../../../platform/jobs/jobs.service.js';
import { FileScanner, type ScannedFile } from './file-scanner.port.js';
import { FileStorage } from '../storage/file-storage.port.js';

const SCANS = defineCounter({
  name: 'lintel_file_scans_total',
  help: 'Scanned files, by result.',
  labels: { outcome: ['clean', 'found', 'failed'] },
});

const YEAR_MS = 365 * 86_400_000;
/** @internal */
const MAX_DURATION_MS = 30 * 60_000;
/** Of a finding. @internal */
const MAX_CHARACTERS = 200;

/** Retried for as long as the scanner is unavailable, because only a scan releases the file. */
export const SCAN_FILE = defineJob<{ readonly object: string }>('files.scan', {
  concurrency: 2,
  retry: { ...DEFAULT_RETRY, giveUpAfterMs: YEAR_MS },
});

const FIND = `SELECT f.id, f.name, o.type, o.size::int8 AS size, o.sha256 FROM file_objects o JOIN files f ON f.id = o.file_id
  WHERE o.id = $1 AND o.state = 'live' AND o.held`;
const FIND_UNSCANNED = `SELECT id FROM file_objects o WHERE o.held AND o.state = 'live' AND NOT EXISTS (SELECT 1 FROM background_jobs j
  WHERE j.kind = '${SCAN_FILE.name}' AND j.unique_key = o.id::text AND j.state = 'due') LIMIT 1000`;
const RELEASE = 'UPDATE file_objects SET held = FALSE WHERE id = $1';
const LOCK = 'SELECT id FROM files WHERE id = $1 FOR UPDATE';
const DELETE_OBJECT = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE id = $1 AND state = 'live' RETURNING id`;
const MARK_DELETED = 'UPDATE files SET deleted_at = coalesce(deleted_at, $2) WHERE id = $1';

@Injectable()
export class FileScans {
  private readonly logger = new Logger('Files');

  constructor(
    private readonly dataSource: DataSource,
    private readonly scanner: FileScanner,
    private readonly storage: FileStorage,
    private readonly jobs: Jobs,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  @RunsJob(SCAN_FILE)
  async scan(job: Job<{ readonly object: string }>): Promise<void> {
    const { object } = job.payload;
    const [found] = await this.dataSource.query<(Omit<ScannedFile, 'size'> & { size: string })[]>(FIND, [object]);
    if (found === undefined) return;
    const file = { ...found, size: Number(found.size) };
    const finding = await this.scanObject(job.signal, object, file);
    await job.complete(async (manager) => {
      if (finding === null) await manager.query(RELEASE, [object]);
      else await this.remove(manager, object, file, finding);
    });
    SCANS.inc({ outcome: finding === null ? 'clean' : 'found' });
  }

  /** Enqueues scans of held files without a job. Jobs are not part of a moved or restored database. */
  @Scheduled({ name: 'files.scans-owed', everyMs: 60_000 })
  async owe(): Promise<void> {
    for (const { id } of await this.dataSource.query<{ id: string }[]>(FIND_UNSCANNED))
      await this.jobs.enqueue(this.dataSource.manager, SCAN_FILE, { object: id }, { uniqueKey: id });
  }

  private async scanObject(stopping: AbortSignal, object: string, file: ScannedFile): Promise<string | null> {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(MAX_DURATION_MS)]);
    const bytes = await this.storage.read(object);
    // A stream error after the scan has ended is ignored.
    finished(bytes, () => undefined);
    try {
      const { finding } = await Promise.race([this.scanner.scan(bytes, file, signal), aborted(signal)]);
      return finding === null ? null : finding.slice(0, MAX_CHARACTERS);
    } catch (err) {
      SCANS.inc({ outcome: 'failed' });
      this.logger.warn({
        err,
        file: file.id,
        msg: 'A file could not be scanned. It stays unavailable until the scan succeeds.',
      });
      throw new JobFault('The file scanner failed.', { logged: true, cause: err });
    } finally {
      bytes.destroy();
    }
  }

  /** Dooms the bytes of an infected file and marks its row as deleted, because records may link it. */
  private async remove(
    manager: EntityManager,
    object: string,
    { id, sha256 }: ScannedFile,
    finding: string,
  ): Promise<void> {
    await manager.query(LOCK, [id]);
    const at = this.clock.now();
    const [deleted] = await manager.query<[unknown[]]>(DELETE_OBJECT, [object, at]);
    if (deleted.length === 0) return;
    await manager.query(MARK_DELETED, [id, at]);
    const facts = { finding, sha256 };
    await this.trail.write(manager, { action: 'file.refuse', actor: SERVICE, resource: `file:${id}`, facts });
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new Error('The file scanner did not respond in time.'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

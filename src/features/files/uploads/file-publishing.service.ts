import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RecordGate } from '../../../data/content/record-gate.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { Principal, RequestOrigin } from '../../../kernel/principal.types.js';
import { actorOf } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { Jobs } from '../../../platform/jobs/jobs.service.js';
import { FileObjects, type PendingObject } from '../file-objects.service.js';
import { FileScanner } from '../scanning/file-scanner.port.js';
import { SCAN_FILE } from '../scanning/file-scans.service.js';
import type { CheckedFile } from './checked-bytes.js';
import { type LinkTarget, UploadLinks } from './upload-links.service.js';

export interface Sender {
  readonly principal: Principal;
  readonly origin: RequestOrigin;
}

export interface ArrivedFile {
  readonly object: PendingObject;
  readonly file: CheckedFile;
}

/** The caller's transaction has locked the file. */
const DOOM_LIVE = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE file_id = $1 AND state = 'live' RETURNING unlinked_at`;
const DOOM_VARIANTS = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE file_id = $1 AND state = 'variant'`;
const PUBLISH = `UPDATE file_objects SET state = 'live', size = $2, sha256 = $3, type = $4, recognised = $5, due_at = NULL,
    held = $6, unlinked_at = $7 WHERE id = $1 AND state = 'pending' RETURNING id, disk`;
const ADD_FILE = `WITH live AS (${PUBLISH})
  INSERT INTO files (id, name, disk, path, type, size, sha256, uploaded_by, width, height, created_at, updated_at)
  SELECT $9, $10, disk, id::text, $4, $2, $3, $11, $12, $13, $8, $8 FROM live RETURNING id`;
const CHANGE_FILE = `UPDATE files SET disk = $2, path = $3, type = $4, size = $5, sha256 = $6, width = $8, height = $9,
    updated_at = $7 WHERE id = $1`;

/**
 * Publishes files, in one transaction with the permission check, the link and the audit event. The permission is checked on the new row,
 * because rules can use its type and size.
 */
@Injectable()
export class FilePublishing {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly gate: RecordGate,
    private readonly links: UploadLinks,
    private readonly objects: FileObjects,
    private readonly scanner: FileScanner,
    private readonly jobs: Jobs,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws AppError `permission_denied`, `quota_exceeded`; `upload_expired` if the object was doomed; and the errors of a change of the
   * record.
   */
  async create(
    manager: EntityManager,
    sender: Sender,
    { object, file }: ArrivedFile,
    name: string,
    target: LinkTarget | null,
  ): Promise<void> {
    await this.objects.assertQuota(manager, object, file.size);
    const now = this.clock.now();
    const live = await this.liveValues(manager, object, file);
    const values = [...live, now, now, object.fileId, name, object.owner, ...sidesOf(file)];
    if ((await manager.query<unknown[]>(ADD_FILE, values)).length === 0) throw new AppError('upload_expired');
    await this.assertAllowed(manager, sender.principal, 'create', object.fileId);
    await this.log(manager, 'file.upload', sender, object.fileId, file);
    if (target !== null) await this.links.link(manager, sender.principal, target, object.fileId);
  }

  /**
   * Replaces the bytes of a locked file. The old ones are kept for `FILES_GRACE_HOURS`.
   *
   * @throws the errors of {@link create} and of {@link UploadLinks.assertTaken}.
   */
  async replace(manager: EntityManager, sender: Sender, { object, file }: ArrivedFile): Promise<void> {
    const { fileId } = object;
    await this.links.assertTaken(manager, fileId, file);
    await this.objects.assertQuota(manager, object, file.size);
    await this.replaceObject(manager, object, file);
    await this.links.assertQuota(manager, fileId);
    await this.assertAllowed(manager, sender.principal, 'update', fileId);
    await this.log(manager, 'file.replace', sender, fileId, file);
  }

  private async replaceObject(manager: EntityManager, object: PendingObject, file: CheckedFile): Promise<void> {
    const { fileId } = object;
    const now = this.clock.now();
    const due = new Date(now.getTime() + this.config.files.graceMs);
    const [[before]] = await manager.query<[{ unlinked_at: Date | null }[]]>(DOOM_LIVE, [fileId, due]);
    await manager.query(DOOM_VARIANTS, [fileId, now]);
    const values = [...(await this.liveValues(manager, object, file)), before?.unlinked_at ?? null];
    const [[live]] = await manager.query<[{ id: string; disk: string }[]]>(PUBLISH, values);
    if (live === undefined) throw new AppError('upload_expired');
    const { type, size, sha256 } = file;
    await manager.query(CHANGE_FILE, [fileId, live.disk, live.id, type, size, sha256, now, ...sidesOf(file)]);
  }

  /** Returns the values of a live object. A file to scan is held from the start. */
  private async liveValues(
    manager: EntityManager,
    { id }: PendingObject,
    { size, sha256, type, recognised }: CheckedFile,
  ): Promise<readonly unknown[]> {
    const isQuarantined = this.scanner.isActive();
    if (isQuarantined) await this.jobs.enqueue(manager, SCAN_FILE, { object: id }, { uniqueKey: id });
    return [id, size, sha256, type, recognised, isQuarantined];
  }

  private async assertAllowed(
    manager: EntityManager,
    principal: Principal,
    action: 'create' | 'update',
    id: string,
  ): Promise<void> {
    if (!(await this.gate.isOpen(manager, principal, 'file', action, id))) throw new AppError('permission_denied');
  }

  private async log(
    manager: EntityManager,
    action: 'file.upload' | 'file.replace',
    { principal, origin }: Sender,
    id: string,
    { type, size, sha256 }: CheckedFile,
  ): Promise<void> {
    const facts = { type, size, sha256 };
    await this.trail.write(manager, { action, actor: actorOf(principal), resource: `file:${id}`, origin, facts });
  }
}

function sidesOf({ dimensions }: CheckedFile): readonly (number | null)[] {
  return [dimensions?.width ?? null, dimensions?.height ?? null];
}

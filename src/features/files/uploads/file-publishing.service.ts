import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RecordGate } from '../../../data/content/record-gate.service.js';
import { AppError } from '../../../kernel/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { Principal, RequestOrigin } from '../../../kernel/principal.types.js';
import { actorOf, defineAuditActions, factsOf } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import type { CheckedFile } from './checked-bytes.js';
import { FileObjects, type PendingObject } from '../file-objects.service.js';
import { type LinkTarget, UploadLinks } from './upload-links.service.js';

const ACTIONS = defineAuditActions('Files', {
  'file.upload': 'A file was sent: the changes say its type, its size and its SHA-256.',
  'file.replace': 'The bytes of a file were replaced by others: the changes say their type, size and SHA-256.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** Sender of a file, with the request. */
export interface Sender {
  readonly principal: Principal;
  readonly origin: RequestOrigin;
}

/** Bytes that have arrived, with their place. */
export interface ArrivedFile {
  readonly object: PendingObject;
  readonly file: CheckedFile;
  readonly name: string;
}

/** Makes files of bytes that have arrived: in one transaction with the judgement, the link and the line of the log. */
@Injectable()
export class FileMaking {
  constructor(
    private readonly gate: RecordGate,
    private readonly links: UploadLinks,
    private readonly objects: FileObjects,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a new file and, if there is a place for it, links it there.
   *
   * @throws AppError `permission_denied` for a file that no permission lets be made; what {@link FileObjects} and a change of the record throw.
   */
  async make(
    manager: EntityManager,
    sender: Sender,
    { object, file, name }: ArrivedFile,
    target: LinkTarget | null,
  ): Promise<void> {
    await this.objects.makeFile(manager, object, name, file);
    await this.assertAllowed(manager, sender.principal, 'create', object.fileId);
    await this.note(manager, 'file.upload', sender, object.fileId, file);
    if (target !== null) await this.links.link(manager, sender.principal, target, object.fileId);
  }

  /** Puts bytes in the place of those of a file that is locked. Throws as {@link make}, and what {@link UploadLinks.assertTaken} throws. */
  async replace(manager: EntityManager, sender: Sender, { object, file }: ArrivedFile): Promise<void> {
    await this.links.assertTaken(manager, object.fileId, file);
    await this.objects.replace(manager, object, file);
    await this.links.assertRoom(manager, object.fileId);
    await this.assertAllowed(manager, sender.principal, 'update', object.fileId);
    await this.note(manager, 'file.replace', sender, object.fileId, file);
  }

  private async assertAllowed(
    manager: EntityManager,
    principal: Principal,
    action: 'create' | 'update',
    id: string,
  ): Promise<void> {
    if (!(await this.gate.isOpen(manager, principal, 'file', action, id))) throw new AppError('permission_denied');
  }

  private async note(
    manager: EntityManager,
    action: 'file.upload' | 'file.replace',
    { principal, origin }: Sender,
    id: string,
    { type, size, sha256 }: CheckedFile,
  ): Promise<void> {
    const changes = factsOf({ type, size, sha256 });
    const event = { action, actor: actorOf(principal), resource: `file:${id}`, origin, changes };
    await this.trail.write(manager, { ...event, at: this.clock.now() });
  }
}

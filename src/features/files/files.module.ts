import { Module } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { ContentModule } from '../../data/content/content.module.js';
import { SchemaModule } from '../../data/schema/schema.module.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { providePort } from '../../platform/extension/ports.js';
import { provideSystemSchema } from '../../platform/extension/system-schema.provider.js';
import { DeclaresVariables } from '../../platform/config/config.public.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { ClamdFileScanner } from './scanning/clamd-file-scanner.js';
import { DirectUploadsController } from './uploads/direct/direct-uploads.controller.js';
import { DirectUploads } from './uploads/direct/direct-uploads.service.js';
import { FileCheck } from './file-check.service.js';
import { FileDelivery } from './delivery/file-delivery.service.js';
import { FilePublishing } from './uploads/file-publishing.service.js';
import { FileObjects } from './file-objects.service.js';
import { FileReading } from './delivery/file-reading.service.js';
import { FileScanner } from './scanning/file-scanner.port.js';
import { FileScans } from './scanning/file-scans.service.js';
import { FileStorage } from './storage/file-storage.port.js';
import { FileSweeper } from './file-sweeper.service.js';
import { FILE_SCHEMA } from './file.schema.js';
import { FilesController } from './files.controller.js';
import './files.actions.js';
import './files.errors.js';
import { Files1700000000420 } from './files.migration.js';
import { FILES_VARIABLES } from './files.variables.js';
import { LocalFileStorage } from './storage/local-file-storage.js';
import { ObjectBytes } from './storage/object-bytes.service.js';
import { S3FileStorage } from './storage/s3/s3-file-storage.js';
import { OWN_IMAGE_PROGRAM, IMAGE_PROGRAM, ImageProcess } from './images/image-process.service.js';
import { ImageVariants } from './images/image-variants.service.js';
import { Images } from './images/images.service.js';
import { ResumableUploadsController } from './uploads/resumable/resumable-uploads.controller.js';
import { ResumableUploads } from './uploads/resumable/resumable-uploads.service.js';
import { SignedAddresses } from './delivery/signed-addresses.service.js';
import { UploadLinks } from './uploads/upload-links.service.js';
import { UploadSessions } from './uploads/upload-sessions.service.js';
import { UploadStore } from './uploads/upload-store.service.js';

/** Files of records: upload, delivery, and removal once no record links them. */
@DeclaresVariables(FILES_VARIABLES)
@Tables({ migrations: [Files1700000000420], others: ['file_objects', 'file_uploads', 'file_variants'] })
@Module({
  imports: [AuthModule, ContentModule, SchemaModule],
  controllers: [DirectUploadsController, ResumableUploadsController, FilesController],
  providers: [
    provideSystemSchema(FILE_SCHEMA),
    providePort(
      'fileStorage',
      FileStorage,
      { create: configuredStorage },
      {
        disk: true,
        write: 'remote',
        read: 'remote',
        find: 'remote',
        remove: 'remote',
        list: true,
      },
    ),
    providePort('fileScanner', FileScanner, ClamdFileScanner, { isActive: true, scan: 'remote' }),
    DirectUploads,
    FileCheck,
    FileDelivery,
    FilePublishing,
    FileObjects,
    FileReading,
    FileScans,
    FileSweeper,
    ObjectBytes,
    { provide: IMAGE_PROGRAM, useValue: OWN_IMAGE_PROGRAM },
    ImageProcess,
    ImageVariants,
    Images,
    ResumableUploads,
    SignedAddresses,
    UploadLinks,
    UploadSessions,
    UploadStore,
  ],
})
export class FilesModule {}

function configuredStorage(module: ModuleRef): FileStorage {
  const config = module.get<Config>(CONFIG, { strict: false });
  const { s3 } = config.files;
  return s3 === null ? new LocalFileStorage(config) : new S3FileStorage(s3);
}

import type { Readable } from 'node:stream';

/** A file to scan. */
export interface ScannedFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** Result of a scan. */
export interface ScanVerdict {
  /** Name of the malware or other finding; null for none. It is written to the audit log. */
  readonly finding: string | null;
}

/**
 * Scans the bytes of files, for example for viruses, before they can be read. Until then, requests for the file fail with `file_held`. A
 * file with a finding is removed.
 */
export abstract class FileScanner {
  /**
   * Returns whether files are scanned; `false` makes them readable immediately. It is called at each upload and must answer without I/O.
   */
  abstract isActive(): boolean;

  /**
   * Scans a file. An exception is not a finding: the file stays held and is scanned again later.
   *
   * @param bytes of the whole file; the scanner need not read them completely.
   * @param signal is aborted if the result is too late: after half an hour, or because the server stops.
   */
  abstract scan(bytes: Readable, file: ScannedFile, signal: AbortSignal): Promise<ScanVerdict>;
}

declare module '../../../platform/extension/ports.js' {
  interface KnownPorts {
    readonly fileScanner: FileScanner;
  }
}

import type { Readable } from 'node:stream';

/** A file that is looked at. */
export interface ScannedFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** Verdict of a scanner on a file. */
export interface ScanVerdict {
  /** Name that the scanner gives to what was found; null for nothing. It stands in the audit log. */
  readonly finding: string | null;
}

/**
 * Looks at the bytes of files before anybody reads them, for viruses for example. Whoever asks for a file meanwhile is told to come back;
 * a file in which something is found is removed.
 */
export abstract class FileScanner {
  /** Returns whether files are looked at: `false` lets them be read at once. It is asked at each upload, and answers what it knows by itself. */
  abstract isActive(): boolean;

  /**
   * Looks at a file. What it throws says nothing of the file, which is looked at again later, and held back until then.
   *
   * @param bytes of the whole file; the scanner need not read them to their end.
   * @param signal is aborted when the verdict comes too late: after half an hour, or because the service stops.
   */
  abstract scan(bytes: Readable, file: ScannedFile, signal: AbortSignal): Promise<ScanVerdict>;
}

declare module '../../../kernel/ports.js' {
  interface KnownPorts {
    readonly fileScanner: FileScanner;
  }
}

import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type Prepared, prepared } from '../database/prepared.js';
import type { SqlStatement } from './render/sql-writer.js';

/** Statements that are kept prepared: each connection holds them all. */
const MOST_PREPARED = 300;

/** Runs rendered statements; those that come again are parsed once a connection. */
@Injectable()
export class ContentStatements {
  private readonly known = new Map<string, Prepared<object>>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The rows of a statement that reads. Statements of the same shape have the same text, and so the same name. */
  async read<Row extends object>({ text, parameters }: SqlStatement): Promise<Row[]> {
    const run = this.known.get(text) ?? this.prepare(text);
    if (run !== null) return (await run(this.dataSource, parameters)) as Row[];
    return this.dataSource.query<Row[]>(text, [...parameters]);
  }

  /** Names are digests of the text: the same for every snapshot in which the statement is the same. */
  private prepare(text: string): Prepared<object> | null {
    if (this.known.size >= MOST_PREPARED) return null;
    const run = prepared<object>(`content-${createHash('sha256').update(text).digest('base64url').slice(0, 40)}`, text);
    this.known.set(text, run);
    return run;
  }
}

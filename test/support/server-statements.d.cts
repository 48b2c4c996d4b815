import type pg from 'pg';
import type { DatabaseAddress } from '../../src/platform/database/data-source.js';

export function clientOptions(address: DatabaseAddress): pg.ClientConfig;
export function withDatabase(address: DatabaseAddress, database: string): DatabaseAddress;
export function onServer<T extends object = object>(address: DatabaseAddress, sql: string): Promise<T[]>;

import type { DatabaseAddress } from '../../src/platform/database/connections/data-source.js';

export function withDatabase(address: DatabaseAddress, database: string): DatabaseAddress;
export function onServer<T extends object = object>(address: DatabaseAddress, sql: string): Promise<T[]>;

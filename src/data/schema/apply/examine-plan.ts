import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { DataCheck, PlanStep, SchemaPlan, StatementRunner } from '../plan/plan.types.js';
import { fittedIdentifier, shortHash, quoteIdentifier as q, quoteIdentifiers } from '../../model/identifiers.js';
import { countSql, quoteText } from '../plan/action-sql.js';

export interface FailedCheck {
  readonly kind: DataCheck['kind'];
  readonly message: string;
  readonly count: number;
  readonly examples: readonly string[];
  readonly full?: string;
}

export interface ExaminedStep {
  readonly step: PlanStep;
  /** Number of rows that would lose data; null for a step that never loses data. */
  readonly lostRows: number | null;
  readonly failed: readonly FailedCheck[];
}

/** A step as returned. */
@ApiSchema({ name: 'SchemaStep' })
export class StepAnswer {
  @ApiProperty({ type: String }) readonly kind: PlanStep['kind'];
  @ApiProperty() readonly schema: string;
  @ApiPropertyOptional() readonly field?: string;
  @ApiProperty() readonly table: string;
  @ApiProperty() readonly words: string;
  @ApiProperty({ type: [String] }) readonly sql: readonly string[];
  @ApiProperty({ type: String }) readonly phase: PlanStep['phase'];
  @ApiProperty() readonly loses_data: boolean;
  @ApiPropertyOptional({ type: 'integer', description: 'Number of rows that would lose data.' }) readonly rows?: number;
  @ApiProperty({ type: 'array', items: { type: 'object' } }) readonly problems: readonly FailedCheck[];
}

/** Runs the data checks of a plan and counts the rows that would lose data. Changes nothing. */
export async function examinePlan(
  runner: StatementRunner,
  plan: Pick<SchemaPlan, 'steps'>,
): Promise<readonly ExaminedStep[]> {
  const steps: ExaminedStep[] = [];
  for (const step of plan.steps) {
    const lostRows = step.lossSql === undefined ? null : await count(runner, step.lossSql);
    const failed: FailedCheck[] = [];
    for (const check of step.checks) failed.push(...(await failure(runner, check)));
    steps.push({ step, lostRows, failed });
  }
  return steps;
}

/** Returns true if a step needs consent, because it drops something or converts values with loss. */
export function isDestructive({ step, lostRows }: ExaminedStep): boolean {
  return step.losesData && (step.archived !== undefined || lostRows !== 0);
}

/** Returns true if a step converts values with loss. Archived data does not count, because it can be restored. */
export function isLossy({ step, lostRows }: ExaminedStep): boolean {
  return step.losesData && step.archived === undefined && lostRows !== 0;
}

export function stepAnswer(examined: ExaminedStep): StepAnswer {
  const { kind, schema, field, table, words, sql, phase } = examined.step;
  return {
    kind,
    schema,
    ...(field === undefined ? {} : { field }),
    table,
    words,
    sql,
    phase,
    loses_data: isDestructive(examined),
    ...(examined.lostRows === null ? {} : { rows: examined.lostRows }),
    problems: examined.failed.map(({ full: _table, ...problem }) => problem),
  };
}

async function failure(runner: StatementRunner, check: DataCheck): Promise<readonly FailedCheck[]> {
  const found = await count(runner, check.countSql);
  if (found === 0) return [];
  const rows = await runner.query<{ example: string | null }[]>(check.examplesSql);
  const examples = rows.map(({ example }) => example ?? '');
  const full = check.full === undefined ? {} : { full: check.full };
  return [{ kind: check.kind, message: `${found}: ${check.words}.`, count: found, examples, ...full }];
}

async function count(runner: StatementRunner, sql: string): Promise<number> {
  const [row] = await runner.query<{ count: string }[]>(sql);
  return Number(row?.count ?? 0);
}

interface TableFacts {
  readonly columns: readonly string[];
  readonly archived: readonly string[];
  readonly sequences: readonly { readonly column: string; readonly name: string }[];
  readonly incoming: readonly string[];
  /** Statements that recreate keys, indexes, foreign keys and privileges, in order. */
  readonly again: readonly string[];
  /** True if objects that do not belong to the server depend on the table: a view, trigger, policy or publication. */
  readonly isReferenced: boolean;
}

const LEFTOVER = `EXISTS (SELECT 1 FROM schema_leftovers l WHERE l.kind = 'column' AND l.name = a.attname)`;
const COLUMNS = `FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped`;
const FACTS = `SELECT
  (SELECT coalesce(json_agg(a.attname ORDER BY a.attnum), '[]') ${COLUMNS} AND NOT ${LEFTOVER}) AS columns,
  (SELECT coalesce(json_agg(a.attname ORDER BY a.attnum), '[]') ${COLUMNS} AND ${LEFTOVER}) AS archived,
  (SELECT coalesce(json_agg(json_build_object('column', a.attname, 'name', pg_get_serial_sequence($1, a.attname))), '[]')
    ${COLUMNS} AND a.attidentity <> '') AS sequences,
  (SELECT coalesce(json_agg(format('ALTER TABLE %s DROP CONSTRAINT %I', c.conrelid::regclass, c.conname)), '[]')
    FROM pg_constraint c WHERE c.confrelid = to_regclass($1) AND c.conrelid <> c.confrelid) AS incoming,
  (SELECT coalesce(json_agg(made.sql ORDER BY made.rank, made.sql), '[]') FROM (
    SELECT CASE c.contype WHEN 'f' THEN 3 ELSE 1 END AS rank,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) AS sql
    FROM pg_constraint c WHERE c.confrelid = to_regclass($1) OR (c.conrelid = to_regclass($1) AND c.contype IN ('p', 'u', 'x', 'f'))
    UNION ALL
    SELECT 2, pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = to_regclass($1)
      AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = i.indrelid)
    UNION ALL
    SELECT 4, format('GRANT %s ON %s TO %s%s', p.privilege_type, $1,
      CASE p.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(p.grantee)) END,
      CASE WHEN p.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM pg_class t, aclexplode(t.relacl) p WHERE t.oid = to_regclass($1) AND p.grantee <> t.relowner) AS made) AS again,
  EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = to_regclass($1) AND NOT tgisinternal)
    OR EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = to_regclass($1))
    OR EXISTS (SELECT 1 FROM pg_publication_rel WHERE prrelid = to_regclass($1))
    OR EXISTS (SELECT 1 FROM pg_inherits WHERE to_regclass($1) IN (inhrelid, inhparent))
    OR EXISTS (SELECT 1 FROM pg_depend WHERE refobjid = to_regclass($1) AND classid = 'pg_rewrite'::regclass)
    OR EXISTS (SELECT 1 ${COLUMNS} AND a.attacl IS NOT NULL) AS "isReferenced"`;

/**
 * Prepends steps that rebuild tables without free column numbers, and removes the checks that this fixes. A rebuild keeps records, keys and
 * indexes, and purges archived columns. A table with dependents that do not belong to the server is not rebuilt.
 */
export async function withRebuilds(
  runner: StatementRunner,
  steps: readonly ExaminedStep[],
): Promise<readonly ExaminedStep[]> {
  const full = steps.flatMap(({ step, failed }) =>
    failed.flatMap(({ full: table }) => (table ? [{ step, table }] : [])),
  );
  const rebuilt = new Set<string>();
  const rebuilds: ExaminedStep[] = [];
  for (const { step, table } of full) {
    const [facts] = await runner.query<TableFacts[]>(FACTS, [q(table)]);
    if (facts === undefined || facts.isReferenced || rebuilt.has(table)) continue;
    rebuilt.add(table);
    rebuilds.push(...(await examinePlan(runner, { steps: [rebuildStep(step.schema, table, facts)] })));
  }
  const remaining = steps.map((entry) => ({
    ...entry,
    failed: entry.failed.filter(({ full: table }) => table === undefined || !rebuilt.has(table)),
  }));
  return [...rebuilds, ...remaining];
}

function rebuildStep(schema: string, table: string, facts: TableFacts): PlanStep {
  const { archived } = facts;
  const description = `Rebuild the table "${table}", which has reached its column limit`;
  return {
    kind: 'rebuild_table',
    schema,
    table,
    words:
      archived.length === 0
        ? `${description}.`
        : `${description}, without the ${archived.length} columns that were dropped before.`,
    sql: rebuildSql(table, facts),
    phase: 'transaction',
    losesData: archived.length > 0,
    ...(archived.length > 0
      ? { lossSql: countSql(table, archived.map((name) => `${q(name)} IS NOT NULL`).join(' OR ')) }
      : {}),
    checks: [],
  };
}

function rebuildSql(table: string, { columns, archived, sequences, incoming, again }: TableFacts): readonly string[] {
  const fresh = fittedIdentifier(`_rebuilt_${table}`, shortHash(table, 6));
  const names = quoteIdentifiers(columns);
  const purge = [
    `ALTER TABLE ${q(table)} ${archived.map((name) => `DROP COLUMN ${q(name)}`).join(', ')}`,
    `DELETE FROM schema_leftovers WHERE kind = 'column' AND name IN (${archived.map(quoteText).join(', ')})`,
  ];
  return [
    `LOCK TABLE ${q(table)} IN ACCESS EXCLUSIVE MODE`,
    ...incoming,
    ...(archived.length === 0 ? [] : purge),
    `CREATE TABLE ${q(fresh)} (LIKE ${q(table)} INCLUDING ALL EXCLUDING INDEXES)`,
    `INSERT INTO ${q(fresh)} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM ${q(table)}`,
    ...sequences.map(({ column, name }) => {
      const sequence = `pg_get_serial_sequence(${quoteText(q(fresh))}, ${quoteText(column)})`;
      return `SELECT setval(${sequence}, last_value, is_called) FROM ${name}`;
    }),
    `DROP TABLE ${q(table)}`,
    `ALTER TABLE ${q(fresh)} RENAME TO ${q(table)}`,
    ...again,
    `ANALYZE ${q(table)}`,
  ];
}

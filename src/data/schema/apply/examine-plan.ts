import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { DataCheck, PlanStep, SchemaPlan, StatementRunner } from '../plan/plan.types.js';

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

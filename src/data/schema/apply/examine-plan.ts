import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { DataCheck, PlanStep, SchemaPlan, StatementRunner } from '../plan/plan.types.js';

/** A question to the data whose answer stands in the way. */
export interface FailedCheck {
  readonly kind: DataCheck['kind'];
  readonly message: string;
  readonly count: number;
  /** Up to five of them. */
  readonly examples: readonly string[];
  readonly full?: string;
}

/** A step with what the data says to it. */
export interface ExaminedStep {
  readonly step: PlanStep;
  /** Rows whose data would be lost; null for a step that loses none whatever the data. */
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
  @ApiPropertyOptional({ type: 'integer', description: 'Rows that would lose something.' }) readonly rows?: number;
  @ApiProperty({ type: 'array', items: { type: 'object' } }) readonly problems: readonly FailedCheck[];
}

/** Asks the data what it has against a plan, and how many rows would lose something. Changes nothing. */
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

/** Returns whether a step needs consent: it drops something, or it converts values that would not stay what they are. */
export function isDestructive({ step, lostRows }: ExaminedStep): boolean {
  return step.losesData && (step.archived !== undefined || lostRows !== 0);
}

/** Returns whether a step converts values that do not stay what they are; what is archived can be brought back. */
export function isLossy({ step, lostRows }: ExaminedStep): boolean {
  return step.losesData && step.archived === undefined && lostRows !== 0;
}

/** Returns a step as returned: words, SQL, what it would lose, and what stands in its way. */
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

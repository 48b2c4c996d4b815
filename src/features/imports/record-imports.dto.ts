import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  allOf,
  Field,
  type FieldCheck,
  optionalFlag,
  optionalText,
  requiredText,
} from '../../platform/http/input/field.decorator.js';
import { OperationFacts } from '../../platform/operations/operations.public.js';

/**
 * - `receiving`: rows are uploaded.
 * - `checking`: rows are written and rolled back.
 * - `checked`: waiting for the owner.
 * - `applying`: rows are written, some at a time.
 * - `done`.
 * - `stopped`: by an error that the check did not find.
 * - `cancelled`: by its owner.
 * - `undoing`, `undone`: the created records are deleted.
 */
const IMPORT_STATES = [
  'receiving',
  'checking',
  'checked',
  'applying',
  'done',
  'stopped',
  'cancelled',
  'undoing',
  'undone',
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** An import, as returned by the API. */
@ApiSchema({ name: 'RecordImport' })
export class ImportStatus extends OperationFacts {
  @ApiProperty({ description: 'Name of the schema.' }) readonly schema: string;
  @ApiProperty({ enum: ['create', 'update', 'upsert'] }) readonly mode: string;
  @ApiProperty({ enum: IMPORT_STATES }) readonly state: ImportState;
  @ApiProperty({ type: 'integer', description: 'Number of records received so far.' }) readonly rows: number;
  @ApiProperty({ type: 'integer', description: 'CSV rows that were skipped because all cells are empty.' })
  readonly blank: number;
  @ApiProperty({ type: 'integer', description: 'Number of rows checked so far.' }) readonly checked: number;
  @ApiProperty({ type: 'integer', description: 'Number of records that the valid rows would create.' })
  readonly would_create: number;
  @ApiProperty({ type: 'integer', description: 'Number of records that the valid rows would update.' })
  readonly would_update: number;
  @ApiProperty({ type: 'integer', description: 'Number of rows written or skipped because of errors.' })
  readonly applied: number;
  @ApiProperty({ type: 'integer' }) readonly created: number;
  @ApiProperty({ type: 'integer' }) readonly updated: number;
  @ApiProperty({ type: 'integer', description: 'Number of records deleted by the undo.' }) readonly removed: number;
  @ApiProperty({ type: 'integer' }) readonly faults: number;
  @ApiProperty({ type: [String], description: 'Fields of the file that were ignored because the service sets them.' })
  readonly ignored: readonly string[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Value that `apply` requires; null if the import cannot be applied.',
  })
  readonly plan: string | null;
  @ApiProperty({ description: 'Whether the created records can be deleted by an undo.' })
  readonly can_be_undone: boolean;
}

/** An error in a row. */
@ApiSchema({ name: 'ImportFault' })
export class ImportFaultResponse {
  @ApiProperty({
    type: 'integer',
    description: 'Position in a JSON list, line of NDJSON, or row of CSV (the header is row 1).',
  })
  readonly row: number;
  @ApiProperty() readonly field: string;
  @ApiProperty() readonly code: string;
  @ApiProperty() readonly message: string;
}

/** A page of row errors, in the order of the file. */
export class FaultPage {
  @ApiProperty({ type: [ImportFaultResponse] }) readonly items: readonly ImportFaultResponse[];
  @ApiProperty({ type: 'integer' }) readonly total: number;
  @ApiProperty({ type: String, nullable: true }) readonly next_cursor: string | null;
}

const optionalFormat: FieldCheck = allOf(optionalText(4), (value) =>
  value === undefined || value === 'json' || value === 'csv'
    ? null
    : { code: 'value_invalid', message: 'must be json or csv' },
);

/** Query of the list of row errors. */
export class FaultQuery {
  @Field(optionalFormat) format?: string;
  @Field(optionalText(220)) cursor?: string;
}

/** The plan to apply, and whether rows with errors are skipped. */
export class ApplyBody {
  @Field(requiredText(64)) plan: string;
  @Field(optionalFlag) skip_faulty?: boolean;
}

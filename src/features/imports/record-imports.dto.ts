import { ApiProperty } from '@nestjs/swagger';
import { Field } from '../../platform/http/input/field.decorator.js';
import { allOf, type FieldCheck, optionalFlag, optionalText, requiredText } from '../../platform/http/http.public.js';
import { IMPORT_STATES, type ImportState } from './record-import.entity.js';

/** Import as it is told. */
export class ToldImport {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ description: 'Name of the schema.' }) readonly schema: string;
  @ApiProperty({ enum: ['create', 'update', 'upsert'] }) readonly mode: string;
  @ApiProperty({ enum: IMPORT_STATES }) readonly state: ImportState;
  @ApiProperty({ type: 'integer', description: 'Records of the file, as far as it is there.' }) readonly rows: number;
  @ApiProperty({ type: 'integer', description: 'Rows of CSV that were skipped because every cell is empty.' })
  readonly blank: number;
  @ApiProperty({ type: 'integer', description: 'Rows that the check has seen.' }) readonly checked: number;
  @ApiProperty({ type: 'integer', description: 'Records that it would make, where no row has a fault.' })
  readonly would_create: number;
  @ApiProperty({ type: 'integer', description: 'Records that it would change, where no row has a fault.' })
  readonly would_update: number;
  @ApiProperty({ type: 'integer', description: 'Rows that are written, or left out for their faults.' })
  readonly applied: number;
  @ApiProperty({ type: 'integer' }) readonly created: number;
  @ApiProperty({ type: 'integer' }) readonly updated: number;
  @ApiProperty({ type: 'integer', description: 'Records that were deleted again.' }) readonly removed: number;
  @ApiProperty({ type: 'integer' }) readonly faults: number;
  @ApiProperty({ type: [String], description: 'Fields of the file that the service fills in itself.' })
  readonly ignored: readonly string[];
  @ApiProperty({ type: String, nullable: true, description: 'Why it was stopped as a whole: a code of an error.' })
  readonly error: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'What is to be sent to apply it; null if it cannot be.' })
  readonly plan: string | null;
  @ApiProperty({ description: 'Whether what it has made can be deleted again.' }) readonly can_be_undone: boolean;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ format: 'date-time' }) readonly updated_at: string;
  @ApiProperty({ format: 'date-time', description: 'When it is forgotten, with what is left of its rows.' })
  readonly expires_at: string;
}

/** A fault of a row. */
export class ToldFault {
  @ApiProperty({ type: 'integer', description: 'Place in a list, line of NDJSON, row of CSV with the names as row 1.' })
  readonly row: number;
  @ApiProperty() readonly field: string;
  @ApiProperty() readonly code: string;
  @ApiProperty() readonly message: string;
}

/** A page of faults, in the order of the file. */
export class FaultPage {
  @ApiProperty({ type: [ToldFault] }) readonly items: readonly ToldFault[];
  @ApiProperty({ type: 'integer' }) readonly total: number;
  @ApiProperty({ type: String, nullable: true }) readonly next_cursor: string | null;
}

const optionalFormat: FieldCheck = allOf(optionalText(4), (value) =>
  value === undefined || value === 'json' || value === 'csv'
    ? null
    : { code: 'value_invalid', message: 'must be json or csv' },
);

/** Filter of a list of faults. */
export class FaultQuery {
  @Field(optionalFormat) format?: string;
  @Field(optionalText(220)) cursor?: string;
}

/** Plan that is applied, and the way in which it is. */
export class ApplyBody {
  @Field(requiredText(64)) plan: string;
  @Field(optionalFlag) skip_faulty?: boolean;
}

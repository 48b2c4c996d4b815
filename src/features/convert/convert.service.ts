import { Injectable } from '@nestjs/common';
import { SchemaReadingService } from '../../data/schema/schema-reading.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { ConversionAnswer, ConversionDto } from './conversion.dto.js';
import { CONVERTERS } from '../../../packages/convert/src/convert.js';
import { submissionOf } from '../../../packages/convert/src/convert.js';

@Injectable()
export class ConvertService {
  constructor(private readonly schemas: SchemaReadingService) {}

  /** Returns the definitions, notes about lost parts, and the validation errors of the definitions against the current schemas. */
  convert({ source, files, previous }: ConversionDto): ConversionAnswer {
    const { system } = this.schemas.current;
    const conversion = CONVERTERS[source](files, { system, ...(previous ? { previous } : {}) });
    return { ...conversion, faults: this.faultsOf(submissionOf(conversion)) };
  }

  private faultsOf(schemas: readonly object[]): readonly object[] {
    try {
      this.schemas.validate({ schemas }, 'report');
      return [];
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'schema_invalid') throw error;
      return error.details['field_errors'] as readonly object[];
    }
  }
}

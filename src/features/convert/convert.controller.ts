import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Resource } from '../../identity/auth/access/access.decorators.js';
import { ChangesNothing } from '../../identity/auth/view-as/view-as.decorator.js';
import { AnswersData } from '../../platform/http/output/documentation.decorators.js';
import { CONVERTERS, submissionOf } from '../../../packages/convert/src/convert.js';
import { SchemaReadingService } from '../../data/schema/schema-reading.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { SchemaParameters, type SchemaQuery } from '../../data/schema/schema.public.js';
import { ConversionAnswer, ConversionDto } from './conversion.dto.js';

@ApiTags('Schemas')
@Controller('api/schema')
export class ConvertController {
  constructor(private readonly schemas: SchemaReadingService) {}

  @Post('convert')
  @HttpCode(200)
  @Resource('schema.convert')
  @ChangesNothing()
  @ApiOperation({ summary: 'Convert a project of another product to schema definitions' })
  @AnswersData(ConversionAnswer)
  async convert(
    @SchemaParameters() _parameters: SchemaQuery,
    @Body() { source, files, previous }: ConversionDto,
  ): Promise<{ data: ConversionAnswer }> {
    const { system } = this.schemas.current;
    const conversion = CONVERTERS[source](files, { system, previous: previous ?? [] });
    return { data: { ...conversion, faults: await this.faultsOf(submissionOf(conversion)) } };
  }

  /** Returns the validation errors of the definitions against the current schemas. */
  private async faultsOf(schemas: readonly object[]): Promise<readonly object[]> {
    try {
      await this.schemas.validate({ schemas }, 'report');
      return [];
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'schema_invalid') throw error;
      return error.details['field_errors'] as readonly object[];
    }
  }
}

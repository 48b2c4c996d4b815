import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Resource } from '../../identity/auth/access/access.decorators.js';
import { ChangesNothing } from '../../identity/auth/view-as/view-as.decorator.js';
import { AnswersData } from '../../platform/http/output/documentation.decorators.js';
import { SchemaParameters, type SchemaQuery } from '../../data/schema/schema.public.js';
import { ConversionAnswer, ConversionDto } from './conversion.dto.js';
import { ConvertService } from './convert.service.js';

@ApiTags('Schemas')
@Controller('api/schema')
export class ConvertController {
  constructor(private readonly conversions: ConvertService) {}

  @Post('convert')
  @HttpCode(200)
  @Resource('schema.convert')
  @ChangesNothing()
  @ApiOperation({ summary: 'Convert a project of another product, and change nothing' })
  @AnswersData(ConversionAnswer)
  convert(@SchemaParameters() _parameters: SchemaQuery, @Body() body: ConversionDto): { data: ConversionAnswer } {
    return { data: this.conversions.convert(body) };
  }
}

import { Body, Controller, Get, HttpCode, Module, Post, Query } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiExcludeEndpoint,
  ApiHeader,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsEnum,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { DeclaresResources, Public, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import { DisabledWhen } from '../../../src/identity/auth/access/disabled-when.decorator.js';
import { Throws } from '../../../src/platform/http/output/documentation.decorators.js';
import { Field, optionalText, requiredText } from '../../../src/platform/http/input/field.decorator.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { DocumentInHand } from '../../support/openapi-document.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

class OrderDto {
  @Field(requiredText(40)) dish: string;
  @Field(optionalText(200)) note?: string | null;
}

enum Size {
  Small = 1,
  Large = 2,
}

class LineDto {
  @IsUUID() soup: string;
  @IsInt() @Min(1) @Max(20) count: number;
  @ValidateNested({ each: true }) @IsOptional() @Type(() => LineDto) extras?: LineDto[];
}

class PurchaseDto {
  @IsEmail() to: string;
  @IsOptional() @Length(2, 5) note?: string | null;
  @IsOptional() @IsIn(['cash', 'card']) payment?: string | null;
  @IsEnum(Size) size: Size;
  @Matches(/^[A-Z]{2}$/) country: string;
  @IsOptional() @IsBoolean() gift?: boolean;
  @IsOptional() @IsArray() @ArrayMaxSize(2) @IsString({ each: true }) tags?: string[];
  @ValidateNested() @Type(() => LineDto) first: LineDto;
}

@Controller('api/acme/purchases')
class PurchasesController {
  @Post()
  @Public()
  @RateLimit('general')
  buy(@Body() { to }: PurchaseDto): { to: string } {
    return { to };
  }
}

@Controller('api/acme/orders')
class OrdersController {
  @Post()
  @Public()
  @RateLimit('general')
  @DisabledWhen('not_ready', () => false)
  order(@Body() { dish }: OrderDto): { dish: string } {
    return { dish };
  }

  @Get(':id')
  @Resource('acme.orders.get')
  get(): { dish: string } {
    return { dish: 'soup' };
  }
}

class Tea {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ type: String, nullable: true, description: 'As the menu has it.' }) name: string | null;
}

class BrewDto {
  @ApiProperty({ description: 'Of the menu.', example: 'Assam' }) @IsString() @Length(1, 40) name: string;
  @ApiPropertyOptional({ deprecated: true }) @IsOptional() @IsInt() @Min(1) grams?: number;
  @ApiPropertyOptional({ type: () => LineDto }) @IsOptional() @ValidateNested() @Type(() => LineDto) cup?: LineDto;
}

class TeaQuery {
  @ApiPropertyOptional({ description: 'Only of this colour.' }) @IsOptional() @IsString() colour?: string;
}

@ApiTags('Tea')
@Controller('api/acme/tea')
class TeaController {
  @Get()
  @Public()
  @ApiOperation({ summary: 'The teas', description: 'In the order of the menu.', deprecated: true })
  @ApiHeader({ name: 'X-Table', description: 'Where you sit.' })
  @ApiOkResponse({ type: [Tea] })
  list(@Query() { colour }: TeaQuery): Tea[] {
    return [{ id: '01900000-0000-7000-8000-000000000000', name: colour ?? null }];
  }

  @Post()
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @ApiOperation({ operationId: 'brewTea', summary: 'Brew a tea' })
  @ApiOkResponse({ type: Tea, description: 'It is on the table.' })
  @ApiConflictResponse({ description: 'The pot is taken.' })
  @ApiNotFoundResponse({ description: 'There is no such tea.' })
  @Throws('schema_not_found')
  brew(@Body() { name }: BrewDto): Tea {
    return { id: '01900000-0000-7000-8000-000000000000', name };
  }

  @Get('pots')
  @Public()
  @ApiExcludeEndpoint()
  pots(): string[] {
    return [];
  }
}

@DeclaresResources('acme.orders.get')
@Module({ controllers: [OrdersController, PurchasesController, TeaController] })
class AcmeModule {}

describe('routes of a team', () => {
  const world = useTestApp({ modules: [AcmeModule] });

  it('are described from their code', async () => {
    const document = await DocumentInHand.of(world.app.asGuest());
    const order = document.paths['/api/acme/orders']!['post']!;
    expect(order).toMatchObject({ operationId: 'ordersOrder', tags: ['More'], security: [] });
    expect(order.requestBody).toMatchObject({
      content: {
        'application/json': {
          schema: {
            required: ['dish'],
            properties: {
              dish: { type: 'string', minLength: 1, maxLength: 40 },
              note: { type: ['string', 'null'], maxLength: 200 },
            },
          },
        },
      },
    });
    expect(Object.keys(order.responses)).toEqual([
      '201',
      '400',
      '408',
      '413',
      '415',
      '422',
      '429',
      '431',
      '500',
      '503',
    ]);
    const { $ref } = order.responses['503'] as { $ref: string };
    expect(JSON.stringify(document.at($ref))).toContain('not_ready');
  });

  it('have bodies described by class-validator decorators, which the service validates', async () => {
    const document = await DocumentInHand.of(world.app.asGuest());
    const { requestBody, responses } = document.paths['/api/acme/purchases']!['post']!;
    const { schema } = (requestBody as { content: Record<string, { schema: unknown }> }).content['application/json']!;
    expect(JSON.stringify(document.at((responses['422'] as { $ref: string }).$ref))).toContain('validation_failed');
    const validate = document.validatorOf(schema);
    const line = { soup: '01900000-0000-7000-8000-000000000000', count: 3 };
    const sound = { to: 'ann@example.com', size: 1, country: 'DE', first: line };
    const bodies: [unknown, boolean][] = [
      [sound, true],
      [{ ...sound, note: null, payment: null, gift: null, tags: null }, true],
      [{ ...sound, note: 'abc', payment: 'card', gift: false, tags: ['a', 'b'] }, true],
      [{ ...sound, first: { ...line, extras: [line, { ...line, extras: [] }] } }, true],
      [{}, false],
      [{ ...sound, to: undefined }, false],
      [{ ...sound, to: 'nobody' }, false],
      [{ ...sound, to: null }, false],
      [{ ...sound, note: 'a' }, false],
      [{ ...sound, note: 'abcdef' }, false],
      [{ ...sound, payment: 'gold' }, false],
      [{ ...sound, size: 3 }, false],
      [{ ...sound, country: 'de' }, false],
      [{ ...sound, gift: 'yes' }, false],
      [{ ...sound, tags: 'a' }, false],
      [{ ...sound, tags: ['a', 1] }, false],
      [{ ...sound, tags: ['a', 'b', 'c'] }, false],
      [{ ...sound, first: { ...line, soup: 'x' } }, false],
      [{ ...sound, first: { ...line, count: 1.5 } }, false],
      [{ ...sound, first: { ...line, count: 21 } }, false],
      [{ ...sound, first: { ...line, count: '3' } }, false],
      [{ ...sound, first: { ...line, extras: 'none' } }, false],
    ];
    for (const [body, taken] of bodies) {
      const { status } = await world.app.asGuest().post('/api/acme/purchases', body as object);
      expect([body, validate(JSON.parse(JSON.stringify(body))), status]).toEqual([body, taken, taken ? 201 : 422]);
    }
  });

  it('are documented by decorators of @nestjs/swagger', async () => {
    const document = await DocumentInHand.of(world.app.asGuest());
    const { get: list, post: brew } = document.paths['/api/acme/tea']!;
    const groups = (document.json['tags'] as { name: string }[]).map(({ name }) => name);
    expect(groups.indexOf('Tea')).toBeGreaterThan(groups.indexOf('Service'));
    expect(list).toMatchObject({
      tags: ['Tea'],
      summary: 'The teas',
      description: 'In the order of the menu.',
      deprecated: true,
      security: [],
      operationId: 'teaList',
    });
    expect(list!.parameters).toContainEqual(expect.objectContaining({ name: 'colour', in: 'query', required: false }));
    expect(list!.parameters).toContainEqual(
      expect.objectContaining({ name: 'X-Table', in: 'header', description: 'Where you sit.' }),
    );
    expect(brew).toMatchObject({
      operationId: 'brewTea',
      responses: { '200': { description: 'It is on the table.' } },
    });
    expect(document.components['schemas']!['Tea']).toEqual({
      type: 'object',
      required: ['id', 'name'],
      properties: {
        id: { type: 'string', format: 'uuid' },
        name: { type: ['string', 'null'], description: 'As the menu has it.' },
      },
    });
    const answer = await world.app.asGuest().get('/api/acme/tea');
    expect(document.faultsOf('get', '/api/acme/tea', answer)).toEqual([]);
    expect(document.faults()).toEqual([]);
  });

  it('have bodies from both kinds of decorators, and errors of both', async () => {
    const document = await DocumentInHand.of(world.app.asGuest());
    const { requestBody, responses } = document.paths['/api/acme/tea']!['post']!;
    const { schema } = (requestBody as { content: Record<string, { schema: Record<string, unknown> }> }).content[
      'application/json'
    ]!;
    expect(schema).toMatchObject({
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 40, description: 'Of the menu.', example: 'Assam' },
        grams: { type: ['integer', 'null'], minimum: 1, deprecated: true },
        cup: { type: ['object', 'null'], required: ['soup', 'count'] },
      },
    });
    const codes = (status: string) => JSON.stringify(document.at(String(responses[status]!['$ref'])));
    expect(codes('422')).toContain('validation_failed');
    expect(codes('429')).toContain('rate_limited');
    expect(codes('404')).toContain('schema_not_found');
    expect(responses['404']).toMatchObject({ description: 'There is no such tea.' });
    expect(responses['409']).toEqual({ description: 'The pot is taken.' });
    await world.app.asGuest().post('/api/acme/tea', { grams: 'many' }).expect(422);
  });

  it('are omitted if a decorator says so', async () => {
    const document = await DocumentInHand.of(world.app.asGuest());
    await world.app.asGuest().get('/api/acme/tea/pots').expect(200);
    expect(document.paths['/api/acme/tea/pots']).toBeUndefined();
  });

  it('are listed for permitted callers', async () => {
    const person = await signedIn(world.app);
    const admin = await signedIn(world.app, { roles: ['admin'] });
    const path = '/api/acme/orders/{id}';
    expect((await DocumentInHand.of(world.app.asGuest())).paths[path]).toBeUndefined();
    expect((await DocumentInHand.of(world.app.as(person.token))).paths[path]).toBeUndefined();
    const { get } = (await DocumentInHand.of(world.app.as(admin.token))).paths[path]!;
    expect(get).toMatchObject({ 'x-resource': 'acme.orders.get', parameters: [{ name: 'id', in: 'path' }] });
  });
});
